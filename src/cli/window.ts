import type { Sessions } from '../core/chat/session-operations.ts'
import { Command, Option } from 'commander'
import { invalidRequest, quote } from '../core/protocol/error.ts'
import {
  windowModes,
  windowPresets,
  type Resize,
  type WindowSettings,
  type WindowView,
} from '../core/protocol/window.ts'
import { withSessions } from './open-parley.ts'
import { formatTable, printAnswer, printJson } from '../core/command-line/output.ts'
import type { Shown } from '../core/command-line/printable.ts'

interface Changes {
  mode?: WindowSettings['mode']
  preset?: WindowSettings['preset']
  chars?: string
  messages?: string
  tokens?: string
  everyNTurns?: string
  reset?: boolean
}

interface Shared {
  scope?: string
  json?: boolean
}

export function windowCommand(): Command {
  return new Command('window')
    .description(
      'show which part of the log the model sees; with options, change the settings of the session',
    )
    .argument('<id>')
    .addOption(
      new Option('--mode <mode>', 'memo: sum up what leaves the window; lite: do not').choices(windowModes),
    )
    .addOption(new Option('--preset <name>', 'a ready-made window').choices(windowPresets))
    .option('--chars <number>', 'maximum characters; 0 is no limit')
    .option('--messages <number>', 'maximum messages; 0 is no limit')
    .option('--tokens <number>', 'maximum tokens; 0 is no limit')
    .option('--every-n-turns <number>', 'cut back after this many turns; 0 is never')
    .option('--reset', 'first reset all settings of the session')
    .action((id: string, changes: Changes, command: Command) =>
      withSessions(command, async (sessions) => {
        const { scope, json } = command.optsWithGlobals<Shared>()
        const view = await showOrChange(sessions, id, scope, changes)
        if (json) printJson(view)
        else printWindow(view)
      }),
    )
}

export function resizeCommand(): Command {
  return new Command('resize')
    .description('cut the window back now, to the newest turn; a memo is updated with everything first')
    .argument('<id>')
    .option('--lite', 'only back to 60 % of the limits')
    .action((id: string, { lite }: { lite?: boolean }, command: Command) =>
      withSessions(command, async (sessions) => {
        const { scope, json } = command.optsWithGlobals<Shared>()
        const resize = await sessions.resize(id, { scope, type: lite ? 'lite' : undefined })
        if (json) return printJson(resize)
        const memo = resize.memoVersion === undefined ? '' : `, memo version ${resize.memoVersion}`
        printAnswer(`${resize.outcome} (${resize.type}): ${describeSizes(resize)}${memo}`)
        if (resize.message !== undefined) printAnswer(resize.message)
      }),
    )
}

async function showOrChange(
  sessions: Sessions,
  id: string,
  scope: string | undefined,
  { mode, preset, reset, ...numbers }: Changes,
): Promise<WindowView> {
  const chars = toLimit('--chars', numbers.chars)
  const messages = toLimit('--messages', numbers.messages)
  const tokens = toLimit('--tokens', numbers.tokens)
  const everyNTurns = toLimit('--every-n-turns', numbers.everyNTurns)
  const view = await sessions.window(id, { scope })
  const given = [mode, preset, chars, messages, tokens, everyNTurns]
  if (!reset && given.every((value) => value === undefined)) return view
  const settings: WindowSettings = reset ? {} : view.settings
  const changed = {
    mode,
    preset,
    limit: withChanges(settings.limit, { chars, messages, tokens }),
    resize: withChanges(settings.resize, { every_n_turns: everyNTurns }),
  }
  return sessions.setWindow(id, { scope, ...withChanges(settings, changed) })
}

function printWindow(view: WindowView): void {
  const { effective, settings, stopped } = view
  const { mode, memo, everyNTurns, rounds } = effective
  const how = [`mode ${mode}`]
  if (memo !== (mode === 'memo')) how.push(memo ? 'with a memo' : 'without a memo')
  if (everyNTurns > 0) how.push(`every ${everyNTurns} turns`)
  if (rounds) how.push(`${rounds.keep} turns, ${rounds.drop} leave at a time`)
  const own = listKeys(settings)
  printAnswer(`${how.join(', ')}  (set here: ${own.join(', ') || 'nothing'})`)
  const count = `${view.messages} of ${view.logMessages} messages, from number ${view.startSeq}`
  printAnswer(`${count}; turns since the last resize: ${view.turnsSinceResize}`)
  if (stopped !== undefined) printAnswer(`no longer resized by itself: ${stopped}`)
  const limits = [
    toRow('chars', view.chars, effective.maxChars),
    toRow('messages', view.messages, effective.maxMessages),
    toRow('tokens', view.tokens, effective.maxTokens),
  ]
  printAnswer(['\n', formatTable(['', 'now', 'limit', 'full'], limits)])
  if (view.resizes.length > 0) printAnswer(['\n', formatResizes(view.resizes)])
}

const toRow = (name: string, now: number, limit: number) => [
  name,
  String(now),
  limit === 0 ? 'none' : String(limit),
  limit === 0 ? '' : `${Math.round((now / limit) * 100)} %`,
]

function formatResizes(resizes: Resize[]): Shown {
  const rows = resizes.map((resize) => [
    resize.createdAt,
    resize.outcome === 'resized' ? resize.type : `${resize.type}, ${resize.outcome}`,
    resize.reason,
    String(resize.severity),
    describeSizes(resize),
    resize.message ?? '',
  ])
  return formatTable(['when', 'type', 'reason', 'severity', 'before → after', ''], rows)
}

const describeSizes = ({ before, after }: Resize) =>
  `${before.messages} → ${after.messages} messages, ${before.chars} → ${after.chars} chars`

/** `{limit: {chars: 5}}` → `limit.chars 5`; a text or a mapping is only named. */
function listKeys(settings: WindowSettings): string[] {
  return Object.entries(settings).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([name, inner]) => `${key}.${name}${shown(inner)}`)
      : [`${key} ${value}`],
  )
}

const shown = (value: unknown) =>
  typeof value === 'object' || String(value).length > 30 ? '' : ` ${String(value)}`

/** What is undefined stays as it was; a group without any key is none. */
function withChanges<Group extends object>(group: Group | undefined, changes: Group): Group | undefined {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return given.length === 0 ? group : ({ ...group, ...Object.fromEntries(given) } as Group)
}

function toLimit(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text))
    throw invalidRequest(`${flag} is ${quote(text)}; it must be a whole number from 0.`)
  return Number(text)
}
