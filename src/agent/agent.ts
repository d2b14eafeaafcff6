import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '../core/chat/chat-runs.ts'
import type { TurnInput } from '../core/chat/turn-input.ts'
import type { RunRecord } from '../core/protocol/chat.ts'
import type { RunEvent } from '../core/protocol/chunk.ts'
import { invalidRequest, ParleyError, quote } from '../core/protocol/error.ts'
import { messageText } from '../core/protocol/message-text.ts'
import type { NewMessage, Part } from '../core/protocol/message.ts'
import { outputOf, readOutputSchema, type OutputForm, type OutputSchema } from '../core/protocol/output.ts'
import { defaultScope, idSchema, scopeSchema } from '../core/protocol/names.ts'
import { checkSettings } from '../core/sessions/window/window-settings.ts'
import { systemClock } from '../core/shared/clock.ts'
import { createIds } from '../core/shared/ids.ts'
import { createSilentLogger } from '../core/shared/silent-logger.ts'
import { refuseAfterClose } from '../core/shared/refuse-after-close.ts'
import { createStreamed, type Streamed } from '../core/shared/streamed.ts'
import type { MessageToAppend } from '../core/store/queries/messages.ts'
import type { Store } from '../core/store/store.ts'
import type { Core, CoreDeps } from './agent-core.ts'
import type { AgentOptions, AskOptions } from './agent-options.ts'
import { AgentSession, type SessionLimits } from './agent-session.ts'
import { checkMessages } from './check-messages.ts'
import { checkAsk, checkAttach, checkRecordHandler, checkReset, readAgentOptions } from './check-options.ts'
import type { RecordHandler, TimedRecordHandler } from './agent-record.ts'

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
  /** The attached session. */
  readonly session: AgentSession | undefined
  /** A session of this or another agent, the id of a stored one, or a new one. */
  attachSession(session?: AgentSession | string, options?: { mode?: 'lite' | 'memo' }): AgentSession
  detachSession(): void
  /** Attaches the session with this id, the same one every time; it is created if there is none. */
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
  /**
   * Decides what of a request enters the log; none goes back to question and answer. A request whose handler does not
   * answer in its time (default 60,000) fails.
   */
  setRecordHandler(handler?: RecordHandler, bounds?: { timeoutMs?: number }): void
  /** Iterate to watch the answer come, await to have it whole. Rejects with `turn_failed` when there is none. */
  ask(input: unknown, options?: AskOptions): Streamed<RunEvent, AgentAnswer>
  /** The same for an answer of a given form: awaited, it has a value of that type. */
  ask<Value>(
    input: unknown,
    options: AskOptions & { output: OutputSchema<Value> },
  ): Streamed<RunEvent, AgentAnswer & { output: Value }>
  close(): Promise<void>
}

// a request that nobody waits for any more
const closeMs = 1_000
const busyMs = 20

const synchronousCalls = new Set<string>([
  'attachSession',

  'activateSession',
  'enableSessionLite',
  'enableSessionMemo',
  'setRecordHandler',
] satisfies (keyof Agent)[])

const closed = () => new ParleyError('shutting_down', 'The agent is closed.')
const stoppedWaiting = () =>
  new ParleyError('turn_failed', 'The request was stopped while it waited.', {
    details: { code: 'stopped', status: 'cancelled' },
  })
const hasRunId = (details: unknown) => typeof details === 'object' && details !== null && 'runId' in details

export function createAgent(handed: AgentOptions = {}): Agent {
  const options = readAgentOptions(handed)
  const { instructions, parley } = options
  const basis = parley?.agentBasis
  const logger = options.logger ?? basis?.logger ?? createSilentLogger()
  const scope = checkScope(options.scope)
  const ids = createIds(systemClock)
  const cores = new Map<Store, Promise<Core>>()
  const sessions = new Map<string, AgentSession>()
  /** Sessions with requests, for their handlers. */
  const askedIn = new Map<string, AgentSession>()
  /** Inputs of requests that are under way, for those who decide what is recorded. */
  const inputs = new Map<string, { input: unknown; session: AgentSession }>()
  /** Executes turns; loaded, with the packages that it needs, by the first request. */
  let loading: Promise<Loaded> | undefined
  let ownStore: Promise<Store> | undefined
  /** Without what is set for sessions: a history that was given is sent as it is. */
  let scratch: Promise<Core> | undefined
  let attached: AgentSession | undefined
  let history: MessageToAppend[] = []
  let recordHandler: TimedRecordHandler | undefined

  /** Abort controllers of running requests. */
  const underWay = new Set<() => Promise<void>>()
  let isClosed = false
  let closing: Promise<void> | undefined
  const load = () =>
    (loading ??= Promise.all([import('./agent-core.ts'), import('./agent-record.ts')]).then(
      ([core, records]) => ({
        ...core,
        ...records,
        deps: { ids, logger, requireModel: core.createModelFinder(options), record },
      }),
    ))

  // throws immediately, so that nothing is kept of a store that was never opened
  const openMemory = () => {
    if (isClosed) throw closed()
    return load().then(async (core) => {
      const store = await core.openMemory()
      await store.ensureScope(scope)
      return store
    })
  }

  const openOwn = async () => (ownStore ??= openMemory())

  const openCore = (store: Store): Promise<Core> => {
    const known = cores.get(store)
    if (known) return known
    const core = load().then(({ createCore, deps }) =>
      createCore(store, deps, options, (id) => askedIn.get(id)?.handlers),
    )
    cores.set(store, core)
    return core
  }

  const openSessions = async (): Promise<Core> => {
    if (!parley && isClosed) throw closed()
    if (!parley) return openCore(await openOwn())
    await parley.store.ensureScope(scope)
    return openCore(parley.store)
  }

  async function record(question: MessageToAppend, reply: MessageToAppend) {
    const known = inputs.get(question.id!)
    // a request without a session is recorded nowhere
    if (!known) return [question, reply]
    const text = messageText(reply)
    const { toData, toRecord } = await load()
    const request = { input: known.input, text, data: toData(text), parts: structuredClone(reply.parts) }
    return toRecord(request, question, reply, known.session.record, recordHandler)
  }

  async function begin(
    { input, session, history: earlier, form }: Asked,
    { output: _, ...ask }: AskOptions & WithOutput<unknown>,
    signal: AbortSignal,
  ) {
    checkAsk(ask)
    const { model, window } = ask
    const parameters = { ...options.parameters, ...ask.parameters }
    const { toInputParts } = await load()
    const turn: TurnInput = {
      message: { id: ids.next('msg'), parts: toInputParts(input) },
      model,
      ...(Object.keys(parameters).length > 0 && { parameters }),
      ...(form && { output: form }),
      persona: instructions ?? '',
      // what a Parley would ask its people about needs a session that they can see
      ...(!session && basis && !options.permissions?.onAsk && { isHeadless: true }),
      ...(window && { window: checkSettings(window) }),
      recordsPair: true,
      skipCheckpoint: true,
      skipSummary: true,
      skipSlashCommands: true,
      skipChatStatus: true,
    }
    const place = session ? await openAttached(session) : await openScratch(earlier)
    if (session) inputs.set(turn.message.id, { input, session })
    const release = async () => {
      inputs.delete(turn.message.id)
      if (!session) await place.core.store.deleteSession(place.scope, place.sessionId)
    }
    try {
      const { run, begin: start } = await admit(place.core, place, turn, signal)
      start()
      const stop = () => place.core.chats.stopRun(run).catch(() => {}) // over already
      underWay.add(stop)
      return { run, stop, chats: place.core.chats, release: () => (underWay.delete(stop), release()) }
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Waits while something else runs in the session: only this process can answer, so nothing is queued there. */
  async function admit({ chats, store }: Core, place: Place, turn: TurnInput, signal: AbortSignal) {
    for (;;) {
      if (isClosed) throw closed()
      if (signal.aborted) throw stoppedWaiting()
      try {
        return await chats.admit(store, { scope: place.scope, sessionId: place.sessionId }, turn, 'reject')
      } catch (error) {
        const isBusy = error instanceof ParleyError && error.code === 'conflict' && hasRunId(error.details)
        if (!isBusy) throw error
      }
      await sleep(busyMs)
    }
  }

  async function openAttached(session: AgentSession) {
    const { store, session: stored } = await session.ready()
    askedIn.set(stored.id, session)
    return { core: await openCore(store), scope: stored.scope, sessionId: stored.id }
  }

  /** History that was only given is sent from a session that is gone after the request. */
  async function openScratch(earlier: MessageToAppend[]) {
    const core = await (scratch ??= openMemory().then(async (store) => {
      const { createScratch, deps } = await load()
      return createScratch(store, deps, options)
    }))
    const { id } = await core.store.createSession({ scope, window: { preset: 'unlimited' } })
    if (earlier.length > 0)
      await core.store.appendMessages(
        scope,
        id,
        earlier.map(({ id: _, ...message }) => message),
      )
    return { core, scope, sessionId: id }
  }

  const newSession = () => new AgentSession(openSessions, scope)

  const agent: Agent = {
    get session() {
      return attached
    },

    attachSession(session, how = {}) {
      checkAttach(how)
      const { mode } = how
      const chosen =
        session instanceof AgentSession
          ? session
          : session === undefined
            ? newSession()
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

    async resetChatHistory(how = {}) {
      checkReset(how)
      if (attached) return attached.reset(how)
      history = []
    },

    chatHistory: async () =>
      attached
        ? (await attached.messages()).map(({ seq: _, id: __, ...message }) => message)
        : structuredClone(history),

    // attached once its settings are in order
    enableSessionLite: (limits) => (attached = (attached ?? newSession()).useLite(limits)),
    enableSessionMemo: (limits) => (attached = (attached ?? newSession()).useMemo(limits)),

    setRecordHandler(handler, bounds = {}) {
      checkRecordHandler(handler, bounds)
      recordHandler = handler && { handler, ...bounds }
    },

    ask<Value>(input: unknown, ask: AskOptions & WithOutput<Value> = {}) {
      const wanted = ask.output && readOutputSchema(ask.output)
      // sent once, however often it is watched or awaited
      let begun: ReturnType<typeof begin> | undefined
      // of this moment, not of the one when somebody begins to wait
      const asked: Asked = { input: toSnapshot(input), session: attached, history, form: wanted?.form }
      const signal = ask.signal ?? new AbortController().signal
      const start = () => (begun ??= begin(asked, ask, signal))
      type Answered = AgentAnswer & { output: Value }
      let answered: Promise<Answered> | undefined
      const finish = async (): Promise<Answered> => {
        const { run, chats, stop, release } = await start()
        signal.addEventListener('abort', stop)
        if (signal.aborted) void stop()
        try {
          const { toData } = await load()
          const given = toAnswer(await chats.answerOf(run, new AbortController().signal), toData)
          if (!wanted) return given as Answered
          return { ...given, output: await wanted.read(outputOf(given.run, given)) }
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
          done.catch(() => {}) // emitted as events; thrown to whoever awaits
          yield* watched
          await done.catch(() => {})
        },
        answer,
      })
    },

    close: () => (closing ??= close()),

    [Symbol.asyncDispose]: () => agent.close(),
  }
  return refuseAfterClose(agent, {
    isClosed: () => isClosed,
    refusal: closed,
    synchronous: synchronousCalls,
    // it only lets go
    untouched: new Set(['detachSession']),
  })

  async function close() {
    isClosed = true
    // nobody else could answer them
    await Promise.all([...underWay].map((stop) => stop()))
    for (const core of cores.values()) await (await core).chats.close(closeMs)
    if (scratch) {
      const { chats, store } = await scratch
      await chats.close(closeMs)
      await store.close()
    }
    if (ownStore) await (await ownStore).close()
  }

  function findSession(id: string): AgentSession {
    const result = idSchema.safeParse(id)
    if (!result.success)
      throw invalidRequest(`A session id ${result.error.issues[0]!.message}; got ${quote(id)}.`)
    const known = sessions.get(id) ?? new AgentSession(openSessions, scope, id)
    sessions.set(id, known)
    return known
  }
}

function checkScope(scope: string = defaultScope): string {
  const result = scopeSchema.safeParse(scope)
  if (!result.success) throw invalidRequest(`scope ${result.error.issues[0]!.message}; got ${quote(scope)}.`)
  return result.data
}

type Loaded = typeof import('./agent-core.ts') & typeof import('./agent-record.ts') & { deps: CoreDeps }

/** Captured when the request was made. */
interface Asked {
  input: unknown
  session: AgentSession | undefined
  history: MessageToAppend[]
  /** Of the answer. */
  form: OutputForm | undefined
}

interface WithOutput<Value> {
  output?: OutputSchema<Value>
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

function toAnswer(
  { run, usage }: { run: RunRecord; usage?: unknown },
  toData: (text: string) => unknown,
): AgentAnswer {
  const { code, message, parts = [] } = (run.outcome ?? { code: run.status }) as PairOutcome
  if (run.status !== 'completed')
    throw new ParleyError('turn_failed', message ?? `The request ended as ${run.status}.`, {
      details: { code, runId: run.id, status: run.status },
    })
  const text = messageText({ parts })
  const data = toData(text)
  return { text, ...(data !== undefined && { data }), parts, usage, run }
}
