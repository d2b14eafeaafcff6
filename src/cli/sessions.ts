import type { Sessions } from '../core/chat/session-operations.ts'
import { writeFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import type { Api } from '../core/command-line/command-group.ts'
import {
  readParameters,
  withParameters,
  type ParameterOptions,
} from '../core/command-line/parameter-options.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import { messageText } from '../core/protocol/message-text.ts'
import { unsearchedNote } from '../core/protocol/search.ts'
import {
  bulkFormats,
  exportFormats,
  sessionKinds,
  type ExportFormat,
  type Session,
  type SessionPage,
} from '../core/protocol/session.ts'
import { memoCommand } from './memo.ts'
import { withApi, withSessions } from './open-parley.ts'
import {
  formatTable,
  printAnswer,
  printWhole,
  printJson,
  printProgress,
} from '../core/command-line/output.ts'
import { resizeCommand, windowCommand } from './window.ts'

interface Options {
  scope?: string
  json?: boolean
}

export function sessionsCommand(): Command {
  const sessions = new Command('sessions')
    .description('list, show, search, export and import sessions; manage their windows and memos')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  sessions
    .command('list')
    .description('newest first')
    .addOption(new Option('--kind <kind>').choices(sessionKinds))
    .option('-q, --search <words>', 'words of the title or of a message')
    .option('--archived', 'only the archived ones')
    .option('--limit <number>', 'how many', '50')
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .action((options, command: Command) =>
      withApi(command, (api) => list(api, { ...options, ...command.optsWithGlobals<Options>() })),
    )

  sessions
    .command('show <id>')
    .description('the record and its newest messages')
    .option('--limit <number>', 'how many messages', '20')
    .action((id, options, command: Command) =>
      run(command, (api, shared) => show(api, id, { ...options, ...shared })),
    )

  withParameters(sessions.command('create'))
    .option('--title <title>')
    .option('--instructions <text>', 'its instructions')
    .action(({ title, instructions, ...options }, command: Command) =>
      run(command, async (api, { scope, json }) => {
        const parameters = readParameters(options)
        printSession(await api.create({ scope, title, instructions, parameters }), json)
      }),
    )

  sessions
    .command('rename <id> <title>')
    .action((id, title, _options, command: Command) =>
      run(command, async (api, { scope, json }) =>
        printSession(await api.update(id, { scope, title }), json),
      ),
    )

  sessions
    .command('instructions <id> [text]')
    .description('show its instructions; with a text, replace them from its next turn on')
    .option('--none', 'remove them')
    .action((id, text: string | undefined, options: { none?: true }, command: Command) =>
      run(command, async (api, { scope, json }) => {
        if (text !== undefined && options.none) throw invalidRequest('Either a text or --none.')
        const changed = options.none ? null : text
        const session = await (changed === undefined
          ? api.get(id, { scope })
          : api.update(id, { scope, instructions: changed }))
        if (json) printJson(session)
        else if (session.instructions === undefined) printProgress('no instructions')
        else printAnswer(session.instructions)
      }),
    )

  withParameters(sessions.command('parameters <id>'))
    .description('show what its models are asked with beside the prompt; with flags, change that')
    .option('--none', 'remove them all')
    .action((id, { none, ...options }: ParameterOptions & { none?: true }, command: Command) =>
      run(command, async (api, { scope, json }) => {
        const given = readParameters(options)
        if (given && none) throw invalidRequest('Either parameters or --none.')
        const before = await api.get(id, { scope })
        const session =
          given || none
            ? await api.update(id, { scope, parameters: none ? null : { ...before.parameters, ...given } })
            : before
        if (json) printJson(session)
        else if (session.parameters === undefined) printProgress('no parameters')
        else printAnswer(toLines(session.parameters))
      }),
    )

  sessions
    .command('archive <id>')
    .option('--undo', 'bring it back')
    .action((id, { undo }, command: Command) =>
      run(command, async (api, { scope, json }) =>
        printSession(await api.update(id, { scope, archived: !undo }), json),
      ),
    )

  sessions
    .command('fork <id> <messageId>')
    .description('copy the session up to and including a message')
    .action((id, messageId, _options, command: Command) =>
      run(command, async (api, { scope, json }) =>
        printSession(await api.fork(id, { scope, messageId }), json),
      ),
    )

  sessions
    .command('rm <id>')
    .description('delete it and everything in it')
    .action((id, _options, command: Command) =>
      run(command, async (api, { scope, json }) => {
        await api.delete(id, { scope })
        if (json) printJson({ id, deleted: true })
        else printProgress(`deleted ${id}`)
      }),
    )

  sessions
    .command('export [id...]')
    .description('one session as a document; several, or --all, as one file that import takes back')
    .addOption(
      new Option(
        '--format <format>',
        'of one session json (default), of several jsonl (default) or json',
      ).choices(exportFormats),
    )
    .option('--all', 'every session of the scope, archived ones and variants too')
    .option('-q, --search <words>', 'those with these words in the title or in a message')
    .option('--thread <slug>', 'those of a thread')
    .option('-o, --output <file>', 'write to a file; without it the document is printed to stdout')
    .action((ids: string[], options: ExportOptions, command: Command) =>
      run(command, async (api, { scope, json }) => {
        if (options.all || options.search !== undefined || options.thread !== undefined || ids.length > 1)
          return exportSelection(api, ids, { ...options, scope })
        const [id] = ids
        if (id === undefined) throw invalidRequest('Name a session, or give --all, --search or --thread.')
        const text = await api.export(id, { scope, format: options.format })
        if (options.output === undefined) return void printWhole(text)
        await writeFile(options.output, text)
        if (json) printJson({ id, file: options.output, format: options.format })
        else printProgress(`wrote ${options.output}`)
      }),
    )

  sessions
    .command('import <path...>')
    .description(
      'exports of ChatGPT, Claude, Open WebUI, LibreChat, OpenCode, Codex, Claude Code and ShareGPT, also as ' +
        'archives; exported sessions, AI SDK messages, OpenAI-style logs, folders of threads; - is stdin',
    )
    .option('--roles <file>', 'role-config.json of a folder of threads; without it, the one in the folder')
    .action((paths: string[], { roles }: { roles?: string }, command: Command) =>
      withApi(command, async (api) => {
        const { importAll } = await import('./import-sessions.ts')
        await importAll(api, paths, { ...command.optsWithGlobals<Options>(), roles })
      }),
    )

  return sessions.addCommand(windowCommand()).addCommand(memoCommand()).addCommand(resizeCommand())
}

interface ExportOptions {
  format?: ExportFormat
  all?: true
  search?: string
  thread?: string
  output?: string
}

async function exportSelection(
  api: Sessions,
  ids: string[],
  { scope, format, all, search, thread, output }: ExportOptions & Options,
): Promise<void> {
  if (ids.length > 0 && (all || search !== undefined || thread !== undefined))
    throw invalidRequest('Give either ids, or --all, --search and --thread.')
  const bulk = bulkFormats.find((name) => name === (format ?? 'jsonl'))
  if (bulk === undefined)
    throw invalidRequest(`Several sessions are exported as ${bulkFormats.join(' or ')}, not as ${format}.`)
  const pieces = api.exportAll({
    scope,
    format: bulk,
    ...(ids.length > 0 ? { ids } : { q: search, thread }),
  })
  if (output === undefined) {
    for await (const piece of pieces) printWhole(piece)
    return
  }
  await writeFile(output, pieces)
  printProgress(`wrote ${output}`)
}

function run(command: Command, work: (api: Sessions, options: Options) => Promise<void>): Promise<void> {
  return withSessions(command, (api) => work(api, command.optsWithGlobals<Options>()))
}

interface ListOptions extends Options {
  kind?: Session['kind']
  search?: string
  archived?: boolean
  limit: string
  cursor?: string
}

async function list(
  { sessions, finishIndex }: Api,
  { scope, json, kind, search, archived, limit, cursor }: ListOptions,
): Promise<void> {
  const page = await sessions.list({
    scope,
    kind,
    q: search,
    archived: archived ? 'true' : undefined,
    limit: toCount(limit),
    cursor,
  })
  if (json) printJson(page)
  else printPage(page)
  const note = unsearchedNote(page)
  if (note === undefined) return
  printProgress(note)
  await finishIndex?.()
}

function printPage({ items, nextCursor }: SessionPage): void {
  if (items.length === 0) return printProgress('no sessions')
  const rows = items.map((session) => [
    session.id,
    session.title || '(untitled)',
    session.bgStatus ? `${session.kind}: ${session.bgStatus}` : session.kind,
    String(session.messageCount),
    session.updatedAt,
  ])
  printAnswer(formatTable(['id', 'title', 'kind', 'messages', 'updated'], rows))
  if (nextCursor) printProgress(`more: --cursor ${nextCursor}`)
}

async function show(
  api: Sessions,
  id: string,
  { scope, json, limit }: Options & { limit: string },
): Promise<void> {
  const session = await api.get(id, { scope })
  const { items } = await api.messages(id, { scope, limit: toCount(limit) })
  if (json) return printJson({ ...session, messages: items })
  printSession(session, false)
  for (const message of items)
    printAnswer(`\n[${message.seq}] ${message.role} ${message.createdAt}\n${messageText(message)}`)
}

function printSession(session: Session, asJson: boolean | undefined): void {
  if (asJson) return printJson(session)
  printAnswer(
    `${session.id}  ${session.title || '(untitled)'}  ${session.kind}, ${session.messageCount} messages`,
  )
}

function toCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw invalidRequest(`--limit is ${JSON.stringify(text)}; it must be a whole number from 1.`)
  return count
}

const toLines = (parameters: object): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${value === null ? 'default' : JSON.stringify(value)}`)
    .join('\n')
