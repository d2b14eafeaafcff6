import type { Sessions } from '../core/chat/session-operations.ts'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import type { TaskResult } from '../core/protocol/background.ts'
import { invalidRequest } from '../core/protocol/error.ts'
import type { RunEvent } from '../core/protocol/chunk.ts'
import { bgStatuses, type BgStatus, type Session, type TaskProgress } from '../core/protocol/session.ts'
import type { ObservedEvents } from '../core/protocol/sessions.ts'
import { readPairs } from '../core/command-line/key-values.ts'
import type { Api } from '../core/command-line/command-group.ts'
import { withApi, withSessions } from './open-parley.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../core/command-line/output.ts'
import { printTurn } from './print-turn.ts'
import { readStdin } from '../core/command-line/read-text.ts'

interface Options {
  scope?: string
  json?: boolean
  url?: string
  wait?: boolean
}

export function tasksCommand(): Command {
  const tasks = new Command('tasks')
    .description('start, list, show and cancel background sessions, and read their results')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  tasks
    .command('list')
    .description('newest first')
    .addOption(new Option('--status <status>').choices(bgStatuses))
    .option('--parent <session>', 'only the tasks of this session')
    .option('--limit <number>', 'how many', '50')
    .option('--cursor <cursor>', 'continue where an earlier list ended')
    .action((_options, command: Command) => withTasks(command, list))

  tasks
    .command('show <id>')
    .description('its state, and the task it was given')
    .action((id: string, _options, command: Command) =>
      withTasks(command, (api, options) => show(api, id, options)),
    )

  tasks
    .command('result <id>')
    .description('its result; the exit code shows how it ended')
    .option('--wait', 'wait until it is finished')
    .action((id: string, _options, command: Command) =>
      withTasks(command, async (api, options) => {
        if (options.wait) await untilOver(api, id, options)
        printResult(await api.result(id, { scope: options.scope }), options)
      }),
    )

  tasks
    .command('watch <id>')
    .description('its output, from the beginning and live until it is finished; then its result')
    .action((id: string, _options, command: Command) =>
      withTasks(command, (api, options) => watch(api, id, options)),
    )

  tasks
    .command('cancel <id>')
    .description('stop it and everything it started')
    .action((id: string, _options, command: Command) =>
      withTasks(command, async (api, { scope, json }) => {
        const { stopped, tasks: below } = await api.stop(id, { scope })
        if (json) return printJson({ id, cancelled: stopped !== null, tasks: below })
        printProgress(stopped ? `cancelled ${id}` : `${id} was over already`)
        for (const { taskId, label } of below)
          printProgress(`cancelled ${taskId}${label === undefined ? '' : ` (${label})`} below it`)
      }),
    )

  tasks
    .command('run <prompt>')
    .description('start one and print its id, or with --wait its result. "-" reads the prompt from stdin')
    .option('--wait', 'wait for the result; without a server the task runs in this process')
    .option('-m, --model <adapter/model>', 'the model to use')
    .option('--label <text>', 'its name in lists')
    .option('--context <json>', 'an object with context for the task')
    .option('--schema <file>', 'JSON Schema that the result has to match')
    .option('--expect <text>', 'what the result should look like')
    .option('--timeout <seconds>', 'how long it may take')
    .option(
      '--budget <key=value...>',
      'tokens, cost, tasks, depth or seconds, for it and everything it starts',
    )
    .option('--tool-groups <key=value...>', 'tool groups to switch on or off, such as web=false')
    .option(
      '--memory-policy <key=value...>',
      'what it skips when it finishes, such as skipDocumentExtract=true',
    )
    .option('--skip-memory', 'leave memories out of its prompt')
    .option(
      '--parent <session>',
      'the session that the task belongs to: it has its rights, and reports to it',
    )
    .option('--announce <session>', 'the session that gets the result, instead of the parent')
    .option('--wake', 'start a turn there when it is idle')
    .option('--detached', 'continue when the parent is stopped or deleted')
    .action((prompt: string, _options, command: Command) =>
      withApi(command, (api) => start(api, prompt, command.optsWithGlobals<RunOptions>())),
    )

  return tasks
}

function withTasks<Given extends Options>(
  command: Command,
  work: (api: Sessions, options: Given) => Promise<void>,
): Promise<void> {
  return withSessions(command, (api) => work(api, command.optsWithGlobals<Given>()))
}

interface ListOptions extends Options {
  status?: BgStatus
  parent?: string
  limit: string
  cursor?: string
}

async function list(
  api: Sessions,
  { scope, json, status, parent, limit, cursor }: ListOptions,
): Promise<void> {
  const page = await api.list({
    scope,
    kind: 'background',
    bgStatus: status,
    parent,
    limit: toNumber('--limit', limit),
    cursor,
  })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no tasks')
  const rows = page.items.map((session) => [
    session.id,
    session.title || '(untitled)',
    session.bgStatus ?? '',
    session.bgDegraded ? `${session.bgResultSource}, degraded` : (session.bgResultSource ?? ''),
    session.updatedAt,
  ])
  printAnswer(formatTable(['id', 'title', 'status', 'result', 'updated'], rows))
  if (page.nextCursor) printProgress(`more: --cursor ${page.nextCursor}`)
}

async function show(api: Sessions, id: string, { scope, json }: Options): Promise<void> {
  const session = await requireTask(api, id, scope)
  if (json) return printJson(session)
  const { bgMeta, bgStatus, bgResult, parentId, progress } = session
  const facts: [string, string | undefined][] = [
    ['title', session.title],
    ['status', bgStatus],
    ['started by', bgMeta?.triggerType],
    ['parent', parentId],
    ['model', bgMeta?.model],
    ['messages', String(session.messageCount)],
    ['started', session.startedAt],
    ['finished', session.finishedAt],
    ['since', session.startedAt === undefined ? progress?.since : undefined],
    ['steps', progress && String(progress.steps)],
    ['tokens', progress && `${progress.inputTokens} in, ${progress.outputTokens} out`],
    ['last words', progress?.lastWords],
    ['waits for', progress?.waitsFor?.map(describeAsk).join('; ')],
    ['created', session.createdAt],
    ['updated', session.updatedAt],
    ['result', bgResult],
  ]
  printAnswer(facts.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join('\n'))
}

interface RunOptions extends Options {
  model?: string
  label?: string
  context?: string
  schema?: string
  expect?: string
  timeout?: string
  budget?: string[]
  toolGroups?: string[]
  memoryPolicy?: string[]
  skipMemory?: boolean
  parent?: string
  announce?: string
  wake?: boolean
  detached?: boolean
}

async function start({ sessions: api, adopt }: Api, argument: string, options: RunOptions): Promise<void> {
  const { scope, json, wait, model, label, context, schema, timeout, url } = options
  const prompt = argument === '-' ? (await readStdin()).trim() : argument
  const session = await api.create({
    kind: 'background',
    scope,
    prompt,
    model,
    label,
    context: context === undefined ? undefined : toObject('--context', context),
    outputSchema: schema === undefined ? undefined : toObject('--schema', await readSchema(schema)),
    expectedOutput: options.expect,
    timeoutMs: timeout === undefined ? undefined : toNumber('--timeout', timeout) * 1_000,
    budget: readPairs('--budget', options.budget),
    toolGroups: readPairs('--tool-groups', options.toolGroups),
    memoryPolicy: readPairs('--memory-policy', options.memoryPolicy),
    skipMemory: options.skipMemory,
    parentSessionId: options.parent,
    announceTarget: options.announce,
    wake: options.wake,
    detached: options.detached,
  })
  if (!wait) {
    if (json) printJson(session)
    else printAnswer(session.id)
    if (url === undefined) printProgress('it begins as soon as a server works on this store (parley serve)')
    return
  }
  // nobody else may be there to do it
  adopt?.(session.id)
  const stop = () => void api.stop(session.id, { scope })
  process.once('SIGINT', stop)
  printProgress(`task ${session.id}; Ctrl-C cancels it`)
  await untilOver(api, session.id, options)
  process.off('SIGINT', stop)
  printResult(await api.result(session.id, { scope }), options)
}

const describeAsk = ({ approvalId, toolName, action }: NonNullable<TaskProgress['waitsFor']>[number]) =>
  `approval ${approvalId} of ${toolName} ${action}`

/** Follows the current run; a task that continues later is watched again. */
async function watch(api: Sessions, id: string, options: Options): Promise<void> {
  const { scope } = options
  await requireTask(api, id, scope)
  const chunks = chunksOf(api.observe(id, { scope }))
  // one event a line
  if (options.json) for await (const event of chunks) printJson(event, 0)
  else
    await printTurn(chunks, async (approvalId) =>
      printProgress(`it waits for a person: ${approvalId}; parley approvals shows it`),
    )
  await untilOver(api, id, options)
  const result = await api.result(id, { scope })
  if (options.json) process.exitCode = exitCodes[result.status]
  else printResult(result, options)
}

async function* chunksOf(observed: AsyncIterable<ObservedEvents>): AsyncGenerator<RunEvent> {
  for await (const { events } of observed) yield* events
}

const lookMs = 300

/** Polls, since a task may outlive any connection; reports changes of its state. */
async function untilOver(api: Sessions, id: string, { scope }: Options): Promise<void> {
  for (let known: string | undefined; ;) {
    const { bgStatus } = await requireTask(api, id, scope)
    if (bgStatus !== known) printProgress(`${id} ${bgStatus}`)
    known = bgStatus
    if (bgStatus !== 'pending' && bgStatus !== 'running') return
    await sleep(lookMs)
  }
}

async function requireTask(api: Sessions, id: string, scope: string | undefined): Promise<Session> {
  const session = await api.get(id, { scope })
  if (session.kind !== 'background')
    throw invalidRequest(`The session ${id} is no background session; parley sessions shows it.`)
  return session
}

/** The result on stdout; how sure one can be of it, and what went wrong, on stderr. */
function printResult(result: TaskResult, { json }: Options): void {
  if (json) printJson(result)
  else {
    if (result.output !== '') printAnswer(result.output)
    if (result.structuredData !== undefined) printProgress(`data: ${JSON.stringify(result.structuredData)}`)
    if (result.error !== undefined) printProgress(`parley: ${result.error}`)
    if (result.degraded) printProgress(`the result is degraded: ${result.status}, ${result.source}`)
  }
  process.exitCode = exitCodes[result.status]
}

const exitCodes = {
  success: 0,
  partial: 0,
  refused: 1,
  failed: 1,
  interrupted: 1,
  timeout: 7,
  cancelled: 130,
} as const

const readSchema = (file: string) =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw invalidRequest(`Cannot read ${file}: ${error.message}`)
  })

function toObject(flag: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // falls through: what is not JSON is as wrong as what is no object
  }
  throw invalidRequest(`${flag} must be a JSON object.`)
}

function toNumber(flag: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw invalidRequest(`${flag} is ${JSON.stringify(text)}; it must be a whole number from 1.`)
  return number
}
