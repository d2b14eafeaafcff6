import type { Sessions } from '../core/chat/session-operations.ts'
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { invalidRequest, quote } from '../core/protocol/error.ts'
import type { Memo, MemoVersion, MemoView } from '../core/protocol/window.ts'
import { parseYaml, toYaml } from '../core/sessions/formats/yaml.ts'
import { withSessions } from './open-parley.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../core/command-line/output.ts'
import { readStdin } from '../core/command-line/read-text.ts'

interface MemoOptions {
  version?: string
  versions?: boolean
  cursor?: string
  undo?: string | true
  set?: string
  pin?: string
  scope?: string
  json?: boolean
}

export function memoCommand(): Command {
  return new Command('memo')
    .description('show, edit or undo the memo of what left the window')
    .argument('<id>')
    .option('--version <number>', 'an earlier version; with --set, the one that was edited')
    .option('--versions', 'list all of them, newest first')
    .option('--cursor <cursor>', 'with --versions: continue where an earlier list ended')
    .option('--undo [version]', 'return to the previous version, or to this one')
    .option('--set <file>', 'read the memo from a file, YAML or JSON; - is stdin')
    .option('--pin <keys>', 'keys that no update may change, separated by commas; "" is none')
    .action((id: string, _options, command: Command) =>
      withSessions(command, (sessions) => act(sessions, id, command.optsWithGlobals<MemoOptions>())),
    )
}

async function act(sessions: Sessions, id: string, options: MemoOptions): Promise<void> {
  const { versions, undo, set, pin } = options
  const wanted = { versions, undo, 'set or --pin': set ?? pin }
  const actions = Object.entries(wanted).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`],
  )
  if (actions.length > 1) throw invalidRequest(`Give one of ${actions.join(' and ')}, not both.`)
  if (versions) return list(sessions, id, options)
  const memo = await showOrChange(sessions, id, options)
  if (options.json) printJson(memo)
  else printMemo(memo)
}

async function showOrChange(sessions: Sessions, id: string, options: MemoOptions): Promise<MemoView> {
  const { scope, undo, set, pin } = options
  const version = toVersion('--version', options.version)
  if (undo !== undefined)
    return sessions.undoMemo(id, { scope, version: toVersion('--undo', undo === true ? undefined : undo) })
  if (set === undefined && pin === undefined) return sessions.memo(id, { scope, version })
  return sessions.setMemo(id, {
    scope,
    memo: set === undefined ? undefined : await readMemo(set),
    pinned: pin?.split(',').flatMap((key) => key.trim() || []),
    baseVersion: version,
  })
}

/** Prints YAML below a comment: `--set` accepts it. */
function printMemo(memo: MemoView): void {
  printAnswer(`# version ${memo.version}${memo.version === 0 ? ': nothing is kept yet' : describe(memo)}`)
  if (memo.pinned.length > 0) printAnswer(`# pinned: ${memo.pinned.join(', ')}`)
  if (memo.waiting > 0) printAnswer(`# ${memo.waiting} messages left the window and are not in it yet`)
  printAnswer(toYaml(memo.memo))
}

const describe = ({ author, model, sizeAfter, createdAt }: MemoView) =>
  ` by ${author}${model === undefined ? '' : ` (${model})`}, ${sizeAfter} characters, ${createdAt}`

async function list(sessions: Sessions, id: string, { scope, cursor, json }: MemoOptions): Promise<void> {
  const page = await sessions.memoVersions(id, { scope, cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no versions')
  printAnswer(formatTable(['version', 'made', 'by', 'took in', 'characters', 'keys'], page.items.map(toRow)))
  if (page.nextCursor) printProgress(`more: --cursor ${page.nextCursor}`)
}

const toRow = (item: MemoVersion) => [
  String(item.version),
  item.createdAt,
  item.model === undefined ? item.author : `${item.author} (${item.model})`,
  item.fromSeq === undefined ? '' : `messages ${item.fromSeq} to ${item.toSeq}`,
  `${item.sizeBefore} → ${item.sizeAfter}`,
  Object.keys(item.memo).join(', '),
]

async function readMemo(file: string): Promise<Memo> {
  const text = file === '-' ? await readStdin() : await readFile(file, 'utf8').catch(refuseMissing)
  const memo = parseYaml(text)
  if (typeof memo !== 'object' || memo === null || Array.isArray(memo))
    throw invalidRequest(`A memo is a mapping of keys; ${file} holds ${quote(memo)}.`)
  return memo as Memo

  function refuseMissing(error: Error): never {
    throw invalidRequest(`Cannot read ${file}: ${error.message}`)
  }
}

function toVersion(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text))
    throw invalidRequest(`${flag} is ${quote(text)}; it must be the number of a version.`)
  return Number(text)
}
