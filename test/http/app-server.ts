import { createRestorers } from '../../src/extensions/documents/undo-changes.ts'
import { createSession } from '../../src/core/sessions/create.ts'
import { joinLifecycles } from '../../src/core/sessions/lifecycle.ts'
import { checkRoomPatch, createRoomOrSession } from '../../src/extensions/room/create-room.ts'
import { forkRoom, rewindRoom } from '../../src/extensions/room/rewind-room.ts'
import { createPlanAdvance } from '../../src/extensions/plan/advance-run.ts'
import { createRoomAdvance } from '../../src/extensions/room/advance-room.ts'
import { createAdvance } from '../../src/extensions/workflow/advance-run.ts'
import { operations as allOperations, type OperationServices } from '../../src/operations.ts'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { expect } from 'vitest'
import { createWindows } from '../../src/core/sessions/window/windows.ts'
import { createBackgroundManager, type BackgroundManager } from '../../src/core/tasks/background-manager.ts'
import { defaultBackgroundLimits, type BackgroundLimits } from '../../src/core/tasks/task-limits.ts'
import { createTaskControl } from '../../src/core/tasks/task-control.ts'
import { openCatalogue } from '../../src/core/catalogue/open-catalogue.ts'
import { createSlotWaits } from '../../src/core/runs/wait-for-slot.ts'
import { createChatRuns } from '../../src/core/chat/chat-runs.ts'
import { createSessionTypes } from '../../src/core/chat/session-types.ts'
import { planChat, planNode, planRun, planSource } from '../../src/extensions/plan/session-types.ts'
import { refuseOutside } from '../../src/extensions/room/admit-input.ts'
import { roomType, seatSource, seatType } from '../../src/extensions/room/session-types.ts'
import {
  workflowManagement,
  workflowRun,
  workflowSource,
  workflowStep,
} from '../../src/extensions/workflow/session-types.ts'
import { createChats } from '../../src/core/chat/chats.ts'
import { defaultChatLimits } from '../../src/core/chat/turn-limits.ts'
import { agentFiles } from '../../src/extensions/agents/agent-files.ts'
import { createScopeContext } from '../../src/core/chat/scope-context.ts'
import { createTurns } from '../../src/core/chat/turn-run-kind.ts'
import { createRunEngine } from '../../src/core/runs/run-engine.ts'
import { defaultDocumentLimits } from '../../src/extensions/documents/document-caller.ts'
import { createKnowledgeReader } from '../../src/extensions/knowledge/knowledge-reader.ts'
import { toTripleSet } from '../../src/extensions/knowledge/triples.ts'
import type { ModelAdapter } from '../../src/core/models/adapter.ts'
import { createKnownModels } from '../../src/core/models/known-models.ts'
import { createModelLists } from '../../src/core/models/model-lists.ts'
import { createModelRegistry } from '../../src/core/models/registry.ts'
import type { ServerContributions } from '../../src/core/http/contributions.ts'
import { errorBodySchema } from '../../src/core/http/error-body.ts'
import { builtInRoutes } from './built-in-routes.ts'
import type { RegisterMcp } from '../../src/extensions/mcp/server/handler.ts'
import { sealGames } from '../../src/extensions/room/seal-games.ts'
import {
  createApp,
  createMetrics,
  serve,
  type AppSettings,
  type ServerLimits,
} from '../../src/server/index.ts'
import type { Clock } from '../../src/core/shared/clock.ts'
import { readScopeSettings } from '../../src/core/sessions/scope-settings.ts'
import { createWorkspaceReader } from '../../src/core/sessions/session-workspaces.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import type { Prices } from '../../src/core/runs/budget.ts'
import { createEventFeed, type EventFeed } from '../../src/core/runs/event-feed.ts'
import { costIn } from '../../src/core/runs/cost.ts'
import { errorCodes, ParleyError } from '../../src/core/protocol/error.ts'
import { toTimestamp } from '../../src/core/protocol/names.ts'
import { parameterNames } from '../../src/core/protocol/parameters.ts'
import { defaultRoomLimits, type RoomDeps } from '../../src/extensions/room/room-service.ts'
import { builtInModes as modes } from '../../src/extensions/room/modes/registry.ts'
import { readAgents, type AgentDeps } from '../../src/extensions/agents/agents.ts'
import { defaultPlanLimits, type PlanDeps } from '../../src/extensions/plan/plan-service.ts'
import { settleFire } from '../../src/extensions/schedule/settle-fire.ts'
import { readProgress } from '../../src/core/sessions/task-progress.ts'
import { createSetResult } from '../../src/core/tools/set-result-tool.ts'
import { createTaskTools } from '../../src/core/tools/task-tools.ts'
import type { NodeRecord } from '../../src/extensions/plan/store/plans.ts'
import type { Store } from '../../src/core/store/store.ts'
import { defaultWorkflowLimits, type WorkflowDeps } from '../../src/extensions/workflow/workflow-service.ts'
import { createDefinitionReader } from '../../src/extensions/workflow/definition-reader.ts'
import { doLinkedAction } from '../../src/extensions/workflow/linked-actions.ts'
import { createWorkflowFiles } from '../../src/extensions/workflow/workflow-files.ts'
import { createAddressRules } from '../../src/core/net/address-rules.ts'
import { resolveBySystem } from '../../src/core/net/checked-request.ts'
import { defaultWebhookLimits } from '../../src/extensions/webhook/webhook-service.ts'
import { createScripted, says } from '../chat-harness.ts'
import { sqliteDatabase, steppedClock, type TestDatabase } from '../harness.ts'
import { startServer, type ServerProcess, type StartOptions } from '../server-process.ts'
import { createStoredRuns } from '../stored-runs.ts'
import { holdAnswers } from './held-answers.ts'

export interface AppServerOptions extends Partial<AppSettings> {
  limits?: Partial<ServerLimits>
  clock?: Clock
  /** Default: one that says hello. */
  model?: ModelAdapter
  /** A database that outlives this server; default one of its own. */
  database?: TestDatabase
  /** When given, runs that wait are executed too. */
  background?: Partial<BackgroundLimits>
  /** Of models, by id. */
  prices?: Prices
  /** Between two pings of a socket. */
  heartbeatMs?: number
  /** False where what is stored gets damaged: that is answered as it is read. */
  holdsAnswers?: boolean
  /** What the conformance suite calls, on the MCP server as it is. */
  mcpFixtures?: RegisterMcp
  /** Beside those of the built-in extensions. */
  contributions?: Partial<ServerContributions>
}

export interface AppServer extends AsyncDisposable {
  url: string
  port: number
  app: ReturnType<typeof createApp>
  store: Store
  background: BackgroundManager
  events: EventFeed
  /** Over a kept-alive connection. Any header can be set, `host` and `origin` too. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  /** Bytes as they are, on a connection of their own. */
  sendRaw(bytes: string | Uint8Array): Promise<Answer>
  /** Every row of every table as text, but for tables and columns that are named (`usage_days`, `sessions.title`); for SQLite only. */
  dump(options?: { without?: string[] }): string
  /** What the server logged as unexpected. */
  bugs(): string[]
}

export interface SendOptions {
  headers?: Record<string, string | string[]>
  /** An object is sent as JSON, text and bytes as they are. */
  body?: unknown
  /** Without a Content-Length. */
  chunked?: boolean
  /** The loopback address to call from. */
  from?: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Undefined when the text is not JSON. */
  json: Record<string, unknown> | undefined
}

export const defaultLimits: ServerLimits = { bodyBytes: 10 * 1_024 * 1_024, jsonDepth: 64, pageSize: 200 }

/** The real app on a real port over a real SQLite file. */
export async function startApp(options: AppServerOptions = {}): Promise<AppServer> {
  const {
    limits,
    clock = steppedClock(),
    database: given,
    model = Object.assign(
      createScripted(() => says('Hello')),
      { takes: parameterNames },
    ),
    background: bounds,
    prices,
    heartbeatMs,
    holdsAnswers = true,
    mcpFixtures,
    contributions: contributed,
    ...settings
  } = options
  const database = given ?? (await sqliteDatabase())
  const store = await database.open(clock)
  const bugs: string[] = []
  const logger = pino({ level: 'error' }, { write: (line: string) => void bugs.push(line) })
  const ids = createIds(clock)
  const types = createSessionTypes()
  const knownModels = createKnownModels({ registry: { providers: () => [] }, prices })
  const windows = createWindows({
    store,
    logger,
    requireModel: () => model,
    scopeSettings: readScopeSettings,
    presetOf: (session) => types.of(session).window,
    costOf: (id, usage) => costIn(knownModels, id, usage),
  })
  const slots = { ...defaultBackgroundLimits, ...bounds }
  const engine = createRunEngine({
    store,
    logger,
    owner: async () => 'test',
    takesUpRuns: true,
    slots,
    leaseMs: defaultChatLimits.leaseMs,
  })
  const chatRuns = createChatRuns({
    store,
    engine,
    types,
    requireModel: () => model,
    windows,
    ids,
    limits: defaultChatLimits,
  })
  const background = createBackgroundManager({
    store,
    engine,
    chats: chatRuns,
    types,
    clock,
    ids,
    limits: slots,
    requireModel: () => model,
  })
  const knowledgeDeps = { store, background, requireModel: () => model, logger }
  const knowledgeReader = createKnowledgeReader(knowledgeDeps)
  background.onSettled(
    (tx, session, result) => settleFire({ clock }, tx, session, result),
    (tx, session, result) => knowledgeReader.settle(tx, session, result),
  )
  const schedule = {
    store,
    background,
    ...createStoredRuns(store, clock, new Map()),
    clock,
    requireModel: () => model,
    prices: { hasPrices: false },
  }
  const workflowDeps: WorkflowDeps = {
    store,
    background,
    types,
    clock,
    ids,
    limits: defaultWorkflowLimits,
    definitions: createDefinitionReader(),
    requireModel: () => model,
    readMode: async () => 'default',
    doLinkedAction: (tx, place, action) =>
      doLinkedAction(
        tx,
        { clock, documentLimits: defaultDocumentLimits, findDenial: async () => undefined },
        place,
        action,
      ),
  }
  const workflowServices = {
    deps: workflowDeps,
    files: createWorkflowFiles(workflowDeps, { logger }),
  }
  const agentDeps: AgentDeps = {
    readAgentFiles: (root) => context.filesIn(agentFiles, root),
    requireModel: (id) => registry.require(id),
  }
  const roomDeps: RoomDeps = {
    store,
    chats: chatRuns,
    types,
    clock,
    ids,
    limits: defaultRoomLimits,
    modes,
    readAgents: (tx, scope) => readAgents(agentDeps, tx, scope),
    requireModel: agentDeps.requireModel,
    cancelTasksOf: (scope, sessionId) => background.cancelTasksOf(scope, sessionId),
    deleteSession: (tx, scope, sessionId) => background.deleteIn(tx, scope, sessionId),
    runCommands: async () => [],
  }
  const planDeps: PlanDeps = {
    store,
    background,
    types,
    clock,
    ids,
    limits: defaultPlanLimits,
    slots: defaultBackgroundLimits,
    prices: knownModels,
    requireModel: () => model,
    readWorkspaces: createWorkspaceReader(store),
    findDenial: async () => undefined,
    hasTool: () => false,
    callTool: () => Promise.reject(new Error('The test has no tools.')),
    admitCall: () => Promise.reject(new Error('The test has no tools.')),
  }
  const events = createEventFeed(store, (error) => logger.error({ err: error }, 'reading events failed'))
  const tools = [
    createSetResult(),
    ...createTaskTools(createTaskControl(store, background, createSlotWaits(store, slots), readProgress)),
  ]
  const context = createScopeContext(store, { files: [agentFiles] })
  const registry = createModelRegistry({
    openai: {},
    anthropic: {},
    gemini: {},
    ollama: {},
    extra: { scripted: () => model },
    model: model.id,
  })
  const catalogueDeps = await openCatalogue({
    store,
    windows,
    registry,
    lists: createModelLists({ clock }),
    knownModels,
    findDefaultModel: () => undefined,
    tools,
    context,
    extensions: [],
    dataDir: database.environment.PARLEY_DATA_DIR,
    logger,
  })
  types.register(
    roomType,
    seatType,
    planChat(planDeps),
    planNode,
    planRun,
    workflowManagement,
    workflowStep,
    workflowRun,
  )
  types.onInput(refuseOutside)
  const turns = createTurns({
    store,
    kinds: engine,
    types,
    sources: [workflowSource(store), seatSource, planSource(planDeps)],
    windows,
    hooks: [background.hooks],
    prices: knownModels,
    requireModel: () => model,
    tools,
    clock,
    ids,
    logger,
    limits: defaultChatLimits,
  })
  engine.register('turn', turns.runKind)
  engine.register('background', { ...turns.runKind, ...background.runKind, takesInput: () => false })
  engine.register('agent', { ...turns.runKind, isLocal: true })
  engine.register('workflow', { ...createAdvance(workflowDeps), ownsSession: true })
  engine.register('plan', { ...createPlanAdvance(planDeps), ownsSession: true })
  engine.register('room', createRoomAdvance(roomDeps))
  const chats = createChats({ engine, runs: chatRuns, prompts: turns.prompts, windows })
  const services: OperationServices = {
    sessions: {
      store,
      clock,
      windows,
      chats,
      background,
      lifecycle: joinLifecycles(
        [
          {
            async createSession(tx, caller, input, proceed) {
              if (input.planId !== undefined) await tx.requirePlan(caller.scope, input.planId)
              return proceed(tx, caller, input)
            },
            async checkPatch(tx, caller, _id, { planId }) {
              if (planId) await tx.requirePlan(caller.scope, planId)
            },
            beforeRollback: async (tx, sessionId, seq) => ({
              memories: (await tx.forgetMadeAfter(sessionId, seq)).length,
            }),
          },
          {
            createSession: (tx, caller, input, proceed) =>
              createRoomOrSession(tx, roomDeps, caller, input, proceed),
            checkPatch: (tx, caller, id, patch) => checkRoomPatch(tx, roomDeps, caller, id, patch),
            sessionForked: (tx, original, fork) => forkRoom(tx, roomDeps, original, fork),
            sessionRolledBack: (tx, session) => rewindRoom(tx, roomDeps, session),
          },
        ],
        createSession,
      ),
      restorers: createRestorers(store),
    },
    crons: schedule,
    webhooks: {
      store,
      clock,
      rules: createAddressRules([]),
      resolve: resolveBySystem,
      limits: { ...defaultWebhookLimits, maxPerScope: 100_000 },
    },
    workflows: workflowServices,
    plans: planDeps,
    agents: agentDeps,
    rooms: roomDeps,
    documents: defaultDocumentLimits,
    memories: {},
    knowledge: knowledgeDeps,
    catalogue: catalogueDeps,
    mcp: { readServers: async () => ({ items: [], deferred: false, nextCursor: null }) },
  }
  const shared: Record<string, keyof OperationServices> = {
    runs: 'sessions',
    usage: 'sessions',
    threads: 'sessions',
    eventHooks: 'crons',
    models: 'catalogue',
    providers: 'catalogue',
    settings: 'catalogue',
  }
  const operations = Object.entries(allOperations).map(([name, tree]) => ({
    name,
    operations: tree,
    deps: services[shared[name] ?? (name as keyof OperationServices)],
  }))
  const routeServices = {
    store,
    chats,
    windows,
    background,
    ids,
    rooms: roomDeps,
    agents: agentDeps,
    catalogue: catalogueDeps,
    embedding: {
      registry: createModelRegistry({
        openai: {},
        anthropic: {},
        gemini: {},
        ollama: {},
        providers: { local: { baseUrl: 'http://127.0.0.1:9/v1' } },
      }),
      configured: 'local/valid',
      fetch: async () => Response.json({ data: [{ embedding: [1] }] }),
    },
  }
  const app = createApp(
    {
      operations,
      services,
      store,
      chats,
      windows,
      events,
      configured: { mode: catalogueDeps.permissionMode, groups: catalogueDeps.toolGroups },
      contributions: {
        routes: [...builtInRoutes(routeServices, mcpFixtures), ...(contributed?.routes ?? [])],
        seals: [sealGames(roomDeps), ...(contributed?.seals ?? [])],
        metrics: contributed?.metrics ?? [],
        pages: contributed?.pages ?? [],
      },
      ids,
      clock,
      logger,
      metrics: createMetrics(),
      version: '0.0.0',
      limits: { ...defaultLimits, ...limits },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [], ...settings },
  )
  if (bounds) engine.start()
  const server = await serve(holdsAnswers ? holdAnswers(app) : app, {
    host: '127.0.0.1',
    port: 0,
    heartbeatMs,
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const reader = openReader(database)
  const dump = createDump(reader)
  return {
    url: server.url,
    port: server.port,
    app,
    store,
    background,
    events,
    send: (method, path, sent) => send(server.port, agent, method, path, sent),
    sendRaw: (bytes) => sendRaw(server.port, bytes),
    dump,
    bugs: () => bugs,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await Promise.all([server.stop(1_000), chats.close(1_000)])
      await knowledgeReader.stop()
      await context.stop()
      reader?.close()
      await store.close()
      if (!given) await database[Symbol.asyncDispose]()
    },
  }
}

function openReader({ environment }: TestDatabase): DatabaseSync | undefined {
  const folder = environment.PARLEY_DATA_DIR
  return folder === undefined ? undefined : new DatabaseSync(join(folder, 'parley.db'), { readOnly: true })
}

/** Reads the tables again only after somebody has committed something: then SQLite has another number for this reader. */
function createDump(reader: DatabaseSync | undefined): AppServer['dump'] {
  const dumps = new Map<string, { version: unknown; text: string }>()
  return ({ without = [] } = {}) => {
    if (!reader) throw new Error('Only a SQLite file can be dumped.')
    const version = reader.prepare('pragma data_version').get()!.data_version
    const known = dumps.get(without.join())
    if (known?.version === version) return known!.text
    const text = dumpTables(reader, without)
    dumps.set(without.join(), { version, text })
    return text
  }
}

function dumpTables(reader: DatabaseSync, without: string[]): string {
  const tables = reader.prepare(`select name from sqlite_master where type = 'table' order by name`).all()
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !without.includes(name))
    .map((name) => dumpTable(reader, name, without))
    .join('\n')
}

function dumpTable(reader: DatabaseSync, name: string, without: string[]): string {
  const select = reader.prepare(`select * from "${name}"`)
  select.setReadBigInts(true) // the search index keeps numbers that no other type holds
  const toText = (key: string, value: unknown) =>
    without.includes(`${name}.${key}`) ? undefined : typeof value === 'bigint' ? `${value}n` : value
  return [name, ...select.all().map((row) => JSON.stringify(row, toText))].join('\n')
}

function send(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  options: SendOptions = {},
): Promise<Answer> {
  const { body, chunked = false } = options
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = body === undefined ? undefined : isRaw ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
  const headers: Record<string, string | string[]> = {
    ...(bytes !== undefined && !isRaw && { 'content-type': 'application/json' }),
    ...(bytes !== undefined && !chunked && { 'content-length': String(bytes.length) }),
    ...(chunked && { 'transfer-encoding': 'chunked' }),
    ...options.headers,
  }
  const target = { host: '127.0.0.1', port, agent, method, path, localAddress: options.from }
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...target, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve(toAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString())),
      )
    })
    // after an early answer to a body that is too large the rest of it may meet a closed socket
    request.on('error', reject)
    if (bytes !== undefined && chunked) for (const piece of toPieces(bytes)) request.write(piece)
    request.end(chunked ? undefined : bytes)
  })
}

function* toPieces(bytes: Buffer, size = 65_536): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

// a server that closes the connection ends the wait at once; this is for one that keeps it open
const silenceMs = 60_000

function sendRaw(port: number, bytes: string | Uint8Array): Promise<Answer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const finish = () => {
      socket.destroy()
      resolve(parseAnswer(Buffer.concat(chunks)))
    }
    socket.setTimeout(silenceMs, finish)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', finish)
    socket.on('error', () => {}) // a reset after the answer; `close` follows
    socket.write(bytes)
  })
}

/** The first answer of what a connection sent; status 0 when it sent none. */
function parseAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes
    .subarray(0, end === -1 ? bytes.length : end)
    .toString('latin1')
    .split('\r\n')
  const headers: IncomingHttpHeaders = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const rest = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4)
  const length = headers['content-length']
  const body =
    headers['transfer-encoding'] === 'chunked'
      ? joinChunks(rest)
      : rest.subarray(0, length === undefined ? undefined : Number(length))
  return toAnswer(Number(statusLine.split(' ')[1] ?? 0), headers, body.toString())
}

function joinChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16)
    if (!(size > 0)) break
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(chunks)
}

function toAnswer(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  let json: Answer['json']
  try {
    json = JSON.parse(text) as Answer['json']
  } catch {
    json = undefined // whoever expects JSON finds it missing
  }
  return { status, headers, text, json }
}

/** `parley serve` in a process of its own, which ends with the block that asked for it. */
export async function startProcess(options: StartOptions): Promise<ServerProcess & AsyncDisposable> {
  const server = await startServer(options)
  return { ...server, [Symbol.asyncDispose]: async () => void (await server.kill('SIGKILL')) }
}

/** The values of a template, which stand two blanks or a line apart and mean what they say, backslashes too. */
export const listed = (strings: TemplateStringsArray): string[] =>
  String.raw(strings)
    .trim()
    .split(/\s{2,}/)

/** The lines of a request as bytes; ends the connection after the answer unless `lines` say otherwise. */
export const rawRequest = (...lines: string[]) => `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`

export interface Refusal {
  code: string
  message: string
  requestId: string
  details?: unknown
}

// a person reads it, and a log keeps it: hostile input must not make it long
const longestMessage = 2_000
const longestDetails = 20_000

/** Checks that the answer is a refusal as every route gives it, and hands it back. `hint` names the case. */
export function expectRefusal(answer: Answer, hint: string, statuses?: number | number[]): Refusal {
  const { status, headers, text, json } = answer
  const shown = `${hint} → ${status} ${text.slice(0, 300)}`
  if (statuses === undefined) expect(status >= 400 && status < 500, shown).toBe(true)
  else expect([statuses].flat(), shown).toContain(status)
  expect(headers['content-type'] ?? '', shown).toMatch(/^application\/json/)
  // under /v1 errors have the shape that OpenAI gives them, and under /v1/messages that of Anthropic
  const isOfAnthropic = json?.type === 'error'
  expect(Object.keys(json ?? {}), shown).toEqual(isOfAnthropic ? ['type', 'error'] : ['error'])
  const error = json!.error as Refusal
  const fields = isOfAnthropic
    ? ['type', 'message']
    : 'type' in error
      ? ['message', 'type', 'param', 'code']
      : ['code', 'message', 'requestId']
  expect(
    Object.keys(error).filter((key) => key !== 'details'),
    shown,
  ).toEqual(fields)
  // which have no codes
  if (isOfAnthropic) error.code = errorCodes.find((code) => new ParleyError(code, '').status === status) ?? ''
  expect(error.code, shown).toMatch(/^[a-z_]+$/)
  if (!('type' in error)) expect(error.requestId, shown).toBe(headers['x-request-id'])
  expect(error.message.length, shown).toBeGreaterThan(10)
  expect(error.message.length, `the message of ${hint} is too long`).toBeLessThan(longestMessage)
  const details = JSON.stringify(error.details ?? {})
  expect(details.length, `the details of ${hint} are too long`).toBeLessThan(longestDetails)
  if (!('type' in error)) expect(errorBodySchema.safeParse(json).error, shown).toBeUndefined()
  return error
}

/** Runs every case and fails with all that failed, so that the first does not hide the others. */
export async function checkEach<Case>(
  cases: Iterable<Case>,
  check: (one: Case) => Promise<void>,
): Promise<void> {
  const failures: string[] = []
  for (const one of cases)
    try {
      await check(one)
    } catch (error) {
      failures.push((error as Error).message)
    }
  const shown = failures.slice(0, 20).map((failure) => failure.slice(0, 500))
  if (failures.length > 0) expect.fail(`${failures.length} cases failed\n${shown.join('\n')}`)
}

export interface RouterEntry {
  method: string
  /** As the router writes it: `/api/sessions/:id`. */
  path: string
}

/** Every route of the router's own table, once; middleware is not among them. */
export function routesOf({ app }: Pick<AppServer, 'app'>): RouterEntry[] {
  const routes = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, path }))
  return [...new Map(routes.map((route) => [`${route.method} ${route.path}`, route])).values()]
}

export interface Known {
  id: string
  messageId: string
  scope: string
}

/** These find their thing as they left it: asked again they are refused. */
export const onlyOnce = [
  'POST /api/memories',
  'POST /api/workflows',
  'POST /api/workflow-runs/:id/resume',
  'POST /api/approvals/:id',
  'POST /api/tool-calls/:id',
  'POST /api/sessions/:id/rollback',
  'POST /api/plan-runs/:id/cancel',
  'POST /api/agents',
  'POST /api/threads',
  'DELETE /api/threads/:slug',
  'POST /api/sessions/:id/advance',
  'POST /api/sessions/:id/ask',
  'POST /api/sessions/:id/regenerate',
]

/** A request that each route of the API accepts, by its name in the router's table; a new route needs one too. */
export const validRequests: Record<
  string,
  (known: Known) => { path: string; body?: Record<string, unknown> }
> = {
  'POST /api/sessions': ({ scope }) => ({ path: '/api/sessions', body: { scope, title: 'valid' } }),
  'GET /api/sessions': ({ scope }) => ({ path: `/api/sessions?scope=${scope}` }),
  'GET /api/sessions/:id': ({ id, scope }) => ({ path: `/api/sessions/${id}?scope=${scope}` }),
  'PATCH /api/sessions/:id': ({ id, scope }) => ({
    path: `/api/sessions/${id}`,
    body: { scope, title: 'valid' },
  }),
  'DELETE /api/sessions/:id': ({ id, scope }) => ({ path: `/api/sessions/${id}?scope=${scope}` }),
  'GET /api/sessions/:id/messages': ({ id, scope }) => ({
    path: `/api/sessions/${id}/messages?scope=${scope}`,
  }),
  'POST /api/sessions/:id/messages': ({ id, scope }) => ({
    path: `/api/sessions/${id}/messages`,
    body: { scope, role: 'user', content: 'valid' },
  }),
  'POST /api/sessions/:id/fork': ({ id, messageId, scope }) => ({
    path: `/api/sessions/${id}/fork`,
    body: { scope, messageId },
  }),
  'GET /api/sessions/:id/variants': ({ id, scope }) => ({
    path: `/api/sessions/${id}/variants?scope=${scope}`,
  }),
  'GET /api/sessions/:id/usage': ({ id, scope }) => ({ path: `/api/sessions/${id}/usage?scope=${scope}` }),
  'GET /api/usage': ({ scope }) => ({ path: `/api/usage?scope=${scope}` }),
  'GET /api/audit': ({ scope }) => ({ path: `/api/audit?scope=${scope}` }),
  'GET /api/search': ({ scope }) => ({ path: `/api/search?scope=${scope}&q=valid` }),
  'GET /api/sessions/:id/export': ({ id, scope }) => ({ path: `/api/sessions/${id}/export?scope=${scope}` }),
  'POST /api/sessions/:id/chat': ({ id, scope }) => ({
    path: `/api/sessions/${id}/chat`,
    body: { scope, content: 'valid' },
  }),
  'GET /api/sessions/:id/observe': ({ id, scope }) => ({
    path: `/api/sessions/${id}/observe?scope=${scope}`,
  }),
  'GET /api/sessions/:id/chat/:chatId/stream': ({ id, scope }) => ({
    path: `/api/sessions/${id}/chat/${id}/stream?scope=${scope}`,
  }),
  'GET /api/sessions/:id/result': ({ id, scope }) => ({ path: `/api/sessions/${id}/result?scope=${scope}` }),
  'GET /api/events': ({ scope }) => ({ path: `/api/events?scope=${scope}` }),
  'POST /api/sessions/:id/stop': ({ id, scope }) => ({ path: `/api/sessions/${id}/stop?scope=${scope}` }),
  'GET /api/sessions/:id/tasks': ({ id, scope }) => ({ path: `/api/sessions/${id}/tasks?scope=${scope}` }),
  'GET /api/sessions/:id/prompt': ({ id, scope }) => ({ path: `/api/sessions/${id}/prompt?scope=${scope}` }),
  'GET /api/sessions/:id/inbox': ({ id, scope }) => ({ path: `/api/sessions/${id}/inbox?scope=${scope}` }),
  'GET /api/sessions/:id/queue': ({ id, scope }) => ({ path: `/api/sessions/${id}/queue?scope=${scope}` }),
  'PUT /api/sessions/:id/queue': ({ id, scope }) => ({
    path: `/api/sessions/${id}/queue`,
    body: { scope, runIds: [] },
  }),
  'POST /api/sessions/:id/queue/:runId/steer': ({ id, scope }) => ({
    path: `/api/sessions/${id}/queue/${id}/steer?scope=${scope}`,
  }),
  'PATCH /api/sessions/:id/queue/:runId': ({ id, scope }) => ({
    path: `/api/sessions/${id}/queue/${id}`,
    body: { scope, content: 'valid' },
  }),
  'DELETE /api/sessions/:id/queue/:runId': ({ id, scope }) => ({
    path: `/api/sessions/${id}/queue/${id}?scope=${scope}`,
  }),
  'POST /api/crons': ({ scope }) => ({
    path: '/api/crons',
    body: { scope, schedule: '0 9 * * *', prompt: 'valid' },
  }),
  'GET /api/crons': ({ scope }) => ({ path: `/api/crons?scope=${scope}` }),
  'POST /api/crons/preview': ({ scope }) => ({
    path: '/api/crons/preview',
    body: { scope, schedule: '0 9 * * *', timeZone: 'Europe/Berlin' },
  }),
  'GET /api/crons/:id': ({ id, scope }) => ({ path: `/api/crons/${id}?scope=${scope}` }),
  'PATCH /api/crons/:id': ({ id, scope }) => ({ path: `/api/crons/${id}`, body: { scope, name: 'valid' } }),
  'DELETE /api/crons/:id': ({ id, scope }) => ({ path: `/api/crons/${id}?scope=${scope}` }),
  'POST /api/crons/:id/pause': ({ id, scope }) => ({ path: `/api/crons/${id}/pause?scope=${scope}` }),
  'POST /api/crons/:id/resume': ({ id, scope }) => ({ path: `/api/crons/${id}/resume?scope=${scope}` }),
  'POST /api/crons/:id/trigger': ({ id, scope }) => ({ path: `/api/crons/${id}/trigger?scope=${scope}` }),
  'GET /api/crons/:id/fires': ({ id, scope }) => ({ path: `/api/crons/${id}/fires?scope=${scope}` }),
  'GET /api/sessions/:id/checkpoints': ({ id, scope }) => ({
    path: `/api/sessions/${id}/checkpoints?scope=${scope}`,
  }),
  'POST /api/sessions/:id/rollback': ({ id, scope }) => ({
    path: `/api/sessions/${id}/rollback`,
    body: { scope, checkpointId: 'cp_valid' },
  }),
  'GET /api/tool-calls': ({ scope }) => ({ path: `/api/tool-calls?scope=${scope}` }),
  'GET /api/tool-calls/:id': ({ id, scope }) => ({ path: `/api/tool-calls/${id}?scope=${scope}` }),
  'POST /api/tool-calls/:id': ({ id, scope }) => ({
    path: `/api/tool-calls/${id}`,
    body: { scope, output: { degrees: 31 } },
  }),
  'GET /api/approvals': ({ scope }) => ({ path: `/api/approvals?scope=${scope}` }),
  'GET /api/approvals/:id': ({ id, scope }) => ({ path: `/api/approvals/${id}?scope=${scope}` }),
  'POST /api/approvals/:id': ({ id, scope }) => ({
    path: `/api/approvals/${id}`,
    body: { scope, decision: 'approve' },
  }),
  'GET /api/memories': ({ scope }) => ({ path: `/api/memories?scope=${scope}` }),
  'POST /api/memories': ({ scope }) => ({
    path: '/api/memories',
    // the same text is not taken twice
    body: { scope, layer: 'scope', text: `valid ${crypto.randomUUID()}` },
  }),
  'GET /api/memories/:id': ({ id, scope }) => ({ path: `/api/memories/${id}?scope=${scope}` }),
  'PATCH /api/memories/:id': ({ id, scope }) => ({
    path: `/api/memories/${id}`,
    body: { scope, text: `valid ${crypto.randomUUID()}` },
  }),
  'DELETE /api/memories/:id': ({ id, scope }) => ({ path: `/api/memories/${id}?scope=${scope}` }),
  'POST /api/memories/:id/restore': ({ id, scope }) => ({
    path: `/api/memories/${id}/restore?scope=${scope}`,
  }),
  'GET /api/knowledge': ({ scope }) => ({ path: `/api/knowledge?scope=${scope}` }),
  'POST /api/knowledge/query': ({ scope }) => ({
    path: '/api/knowledge/query',
    body: { scope, query: 'valid' },
  }),
  'POST /api/knowledge/import': ({ scope }) => ({
    path: '/api/knowledge/import',
    body: { scope, source: 'valid', triples: [{ subject: 'a', predicate: 'is', object: 'valid' }] },
  }),
  'POST /api/knowledge/extract': ({ scope }) => ({ path: `/api/knowledge/extract?scope=${scope}` }),
  'GET /api/knowledge/sources': ({ scope }) => ({ path: `/api/knowledge/sources?scope=${scope}` }),
  'DELETE /api/knowledge/sources/:name': ({ id, scope }) => ({
    path: `/api/knowledge/sources/${id}?scope=${scope}`,
  }),
  'GET /api/knowledge/entities': ({ scope }) => ({ path: `/api/knowledge/entities?scope=${scope}` }),
  'POST /api/webhooks': ({ scope }) => ({
    path: '/api/webhooks',
    body: { scope, event: 'bg:session.failed', url: 'https://example.com/valid' },
  }),
  'GET /api/webhooks': ({ scope }) => ({ path: `/api/webhooks?scope=${scope}` }),
  'GET /api/webhooks/:id': ({ id, scope }) => ({ path: `/api/webhooks/${id}?scope=${scope}` }),
  'PATCH /api/webhooks/:id': ({ id, scope }) => ({
    path: `/api/webhooks/${id}`,
    body: { scope, name: 'valid' },
  }),
  'POST /api/webhooks/:id/test': ({ id, scope }) => ({ path: `/api/webhooks/${id}/test?scope=${scope}` }),
  'GET /api/webhooks/:id/deliveries': ({ id, scope }) => ({
    path: `/api/webhooks/${id}/deliveries?scope=${scope}`,
  }),
  'POST /api/webhooks/:id/deliveries/:deliveryId/retry': ({ id, scope }) => ({
    path: `/api/webhooks/${id}/deliveries/${id}/retry?scope=${scope}`,
  }),
  'DELETE /api/webhooks/:id': ({ id, scope }) => ({ path: `/api/webhooks/${id}?scope=${scope}` }),
  'POST /api/event-hooks': ({ scope }) => ({
    path: '/api/event-hooks',
    body: { scope, event: 'bg:session.failed', prompt: 'valid' },
  }),
  'POST /api/documents': ({ scope }) => ({
    path: '/api/documents',
    body: { scope, title: 'valid', content: 'valid' },
  }),
  'GET /api/documents': ({ scope }) => ({ path: `/api/documents?scope=${scope}` }),
  'GET /api/documents/:id': ({ id, scope }) => ({ path: `/api/documents/${id}?scope=${scope}` }),
  'PATCH /api/documents/:id': ({ id, scope }) => ({
    path: `/api/documents/${id}`,
    body: { scope, content: 'valid' },
  }),
  'DELETE /api/documents/:id': ({ id, scope }) => ({ path: `/api/documents/${id}?scope=${scope}` }),
  'GET /api/documents/:id/versions': ({ id, scope }) => ({
    path: `/api/documents/${id}/versions?scope=${scope}`,
  }),
  'GET /api/documents/:id/diff': ({ id, scope }) => ({ path: `/api/documents/${id}/diff?scope=${scope}` }),
  'POST /api/documents/:id/restore': ({ id, scope }) => ({
    path: `/api/documents/${id}/restore`,
    body: { scope, version: 1 },
  }),
  'POST /api/todos': ({ scope }) => ({ path: '/api/todos', body: { scope, title: 'valid' } }),
  'GET /api/todos': ({ scope }) => ({ path: `/api/todos?scope=${scope}` }),
  'GET /api/todos/:id': ({ id, scope }) => ({ path: `/api/todos/${id}?scope=${scope}` }),
  'PATCH /api/todos/:id': ({ id, scope }) => ({
    path: `/api/todos/${id}`,
    body: { scope, title: 'valid' },
  }),
  'DELETE /api/todos/:id': ({ id, scope }) => ({ path: `/api/todos/${id}?scope=${scope}` }),
  'POST /api/todos/:id/items': ({ id, scope }) => ({
    path: `/api/todos/${id}/items`,
    body: { scope, items: [{ title: 'valid' }] },
  }),
  'PATCH /api/todos/:id/items/:itemId': ({ id, scope }) => ({
    path: `/api/todos/${id}/items/${id}`,
    body: { scope, status: 'done' },
  }),
  'DELETE /api/todos/:id/items/:itemId': ({ id, scope }) => ({
    path: `/api/todos/${id}/items/${id}?scope=${scope}`,
  }),
  'GET /api/locks': ({ scope }) => ({ path: `/api/locks?scope=${scope}` }),
  'DELETE /api/locks/:type/:id': ({ id, scope }) => ({
    path: `/api/locks/document/${id}?scope=${scope}`,
  }),
  'GET /api/workflows': ({ scope }) => ({ path: `/api/workflows?scope=${scope}` }),
  'POST /api/workflows': ({ scope }) => ({
    path: '/api/workflows',
    // a name is taken once
    body: { scope, text: workflowText(`valid ${crypto.randomUUID()}`) },
  }),
  'POST /api/workflows/validate': ({ scope }) => ({
    path: '/api/workflows/validate',
    body: { scope, text: workflowText('valid') },
  }),
  'GET /api/workflows/templates': ({ scope }) => ({ path: `/api/workflows/templates?scope=${scope}` }),
  'GET /api/workflows/schema': ({ scope }) => ({ path: `/api/workflows/schema?scope=${scope}` }),
  'POST /api/workflows/management-session': ({ scope }) => ({
    path: `/api/workflows/management-session?scope=${scope}`,
  }),
  'GET /api/workflows/:id': ({ id, scope }) => ({ path: `/api/workflows/${id}?scope=${scope}` }),
  'PUT /api/workflows/:id': ({ id, scope }) => ({
    path: `/api/workflows/${id}`,
    body: { scope, text: workflowText(`a workflow of ${id}`, 'valid again') },
  }),
  'DELETE /api/workflows/:id': ({ id, scope }) => ({ path: `/api/workflows/${id}?scope=${scope}` }),
  'GET /api/workflows/:id/versions': ({ id, scope }) => ({
    path: `/api/workflows/${id}/versions?scope=${scope}`,
  }),
  'GET /api/workflows/:id/versions/:version': ({ id, scope }) => ({
    path: `/api/workflows/${id}/versions/1?scope=${scope}`,
  }),
  'GET /api/workflows/:id/diff': ({ id, scope }) => ({ path: `/api/workflows/${id}/diff?scope=${scope}` }),
  'POST /api/workflows/:id/rollback': ({ id, scope }) => ({
    path: `/api/workflows/${id}/rollback`,
    body: { scope, version: 1 },
  }),
  'POST /api/workflows/:id/management-session': ({ id, scope }) => ({
    path: `/api/workflows/${id}/management-session?scope=${scope}`,
  }),
  'POST /api/workflows/:id/runs': ({ id, scope }) => ({ path: `/api/workflows/${id}/runs?scope=${scope}` }),
  'GET /api/workflow-runs': ({ scope }) => ({ path: `/api/workflow-runs?scope=${scope}` }),
  'POST /api/workflow-runs': ({ scope }) => ({
    path: '/api/workflow-runs',
    body: { scope, text: workflowText('valid') },
  }),
  'GET /api/workflow-runs/:id': ({ id, scope }) => ({ path: `/api/workflow-runs/${id}?scope=${scope}` }),
  'POST /api/workflow-runs/:id/resume': ({ id, scope }) => ({
    path: `/api/workflow-runs/${id}/resume`,
    body: { scope, token: id, approved: true },
  }),
  'POST /api/workflow-runs/:id/cancel': ({ id, scope }) => ({
    path: `/api/workflow-runs/${id}/cancel?scope=${scope}`,
  }),
  'POST /api/workflow-runs/:id/rerun': ({ id, scope }) => ({
    path: `/api/workflow-runs/${id}/rerun?scope=${scope}`,
  }),
  'GET /api/plans': ({ scope }) => ({ path: `/api/plans?scope=${scope}` }),
  'POST /api/plans': ({ scope }) => ({ path: '/api/plans', body: { scope, title: 'valid' } }),
  'GET /api/plans/:id': ({ id, scope }) => ({ path: `/api/plans/${id}?scope=${scope}` }),
  'PATCH /api/plans/:id': ({ id, scope }) => ({ path: `/api/plans/${id}`, body: { scope, title: 'valid' } }),
  'DELETE /api/plans/:id': ({ id, scope }) => ({ path: `/api/plans/${id}?scope=${scope}` }),
  'GET /api/plans/:id/tree': ({ id, scope }) => ({ path: `/api/plans/${id}/tree?scope=${scope}` }),
  'GET /api/plans/:id/outline': ({ id, scope }) => ({ path: `/api/plans/${id}/outline?scope=${scope}` }),
  'GET /api/plans/:id/markdown': ({ id, scope }) => ({ path: `/api/plans/${id}/markdown?scope=${scope}` }),
  'POST /api/plans/:id/import': ({ id, scope }) => ({
    path: `/api/plans/${id}/import`,
    body: { scope, markdown: '- [ ] valid' },
  }),
  'GET /api/plans/:id/results': ({ id, scope }) => ({ path: `/api/plans/${id}/results?scope=${scope}` }),
  'GET /api/plans/:id/versions': ({ id, scope }) => ({ path: `/api/plans/${id}/versions?scope=${scope}` }),
  'POST /api/plans/:id/undo': ({ id, scope }) => ({ path: `/api/plans/${id}/undo?scope=${scope}` }),
  'POST /api/plans/:id/execute': ({ id, scope }) => ({ path: `/api/plans/${id}/execute?scope=${scope}` }),
  'POST /api/plans/:id/decompose': ({ id, scope }) => ({
    path: `/api/plans/${beside(id, 'bare')}/decompose?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes`,
    body: { scope, name: 'valid' },
  }),
  'GET /api/plans/:id/nodes/:nodeId': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1?scope=${scope}`,
  }),
  'PATCH /api/plans/:id/nodes/:nodeId': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1`,
    body: { scope, name: 'valid' },
  }),
  'DELETE /api/plans/:id/nodes/:nodeId': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/move': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1/move`,
    body: { scope, parentId: 0 },
  }),
  'POST /api/plans/:id/nodes/:nodeId/run': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1/run?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/skip': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1/skip?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/reset': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1/reset?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/accept': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/2/accept?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/stop': ({ id, scope }) => ({
    path: `/api/plans/${beside(id, 'open')}/nodes/1/stop?scope=${scope}`,
  }),
  'POST /api/plans/:id/nodes/:nodeId/message': ({ id, scope }) => ({
    path: `/api/plans/${beside(id, 'open')}/nodes/1/message`,
    body: { scope, content: 'valid' },
  }),
  'POST /api/plans/:id/nodes/:nodeId/done': ({ id, scope }) => ({
    path: `/api/plans/${id}/nodes/1/done`,
    body: { scope, note: 'valid' },
  }),
  'GET /api/plan-runs': ({ scope }) => ({ path: `/api/plan-runs?scope=${scope}` }),
  'GET /api/plan-runs/:id': ({ id, scope }) => ({
    path: `/api/plan-runs/${beside(id, 'over')}?scope=${scope}`,
  }),
  'POST /api/plan-runs/:id/cancel': ({ id, scope }) => ({
    path: `/api/plan-runs/${beside(id, 'open')}/cancel?scope=${scope}`,
  }),
  'POST /api/plan-runs/:id/retry': ({ id, scope }) => ({
    path: `/api/plan-runs/${beside(id, 'over')}/retry?scope=${scope}`,
  }),
  'GET /api/agents': ({ scope }) => ({ path: `/api/agents?scope=${scope}` }),
  'POST /api/agents': ({ scope }) => ({ path: '/api/agents', body: { scope, name: 'valid' } }),
  'GET /api/agents/:name': ({ id, scope }) => ({ path: `/api/agents/${id}?scope=${scope}` }),
  'PATCH /api/agents/:name': ({ id, scope }) => ({
    path: `/api/agents/${id}`,
    body: { scope, persona: 'valid' },
  }),
  'DELETE /api/agents/:name': ({ id, scope }) => ({ path: `/api/agents/${id}?scope=${scope}` }),
  'GET /api/threads': ({ scope }) => ({ path: `/api/threads?scope=${scope}` }),
  'POST /api/threads': ({ scope }) => ({ path: '/api/threads', body: { scope, slug: 'valid' } }),
  'GET /api/threads/:slug': ({ id, scope }) => ({ path: `/api/threads/${id}?scope=${scope}` }),
  'PATCH /api/threads/:slug': ({ id, scope }) => ({
    path: `/api/threads/${id}`,
    body: { scope, title: 'valid' },
  }),
  'DELETE /api/threads/:slug': ({ id, scope }) => ({
    path: `/api/threads/${beside(id, 'over')}?scope=${scope}`,
  }),
  'POST /chat/message': ({ scope }) => ({ path: '/chat/message', body: { scope, message: 'valid' } }),
  'GET /chat/actions/:id': ({ id, scope }) => ({
    path: `/chat/actions/${beside(id, 'over')}?scope=${scope}`,
  }),
  'GET /api/modes': ({ scope }) => ({ path: `/api/modes?scope=${scope}` }),
  'PUT /api/sessions/:id/mode': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'mode')}/mode`,
    body: { scope, mode: 'quiz', modeState: { topic: 'valid' } },
  }),
  'POST /api/sessions/:id/advance': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'open')}/advance?scope=${scope}`,
  }),
  'POST /api/sessions/:id/ask': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'over')}/ask`,
    body: { scope, agent: 'mira' },
  }),
  'POST /api/sessions/:id/regenerate': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'over')}/regenerate`,
    body: { scope, messageId: `msg_${beside(id, 'room')}`.slice(0, 128) },
  }),
  'POST /api/sessions/:id/mute': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'room')}/mute`,
    body: { scope, agent: 'mira' },
  }),
  'POST /api/sessions/:id/unmute': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'room')}/unmute`,
    body: { scope, agent: 'mira' },
  }),
  'GET /api/sessions/:id/room': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'room')}/room?scope=${scope}`,
  }),
  'GET /api/sessions/:id/rounds': ({ id, scope }) => ({
    path: `/api/sessions/${beside(id, 'room')}/rounds?scope=${scope}`,
  }),
  'POST /api/chat': ({ scope }) => ({ path: '/api/chat', body: { scope, message: 'valid @mira' } }),
  'GET /api/event-hooks': ({ scope }) => ({ path: `/api/event-hooks?scope=${scope}` }),
  'GET /api/event-hooks/:id': ({ id, scope }) => ({ path: `/api/event-hooks/${id}?scope=${scope}` }),
  'PATCH /api/event-hooks/:id': ({ id, scope }) => ({
    path: `/api/event-hooks/${id}`,
    body: { scope, name: 'valid' },
  }),
  'DELETE /api/event-hooks/:id': ({ id, scope }) => ({ path: `/api/event-hooks/${id}?scope=${scope}` }),
  'GET /api/models': ({ scope }) => ({ path: `/api/models?scope=${scope}` }),
  'GET /api/providers': ({ scope }) => ({ path: `/api/providers?scope=${scope}` }),
  'POST /api/providers/:name/test': ({ scope }) => ({ path: `/api/providers/ollama/test?scope=${scope}` }),
  'PUT /api/providers/:name': ({ scope }) => ({
    path: `/api/providers/ollama?scope=${scope}`,
    // nobody listens there, and no name has to be looked up to find that out
    body: { baseUrl: 'http://127.0.0.1:9/valid' },
  }),
  'DELETE /api/providers/:name': ({ scope }) => ({ path: `/api/providers/ollama?scope=${scope}` }),
  'GET /api/settings': ({ scope }) => ({ path: `/api/settings?scope=${scope}` }),
  'PATCH /api/settings': ({ scope }) => ({ path: '/api/settings', body: { scope, model: 'demo/valid' } }),
  'GET /api/extensions': ({ scope }) => ({ path: `/api/extensions?scope=${scope}` }),
  'GET /api/tools': ({ scope }) => ({ path: `/api/tools?scope=${scope}` }),
  'GET /api/mcp': ({ scope }) => ({ path: `/api/mcp?scope=${scope}` }),
  'GET /api/rules': ({ scope }) => ({ path: `/api/rules?scope=${scope}` }),
  'GET /api/skills': ({ scope }) => ({ path: `/api/skills?scope=${scope}` }),
  'GET /api/commands': ({ scope }) => ({ path: `/api/commands?scope=${scope}` }),
  'GET /api/files': ({ scope }) => ({ path: `/api/files?scope=${scope}&q=valid` }),
  'GET /api/runs': ({ scope }) => ({ path: `/api/runs?scope=${scope}` }),
  'GET /api/runs/:id': ({ id, scope }) => ({ path: `/api/runs/${id}?scope=${scope}` }),
  'GET /api/runs/:id/prompt/:step': ({ id, scope }) => ({ path: `/api/runs/${id}/prompt/1?scope=${scope}` }),
  'GET /api/runs/:id/prompt': ({ id, scope }) => ({ path: `/api/runs/${id}/prompt?scope=${scope}` }),
  'GET /api/sessions/:id/window': ({ id, scope }) => ({ path: `/api/sessions/${id}/window?scope=${scope}` }),
  'PUT /api/sessions/:id/window': ({ id, scope }) => ({
    path: `/api/sessions/${id}/window`,
    body: { scope, limit: { chars: 1_000 } },
  }),
  'POST /api/sessions/:id/resize': ({ id, scope }) => ({ path: `/api/sessions/${id}/resize?scope=${scope}` }),
  'GET /api/sessions/:id/memo': ({ id, scope }) => ({ path: `/api/sessions/${id}/memo?scope=${scope}` }),
  'PUT /api/sessions/:id/memo': ({ id, scope }) => ({
    path: `/api/sessions/${id}/memo`,
    body: { scope, memo: { facts: ['valid'] } },
  }),
  'GET /api/sessions/:id/memo/versions': ({ id, scope }) => ({
    path: `/api/sessions/${id}/memo/versions?scope=${scope}`,
  }),
  'POST /api/sessions/:id/memo/undo': ({ id, scope }) => ({
    path: `/api/sessions/${id}/memo/undo?scope=${scope}`,
  }),
  'POST /api/sessions/import': ({ scope }) => ({
    path: '/api/sessions/import',
    body: { scope, messages: [{ role: 'user', content: 'valid' }] },
  }),
  'GET /api/exports': ({ scope }) => ({ path: `/api/exports?scope=${scope}` }),
  'POST /api/sessions/import-file': ({ scope }) => ({
    path: `/api/sessions/import-file?scope=${scope}`,
    body: { messages: [{ role: 'user', content: 'valid' }] },
  }),
  'POST /v1/chat/completions': ({ scope }) => ({
    path: `/v1/chat/completions?scope=${scope}`,
    body: { model: 'scripted/test', messages: [{ role: 'user', content: 'valid' }] },
  }),
  'POST /v1/embeddings': ({ scope }) => ({
    path: `/v1/embeddings?scope=${scope}`,
    body: { model: 'default', input: 'valid' },
  }),
  'POST /v1/responses': ({ scope }) => ({
    path: `/v1/responses?scope=${scope}`,
    body: { model: 'scripted/test', input: 'valid' },
  }),
  'GET /v1/responses/:id': ({ id, scope }) => ({ path: `/v1/responses/${id}?scope=${scope}` }),
  'DELETE /v1/responses/:id': ({ id, scope }) => ({ path: `/v1/responses/${id}?scope=${scope}` }),
  'POST /v1/responses/:id/cancel': ({ id, scope }) => ({ path: `/v1/responses/${id}/cancel?scope=${scope}` }),
  'GET /v1/responses/:id/input_items': ({ id, scope }) => ({
    path: `/v1/responses/${id}/input_items?scope=${scope}`,
  }),
  'POST /v1/conversations': ({ scope }) => ({ path: `/v1/conversations?scope=${scope}` }),
  'GET /v1/conversations/:id': ({ id, scope }) => ({ path: `/v1/conversations/${id}?scope=${scope}` }),
  'POST /v1/conversations/:id': ({ id, scope }) => ({
    path: `/v1/conversations/${id}?scope=${scope}`,
    body: { metadata: { title: 'valid' } },
  }),
  'DELETE /v1/conversations/:id': ({ id, scope }) => ({ path: `/v1/conversations/${id}?scope=${scope}` }),
  'GET /v1/conversations/:id/items': ({ id, scope }) => ({
    path: `/v1/conversations/${id}/items?scope=${scope}`,
  }),
  'POST /v1/conversations/:id/items': ({ id, scope }) => ({
    path: `/v1/conversations/${id}/items?scope=${scope}`,
    body: { items: [{ role: 'user', content: 'valid' }] },
  }),
  'GET /v1/conversations/:id/items/:item': ({ id, messageId, scope }) => ({
    path: `/v1/conversations/${id}/items/${messageId}_p0?scope=${scope}`,
  }),
  'POST /v1/messages': ({ scope }) => ({
    path: `/v1/messages?scope=${scope}`,
    body: { model: 'scripted/test', max_tokens: 100, messages: [{ role: 'user', content: 'valid' }] },
  }),
  'POST /v1/messages/count_tokens': ({ scope }) => ({
    path: `/v1/messages/count_tokens?scope=${scope}`,
    body: { model: 'scripted/test', messages: [{ role: 'user', content: 'valid' }] },
  }),
  'GET /v1/models': ({ scope }) => ({ path: `/v1/models?scope=${scope}` }),
  'GET /v1/models/:model': ({ scope }) => ({ path: `/v1/models/scripted%2Ftest?scope=${scope}` }),
  'GET /mcp': ({ scope }) => ({ path: `/mcp?scope=${scope}` }),
  'POST /mcp': ({ scope }) => ({ path: `/mcp?scope=${scope}` }),
  'DELETE /mcp': ({ scope }) => ({ path: `/mcp?scope=${scope}` }),
}

/** A definition of one step. */
export const workflowText = (name: string, prompt = 'a valid secret') =>
  `name: ${name}\nsteps:\n  - type: agent\n    prompt: ${prompt}\n`

/** Beyond keys, hosts and bodies it refuses as MCP says; mcp-server.test.ts has its cases. */
export const speaksMcp = ({ path }: RouterEntry) => path === '/mcp'

/** Whether the route is one that the OpenAPI document describes. */
export const isDescribed = ({ path }: RouterEntry) => /^\/(api|v1|chat)\//.test(path)

/** The valid request of a route, or for routes outside the API just its path. */
export function validRequestOf(route: RouterEntry, known: Known) {
  const { method, path } = route
  const build = validRequests[`${method} ${path}`]
  if (!build && isDescribed(route)) throw new Error(`validRequests has no entry for ${method} ${path}.`)
  return build?.(known) ?? { path: path.replace('*', 'index.js') }
}

/** A session, with a message for each text; answers the ids. */
export async function addSession(server: AppServer, scope = 'default', ...texts: string[]) {
  return addSessionWith({}, server, scope, ...texts)
}

/** The same for a server that asks for a key. */
export async function addSessionWith(
  headers: Record<string, string>,
  server: AppServer,
  scope = 'default',
  ...texts: string[]
): Promise<{ id: string; messageIds: string[] }> {
  const session = { scope, title: `a session of ${scope}` }
  const created = await server.send('POST', '/api/sessions', { headers, body: session })
  expect(created.status, created.text).toBe(201)
  const id = String(created.json?.id)
  const messageIds: string[] = []
  for (const content of texts) {
    const body = { scope, role: 'user', content }
    const added = await server.send('POST', `/api/sessions/${id}/messages`, { headers, body })
    expect(added.status, added.text).toBe(201)
    messageIds.push(String(added.json?.id))
  }
  // of the same id, so that every route that takes one finds something
  await addPausedRun(server.store, id, scope)
  await addAwaitedCall(server.store, id, scope)
  const rule = { id, scope, name: `a rule of ${scope}`, prompt: 'a secret', task: {} }
  await server.store.createApproval({
    id,
    scope,
    sessionId: id,
    runId: id,
    toolCallId: 'call-1',
    toolName: 'file',
    action: 'write',
    kind: 'file_change',
    input: {},
    resources: [],
    outside: [],
    reason: 'It changes something.',
    fallback: 'deny',
    timeoutMs: 3_600_000,
  })
  await server.store.addCheckpoints(id, [
    {
      id: 'cp_valid',
      messageSeq: texts.length,
      userMessage: 'valid',
      completed: true,
      fileChanges: [],
      createdAt: '2026-01-01T00:00:00.000Z',
    },
  ])
  await server.store.createCron({
    ...rule,
    schedule: '0 9 * * *',
    timeZone: 'UTC',
    missed: 'once',
    maxMissed: 10,
    overlap: 'skip',
    maxFailures: 5,
    nextFireAt: Date.UTC(2030, 0, 1),
  })
  await server.store.createEventHook({
    ...rule,
    event: 'bg:session.failed',
    filter: {},
    maxPerHour: 60,
    seenSeq: 0,
  })
  await server.store.createWebhook({
    id,
    scope,
    name: `a webhook of ${scope}`,
    url: 'https://example.com/',
    event: 'bg:session.failed',
    filter: {},
    secret: 'whsec_c2VjcmV0',
    seenSeq: 0,
  })
  const [delivery] = await server.store.addDeliveries(id, [{ id, type: 'webhook-test', body: 'a secret' }])
  await server.store.claimDelivery(delivery!, 0)
  await server.store.settleDelivery(delivery!, { status: 'delivered' })
  await server.store.createWorkflow(
    {
      id,
      scope,
      name: `a workflow of ${id}`,
      text: workflowText(`a workflow of ${id}`),
      facts: { triggers: [], stepCount: 1 },
    },
    { actor: { type: 'user', id: 'test' }, cause: 'create' },
  )
  await addPlan(server.store, id, scope)
  await addPlanRuns(server.store, id, scope)
  await addBusyPlan(server.store, beside(id, 'open'), scope)
  await addRooms(server.store, id, scope)
  const bare = {
    id: beside(id, 'bare'),
    scope,
    title: `a bare plan of ${scope}`,
    description: '',
    metadata: {},
  }
  await server.store.createPlan(bare)
  await server.store.putAgent(scope, id, { persona: 'a secret' })
  await server.store.createThread(scope, { slug: id, title: 'a secret' })
  const over = await server.store.createThread(scope, { slug: beside(id, 'over'), title: 'a secret' })
  await server.store.updateThread(over!, { title: 'a secret', archivedAt: 0, archiveReason: 'a secret' })
  const text = { id, scope, title: `a text of ${scope}`, folder: '' }
  const author = { actor: { type: 'user' as const, id: 'test' } }
  await server.store.createDocument({ ...text, content: 'a valid secret' }, author)
  const source = await server.store.ensureKnowledgeSource({ scope, name: id, kind: 'document' })
  const triple = { subject: `a thing of ${scope}`, predicate: 'has', object: 'a valid secret' }
  await server.store.putTriples(source, toTripleSet(source, [triple]))
  const item = { id, title: 'a secret', description: '', status: 'todo' as const }
  await server.store.putTodoList({ ...text, items: [item] })
  const wording = {
    text: `a memory of ${id}`,
    hash: id,
    author: 'user',
    origin: 'user',
    isEdited: false,
    source: {},
  } as const
  await server.store.createMemory({ id, scope, layer: 'scope', type: 'narrative', ...wording })
  // so that there is something to undo
  await server.store.changeMemory(id, { history: [wording] })
  await server.store.addMemoVersion(id, 0, {
    memo: { facts: [`a fact of ${scope}`] },
    pinned: [],
    throughSeq: 0,
    author: 'user',
    sizeBefore: 0,
    sizeAfter: 0,
  })
  return { id, messageIds }
}

/** A plan of one node, which its first version added. */
export async function addPlan(store: Store, id: string, scope: string): Promise<void> {
  const title = `a plan of ${scope}`
  const plan = await store.createPlan({ id, scope, title, description: '', metadata: {} })
  const node: NodeRecord = {
    id: 1,
    parentId: 0,
    sort: 0,
    name: 'a secret node',
    instruction: '',
    status: 'pending',
    metadata: {},
    dependencies: [],
    createdAt: 0,
    updatedAt: 0,
  }
  await store.putNode(id, node)
  const result = { status: 'success', output: 'a secret result' }
  await store.putNode(id, { ...node, id: 2, sort: 1, status: 'failed', result })
  await store.addPlanChange(id, {
    version: 1,
    action: 'add',
    author: 'user:test',
    changes: [{ after: node }],
    createdAt: 0,
  })
  await store.updatePlan(plan, { version: 1, lastNode: 2 })
}

/** The id of something beside; one that is unknown or too long stays so. */
const beside = (id: string, what: 'open' | 'over' | 'bare' | 'room' | 'mode') =>
  id.length > 120 ? id : `${id}_${what}`

/** Actions that wait for their time, and some that could not be done. */
async function addPlanRuns(store: Store, id: string, scope: string): Promise<void> {
  const { id: sessionId } = await store.createSession({ scope, kind: 'tool', archivedAt: toTimestamp(0) })
  const action = { kind: 'plan_operation', name: 'list_plans', parameters: {}, blocking: true, metadata: {} }
  const step = { number: 1, type: 'action', attempts: 1, details: { title: 'list_plans', action } } as const
  const claim = { owner: 'test', leaseMs: 3_600_000 }
  for (const [suffix, status] of [
    ['over', 'failed'],
    ['open', 'pending'],
  ] as const) {
    const runId = beside(id, suffix)
    const input = { type: 'actions' }
    const { lease } = await store.startRun({ id: runId, scope, sessionId, kind: 'plan', input }, claim)
    await store.createPlanRun({ runId, scope, type: 'actions', sessionId, round: 0 })
    await store.putPlanSteps(runId, [{ ...step, status, wakeAt: Date.UTC(2030, 0, 1) }])
    if (status === 'failed') await store.finishRun(lease!, { status, outcome: { summary: 'a secret' } })
    else await store.parkRun(lease!, { wakeAt: Date.UTC(2030, 0, 1) })
  }
}

/** A plan whose node is being done, by somebody who does not end. */
async function addBusyPlan(store: Store, id: string, scope: string): Promise<void> {
  const session = { scope, kind: 'background', archivedAt: toTimestamp(0) } as const
  const { id: sessionId } = await store.createSession(session)
  const claim = { owner: 'test', leaseMs: 3_600_000 }
  // not one of those that are counted
  const { run } = await store.startRun({ scope, sessionId, kind: 'turn', input: {} }, claim)
  await addPlan(store, id, scope)
  const node = await store.getNode(id, 1)
  await store.putNode(id, { ...node!, status: 'running', sessionId, runId: run.id })
}

/** A room to talk in, one to change the mode of, and one that can be advanced. */
async function addRooms(store: Store, id: string, scope: string): Promise<void> {
  // out of the way of those who count sessions
  const room = { scope, agents: ['mira', 'quill', 'pip'], archivedAt: toTimestamp(0) }
  await store.createSession({ ...room, id: beside(id, 'room'), mode: 'free_chat' })
  await store.createSession({ ...room, id: beside(id, 'mode'), mode: 'free_chat' })
  await store.createSession({ ...room, id: beside(id, 'open'), mode: 'quiz' })
  const { id: sessionId } = await store.createSession({ ...room, id: beside(id, 'over'), mode: 'free_chat' })
  const runId = `run_${beside(id, 'room')}`
  const messageId = `msg_${beside(id, 'room')}`
  const claim = { owner: 'test', leaseMs: 3_600_000 }
  const { lease } = await store.startRun({ id: runId, scope, sessionId, kind: 'room', input: {} }, claim)
  const parts = [{ type: 'text', text: 'a secret' }]
  await store.appendMessages(scope, sessionId, [
    { id: messageId, role: 'assistant', parts, metadata: { agent: 'mira', round: 1 } },
  ])
  const routing = { reason: 'policy', text: '', mentions: [] } as const
  const turns = [{ agent: 'mira', ask: { agent: 'mira' } }]
  const round = { runId, number: 1, roomId: sessionId, turns, messageIds: [messageId] }
  await store.addRound({ ...round, routing: { ...routing, mentions: [] }, eventSeq: 0 })
  await store.finishRound(round)
  await store.finishRun(lease!, { status: 'completed' })
}

/** A turn that waits for the result of a call; its id answers the call. */
async function addAwaitedCall(store: Store, id: string, scope: string): Promise<void> {
  // out of the way of those who count sessions
  const { id: sessionId } = await store.createSession({ scope, kind: 'tool', archivedAt: toTimestamp(0) })
  const claim = { owner: 'test', leaseMs: 60_000 }
  const { run, lease } = await store.startRun({ scope, sessionId, kind: 'turn', input: {} }, claim)
  await store.createAwaitedCall({
    id,
    scope,
    sessionId,
    runId: run.id,
    callKey: 'call',
    toolCallId: 'call',
    toolName: 'weather',
    input: { city: 'a secret' },
    timeoutMs: 3_600_000,
  })
  await store.parkRun(lease!, {})
}

/** A run of a workflow that asks something; its id answers it. */
async function addPausedRun(store: Store, id: string, scope: string): Promise<void> {
  // out of the way of those who count sessions
  const archivedAt = toTimestamp(0)
  const { id: sessionId } = await store.createSession({ scope, kind: 'tool', archivedAt })
  const name = 'asks'
  const step = '- { id: ask, type: approve, approvePrompt: a secret question }'
  const { lease } = await store.startRun(
    {
      id,
      scope,
      sessionId,
      kind: 'workflow',
      input: { text: `name: ${name}\nsteps:\n  ${step}\n`, args: {} },
    },
    { owner: 'test', leaseMs: 60_000 },
  )
  await store.createWorkflowRun({ runId: id, scope, sessionId, name, source: 'api' })
  const { approval } = await store.createApproval({
    scope,
    sessionId,
    runId: id,
    toolCallId: 'ask',
    toolName: 'workflow',
    action: 'approve',
    kind: 'question',
    input: {},
    resources: [],
    outside: [],
    reason: 'a secret question',
    fallback: 'deny',
    timeoutMs: 3_600_000,
  })
  await store.putWorkflowSteps(id, [
    {
      path: 'ask',
      stepId: 'ask',
      type: 'approve',
      status: 'paused',
      attempt: 1,
      details: { question: 'a secret question', approvalId: approval.id },
      token: id,
      linked: 0,
    },
  ])
  await store.parkRun(lease, {})
}
