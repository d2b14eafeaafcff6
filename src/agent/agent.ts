import { setTimeout as sleep } from 'node:timers/promises'
import { pino, type Logger } from 'pino'
import { createChats, type Chats } from '../chat/chats.ts'
import { defaultChatLimits, type ChatLimits } from '../chat/deps.ts'
import type { TurnInput } from '../chat/turn-input.ts'
import type { ModelAdapter } from '../models/adapter.ts'
import { createModelRegistry, type ModelSettings } from '../models/registry.ts'
import type { RunRecord } from '../protocol/chat.ts'
import type { RunEvent } from '../protocol/chunk.ts'
import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { messageText } from '../protocol/message-text.ts'
import type { NewMessage, Part } from '../protocol/message.ts'
import { defaultScope, idSchema } from '../protocol/names.ts'
import type { WindowSettings } from '../protocol/window.ts'
import type { WindowHandlers } from '../sessions/window/handlers.ts'
import { checkSettings } from '../sessions/window/settings.ts'
import { createWindows, type Windows } from '../sessions/window/windows.ts'
import { systemClock } from '../shared/clock.ts'
import { createIds, type Ids } from '../shared/ids.ts'
import { createStreamed, type Streamed } from '../shared/streamed.ts'
import { inMemory, openSqlite } from '../store/sqlite/open.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import { createStore, type Store } from '../store/store.ts'
import { createRecallTool } from '../tools/recall.ts'
import type { Tool } from '../tools/tool.ts'
import { createAgentGuard, type AgentPermissions } from './agent-guard.ts'
import { AgentSession, type SessionLimits } from './agent-session.ts'
import { checkMessages, toData, toInputParts, toRecord, type RecordHandler } from './record.ts'

export interface AgentOptions {
  /** `adapter/model`, or an adapter of your own. Default: the offline demo. */
  model?: string | ModelAdapter
  /** Who the assistant is and what it should do; the whole system prompt. */
  instructions?: string
  tools?: readonly Tool[]
  /** Default: the model may call whatever tool it is given. */
  permissions?: AgentPermissions
  /** Keys and addresses for a model that is given by its name. */
  models?: Partial<ModelSettings>
  /** Where attached sessions live; default: in memory, gone with the process. */
  parley?: { store: Store }
  /** The window of sessions that say nothing else. */
  session?: WindowSettings
  /** Parts of the window to replace; each goes before any setting. */
  handlers?: WindowHandlers
  /** Bounds of a request; what is left out has its default. */
  limits?: Partial<ChatLimits>
  logger?: Logger
}

export interface AskOptions {
  model?: string
  /** For this request alone. */
  window?: WindowSettings
  signal?: AbortSignal
}

export interface AgentAnswer {
  text: string
  /** The answer as a value, when it is JSON. */
  data?: unknown
  parts: Part[]
  usage?: unknown
  run: RunRecord
}

/**
 * A model with instructions and tools for programs that need no server. Without a session it knows only the history it
 * was given; with one, the window of that session goes before each request, and question and answer enter its log
 * together when the answer is there.
 */
export interface Agent extends AsyncDisposable {
  /** The one that is attached. */
  readonly session: AgentSession | undefined
  /** A session of this or another agent, the id of a stored one, or a new one. */
  attachSession(session?: AgentSession | string, options?: { mode?: 'lite' | 'memo' }): AgentSession
  detachSession(): void
  /** Attaches the session of an id, the same one every time; it is made when there is none. */
  activateSession(id: string): AgentSession
  setChatHistory(messages: NewMessage[]): Promise<void>
  addChatHistory(messages: NewMessage | NewMessage[]): Promise<void>
  /** With a session: its memo goes too, unless it is to be kept. */
  resetChatHistory(options?: { keepMemo?: boolean }): Promise<void>
  /** What the next request is sent after; a copy. */
  chatHistory(): Promise<NewMessage[]>
  /** Attaches a new session when there is none. */
  enableSessionLite(limits?: SessionLimits): AgentSession
  enableSessionMemo(limits?: SessionLimits): AgentSession
  /** Decides what of a request enters the log; none goes back to question and answer. */
  setRecordHandler(handler?: RecordHandler): void
  /** Iterate to watch the answer come, await to have it whole. Rejects with `turn_failed` when there is none. */
  ask(input: unknown, options?: AskOptions): Streamed<RunEvent, AgentAnswer>
  close(): Promise<void>
}

// a request that nobody waits for any more
const closeMs = 1_000
const busyMs = 20

const closed = () => new ParleyError('shutting_down', 'The agent is closed.')
const stoppedWaiting = () =>
  new ParleyError('turn_failed', 'The request was stopped while it waited.', {
    details: { code: 'stopped', status: 'cancelled' },
  })
const hasRunId = (details: unknown) => typeof details === 'object' && details !== null && 'runId' in details

/** The means to execute turns over one store. */
interface Core {
  store: Store
  chats: Chats
  windows: Windows
}

export function createAgent(options: AgentOptions = {}): Agent {
  const { instructions, logger = pino({ level: 'silent' }), parley } = options
  const settings = options.session && checkSettings(options.session)
  const ids = createIds(systemClock)
  const requireModel = createModelFinder(options)
  const cores = new Map<Store, Core>()
  const sessions = new Map<string, AgentSession>()
  /** Inputs of requests that are under way, for those who decide what is recorded. */
  const inputs = new Map<string, { input: unknown; session: AgentSession }>()
  let ownStore: Promise<Store> | undefined
  /** Without what is set for sessions: a history that was given is sent as it is. */
  let scratch: Promise<Core> | undefined
  let attached: AgentSession | undefined
  let history: MessageToAppend[] = []
  let recordHandler: RecordHandler | undefined

  /** Stops of the requests that go on. */
  const underWay = new Set<() => Promise<void>>()
  let isClosed = false
  const openMemoryOnce = () => {
    if (isClosed) throw closed()
    return openMemory()
  }

  const openOwn = async () =>
    (ownStore ??= openMemoryOnce().then(async (store) => {
      await store.ensureScope(defaultScope)
      return store
    }))

  const openCore = async (store: Store): Promise<Core> => {
    const known = cores.get(store)
    if (known) return known
    const core = createCore(store, ids, logger, { ...options, session: settings }, requireModel, record)
    cores.set(store, core)
    return core
  }

  const openSessions = async (): Promise<Core> => {
    if (!parley) return openCore(await openOwn())
    await parley.store.ensureScope(defaultScope)
    return openCore(parley.store)
  }

  async function record(question: MessageToAppend, reply: MessageToAppend) {
    const known = inputs.get(question.id!)
    // a request without a session is recorded nowhere
    if (!known) return [question, reply]
    const text = messageText(reply)
    const request = { input: known.input, text, data: toData(text), parts: structuredClone(reply.parts) }
    return toRecord(request, question, reply, known.session.record, recordHandler)
  }

  async function begin(
    { input, session, history: given }: Asked,
    { model, window }: AskOptions,
    signal: AbortSignal,
  ) {
    const turn: TurnInput = {
      message: { id: ids.next('msg'), parts: toInputParts(input) },
      model,
      persona: instructions ?? '',
      ...(window && { window: checkSettings(window) }),
      recordsPair: true,
      skipCheckpoint: true,
      skipSummary: true,
      skipSlashCommands: true,
      skipChatStatus: true,
    }
    const place = session ? await openAttached(session) : await openScratch(given)
    if (session) inputs.set(turn.message.id, { input, session })
    const release = async () => {
      inputs.delete(turn.message.id)
      if (!session) await place.core.store.deleteSession(defaultScope, place.sessionId)
    }
    try {
      const { run, begin: start } = await admit(place.core, place.sessionId, turn, signal)
      start()
      const stop = () => place.core.chats.stopRun(run).catch(() => {}) // over already
      underWay.add(stop)
      return { run, stop, chats: place.core.chats, release: () => (underWay.delete(stop), release()) }
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Waits while something else goes on in the session: only this process can answer, so nothing is left waiting there. */
  async function admit({ chats, store }: Core, sessionId: string, turn: TurnInput, signal: AbortSignal) {
    for (;;) {
      if (isClosed) throw closed()
      if (signal.aborted) throw stoppedWaiting()
      try {
        return await chats.admit(store, { scope: defaultScope, sessionId }, turn, 'reject')
      } catch (error) {
        const isBusy = error instanceof ParleyError && error.code === 'conflict' && hasRunId(error.details)
        if (!isBusy) throw error
      }
      await sleep(busyMs)
    }
  }

  async function openAttached(session: AgentSession) {
    const { store, session: stored } = await session.ready()
    return { core: await openCore(store), sessionId: stored.id }
  }

  /** History that was only given is sent from a session that is gone after the request. */
  async function openScratch(given: MessageToAppend[]) {
    const core = await (scratch ??= openMemoryOnce().then(async (store) => {
      await store.ensureScope(defaultScope)
      const { session: _, handlers: __, ...rest } = options
      return createCore(store, ids, logger, rest, requireModel, record)
    }))
    const { id } = await core.store.createSession({ scope: defaultScope, window: { preset: 'unlimited' } })
    if (given.length > 0)
      await core.store.appendMessages(
        defaultScope,
        id,
        given.map(({ id: _, ...message }) => message),
      )
    return { core, sessionId: id }
  }

  const agent: Agent = {
    get session() {
      return attached
    },

    attachSession(session, { mode } = {}) {
      const chosen =
        session instanceof AgentSession
          ? session
          : session === undefined
            ? new AgentSession(openSessions)
            : findSession(session)
      if (mode !== undefined) chosen.configure({ mode })
      return (attached = chosen)
    },

    detachSession() {
      attached = undefined
    },

    activateSession: (id) => (attached = findSession(id)),

    async setChatHistory(messages) {
      if (attached) return attached.set(messages)
      history = checkMessages(messages)
    },

    async addChatHistory(messages) {
      if (attached) return attached.add(messages)
      history = [...history, ...checkMessages([messages].flat())]
    },

    async resetChatHistory(how) {
      if (attached) return attached.reset(how)
      history = []
    },

    chatHistory: async () =>
      attached
        ? (await attached.messages()).map(({ seq: _, id: __, ...message }) => message)
        : structuredClone(history),

    enableSessionLite: (limits) => (attached ?? agent.attachSession()).useLite(limits),
    enableSessionMemo: (limits) => (attached ?? agent.attachSession()).useMemo(limits),

    setRecordHandler(handler) {
      recordHandler = handler
    },

    ask(input, ask = {}) {
      // sent once, however often it is watched or awaited
      let begun: ReturnType<typeof begin> | undefined
      // of this moment, not of the one when somebody begins to wait
      const asked: Asked = { input: toSnapshot(input), session: attached, history }
      const signal = ask.signal ?? new AbortController().signal
      const start = () => (begun ??= begin(asked, ask, signal))
      let answered: Promise<AgentAnswer> | undefined
      const finish = async (): Promise<AgentAnswer> => {
        const { run, chats, stop, release } = await start()
        signal.addEventListener('abort', stop)
        if (signal.aborted) void stop()
        try {
          return toAnswer(await chats.answerOf(run, new AbortController().signal))
        } finally {
          signal.removeEventListener('abort', stop)
          await release()
        }
      }
      const answer = () => (answered ??= finish())
      return createStreamed({
        async *events() {
          const { run, chats } = await start()
          const watched = chats.observe(run.id, { signal: new AbortController().signal })
          const done = answer()
          done.catch(() => {}) // told by the events; thrown to whoever awaits
          yield* watched
          await done.catch(() => {})
        },
        answer,
      })
    },

    async close() {
      isClosed = true
      // nobody else could answer them
      await Promise.all([...underWay].map((stop) => stop()))
      for (const { chats } of cores.values()) await chats.close(closeMs)
      if (scratch) {
        const { chats, store } = await scratch
        await chats.close(closeMs)
        await store.close()
      }
      if (ownStore) await (await ownStore).close()
    },

    [Symbol.asyncDispose]: () => agent.close(),
  }
  return agent

  function findSession(id: string): AgentSession {
    const result = idSchema.safeParse(id)
    if (!result.success)
      throw invalidRequest(`A session id ${result.error.issues[0]!.message}; got ${quote(id)}.`)
    const known = sessions.get(id) ?? new AgentSession(openSessions, id)
    sessions.set(id, known)
    return known
  }
}

function createModelFinder({ model, models }: AgentOptions): (id: string | undefined) => ModelAdapter {
  const registry = createModelRegistry({
    openai: {},
    anthropic: {},
    gemini: {},
    ollama: {},
    ...models,
    ...(typeof model === 'string' && { model }),
  })
  return (id) => (id === undefined && typeof model === 'object' ? model : registry.require(id))
}

const openMemory = () =>
  createStore(openSqlite({ file: inMemory, synchronous: 'NORMAL', busyTimeoutMs: 0 }, systemClock), {
    clock: systemClock,
    ids: createIds(systemClock),
  })

function createCore(
  store: Store,
  ids: Ids,
  logger: Logger,
  { session, handlers, tools = [], permissions, limits }: AgentOptions,
  requireModel: (id: string | undefined) => ModelAdapter,
  record: (question: MessageToAppend, reply: MessageToAppend) => Promise<MessageToAppend[]>,
): Core {
  const windows = createWindows({ store, logger, requireModel, settings: session, handlers })
  const chats = createChats(
    {
      store,
      windows,
      requireModel,
      tools: tools.some(({ name }) => name === 'recall') ? tools : [createRecallTool(store), ...tools],
      ...(permissions && { guard: createAgentGuard(store, permissions) }),
      readContext: async () => ({ rules: '', skills: [], activeSkills: [] }),
      clock: systemClock,
      ids,
      logger,
      limits: { ...defaultChatLimits, ...limits },
      hooks: { toRecord: async (_session, question, reply) => record(question, reply) },
    },
    { owner: `agent-${process.pid}-${ids.next('node')}`, takesUpRuns: false, isAgent: true },
  )
  chats.start()
  return { store, chats, windows }
}

/** Taken when it was asked. */
interface Asked {
  input: unknown
  session: AgentSession | undefined
  history: MessageToAppend[]
}

function toSnapshot(input: unknown): unknown {
  try {
    return structuredClone(input)
  } catch {
    return input // refused when it begins, or a value of the program's own kind
  }
}

interface PairOutcome {
  code: string
  message?: string
  parts?: Part[]
}

function toAnswer({ run, usage }: { run: RunRecord; usage?: unknown }): AgentAnswer {
  const { code, message, parts = [] } = (run.outcome ?? { code: run.status }) as PairOutcome
  if (run.status !== 'completed')
    throw new ParleyError('turn_failed', message ?? `The request ended as ${run.status}.`, {
      details: { code, runId: run.id, status: run.status },
    })
  const text = messageText({ parts })
  const data = toData(text)
  return { text, ...(data !== undefined && { data }), parts, usage, run }
}
