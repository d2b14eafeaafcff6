import type { RunEvent } from '../core/protocol/chunk.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { isGap, type EventFrame } from '../core/protocol/event-socket.ts'
import type { Message } from '../core/protocol/message.ts'
import type { InScope } from '../core/protocol/names.ts'
import type { Sessions } from '../core/chat/session-operations.ts'
import { emptyAnswer, foldAnswer, type AnswerDraft } from './answer-draft.ts'
import { createConversationLog } from './conversation-log.ts'
import { paced, type UntilShown } from './pace.ts'
import { pause } from './pause.ts'

/** What is known of a run while it is running. */
export interface RunDraft {
  runId: string
  isFinished: boolean
}

/** How the events of a run become what is shown of it. */
export interface Folding<Draft extends RunDraft> {
  empty(runId: string): Draft
  fold(before: Draft, events: readonly RunEvent[]): Draft
  /** Whether messages have entered the log between the two, which is then read. Default: none do before the end. */
  addsMessages?(before: Draft, after: Draft): boolean
  /** Whether a run is finished, if the log cannot show it. Default: it is when the log has a message of it. */
  isFinished?(runId: string): Promise<boolean>
}

/** What there is to show of a session: its log, as far as it was read, and the answer that is coming. */
export interface Conversation<Draft extends RunDraft = AnswerDraft> {
  readonly status: 'loading' | 'ready' | 'failed'
  /** Why it could not be read. */
  readonly error?: unknown
  /** Oldest first, without gaps. */
  readonly messages: readonly Message[]
  /** Whether there are older ones; `loadEarlier` reads them. */
  readonly hasEarlier: boolean
  /** Until the log has what became of it. */
  readonly draft?: Draft
}

export interface FollowOptions<Draft extends RunDraft = AnswerDraft> extends InScope {
  /** Default: each run leaves one answer. */
  folding?: Folding<Draft>
  /** Where it is drawn: resolves when that is done. Text then comes in pieces that can be drawn in time. */
  untilShown?: UntilShown
  /** Events of the scope from an existing connection. Default: its own connection. */
  events?: SubscribeEvents
  /** Ends an iteration, as leaving the loop does. */
  signal?: AbortSignal
}

export type SubscribeEvents = (listener: (event: EventFrame) => void) => () => void

/**
 * A session that is followed, whoever starts what happens there. Nothing is opened before the first listener, and
 * everything is closed with the last. Connections that break are made again.
 *
 * `for await` yields the conversation each time that it has changed, the newest alone to one who is slow, and throws what
 * keeps it from being read.
 */
export interface FollowedSession<Draft extends RunDraft = AnswerDraft> extends AsyncIterable<
  Conversation<Draft>
> {
  /** The same object until something changes. */
  get(): Conversation<Draft>
  /** Calls back after each change. Answers how it is undone. */
  subscribe(listener: () => void): () => void
  /** Adds the page of the log before the first message that is there. */
  loadEarlier(): Promise<void>
  /** Reads immediately, without waiting for an event: after something was sent or undone from here, or a failure. */
  refresh(): void
}

/** What a session is followed with. */
export interface FollowSource {
  sessions: Pick<Sessions, 'messages' | 'observe'>
  /** Events of a scope until the signal. From `onReady` on none is missed; rejects when it is refused. */
  listen(options: {
    scope?: string
    signal: AbortSignal
    onReady(): void
    onEvent(event: EventFrame): void
  }): Promise<void>
}

// a server that is restarted is back after a few of these
const retryMs = 1_000
// where nothing is drawn
const atOnce = async () => 0

/** A run that leaves one answer. */
export const answerFolding: Folding<AnswerDraft> = { empty: emptyAnswer, fold: foldAnswer }

export function followSession(
  source: FollowSource,
  sessionId: string,
  options?: FollowOptions,
): FollowedSession
export function followSession<Draft extends RunDraft>(
  source: FollowSource,
  sessionId: string,
  options: FollowOptions<Draft> & { folding: Folding<Draft> },
): FollowedSession<Draft>
export function followSession<Draft extends RunDraft>(
  source: FollowSource,
  sessionId: string,
  options: FollowOptions<Draft> = {},
): FollowedSession<Draft> {
  let state: Conversation<Draft> = { status: 'loading', messages: [], hasEarlier: false }
  const listeners = new Set<{ notify(): void }>()
  let connection: Connection | undefined
  const cell: Cell<Draft> = {
    get: () => state,
    set(patch) {
      state = { ...state, ...patch }
      for (const { notify } of listeners) notify()
    },
  }
  const subscribe = (notify: () => void) => {
    const entry = { notify }
    listeners.add(entry)
    connection ??= connect(source, sessionId, options, cell)
    return () => {
      if (!listeners.delete(entry) || listeners.size > 0) return
      connection?.close()
      connection = undefined
    }
  }
  return {
    get: cell.get,
    subscribe,
    loadEarlier: () => connection?.loadEarlier() ?? Promise.resolve(),
    refresh: () => connection?.refresh(),
    [Symbol.asyncIterator]: () => states(cell.get, subscribe, options.signal),
  }
}

interface Cell<Draft extends RunDraft> {
  get(): Conversation<Draft>
  set(patch: Partial<Conversation<Draft>>): void
}

interface Connection {
  loadEarlier(): Promise<void>
  refresh(): void
  close(): void
}

/**
 * From the first listener to the last: the log is read, the run that is running is observed until it is finished, and
 * then the rest of the log is read. An event of the session is the reason to check for the next run.
 */
function connect<Draft extends RunDraft>(
  { sessions, listen }: FollowSource,
  sessionId: string,
  {
    scope,
    // the overloads of `followSession` ask for it where the draft is another one
    folding = answerFolding as unknown as Folding<Draft>,
    untilShown = atOnce,
    events,
  }: FollowOptions<Draft>,
  cell: Cell<Draft>,
): Connection {
  const closing = new AbortController()
  const { signal } = closing
  // what is still on its way when it is closed belongs to nobody
  const set = (patch: Partial<Conversation<Draft>>) => {
    if (!signal.aborted) cell.set(patch)
  }
  const log = createConversationLog(sessions.messages, { sessionId, scope }, { get: cell.get, set })
  let isFirstLook = true
  let isLooking = false
  let hasNews = false
  let finishedRunId: string | undefined
  /** Runs that left nothing in the log, or nothing that is still there. */
  const goneRuns = new Set<unknown>()

  const isInLog = (runId: unknown) => cell.get().messages.some(({ metadata }) => metadata?.runId === runId)
  /** Of a run that is finished, only what it left in the log is shown. */
  const isShown = async (runId: string) =>
    runId === finishedRunId ||
    goneRuns.has(runId) ||
    isInLog(runId) ||
    ((await folding.isFinished?.(runId)) ?? false)

  const removeGone = async () => {
    for (const { metadata } of await log.removeGone())
      if (metadata?.runId !== undefined && !isInLog(metadata.runId)) goneRuns.add(metadata.runId)
  }

  /** Observes the newest run until it is finished. Returns whether there was one that the log did not have. */
  const observe = async (): Promise<boolean> => {
    const leaving = new AbortController()
    const observed = sessions.observe(sessionId, { scope, signal: AbortSignal.any([signal, leaving.signal]) })
    let draft: Draft | undefined
    for await (const { runId, events: next } of paced(observed, untilShown)) {
      if (draft === undefined) {
        if (await isShown(runId)) {
          leaving.abort()
          break
        }
        await log.readOn()
      }
      const before: Draft = draft ?? folding.empty(runId)
      draft = folding.fold(before, next)
      // one that finished before we checked was not observed: it may have been undone since
      if (!draft.isFinished || !isFirstLook) set({ draft })
      isFirstLook = false
      if (!draft.isFinished && folding.addsMessages?.(before, draft)) await log.readOn()
    }
    if (signal.aborted) return false
    isFirstLook = false
    // the end of a run is emitted after its commit: what became of it is there
    await log.readOn()
    finishedRunId = draft?.runId ?? finishedRunId
    if (cell.get().draft) set({ draft: undefined })
    return draft !== undefined
  }

  const look = () => {
    hasNews = true
    if (isLooking) return
    isLooking = true
    void (async () => {
      while (hasNews && !signal.aborted) {
        hasNews = false
        try {
          if (cell.get().status !== 'ready') {
            await log.open()
            set({ status: 'ready', error: undefined })
          }
          while (await observe());
        } catch (error) {
          if (cell.get().status !== 'ready') set({ status: 'failed', error })
          else if (!isFinal(error)) {
            hasNews = true
            await pause(retryMs, signal)
          }
        }
      }
      isLooking = false
    })()
  }

  const lookAgain = () => {
    const { status } = cell.get()
    if (status === 'loading' && isLooking) return
    // what cannot be requested now is requested again when the server is back
    if (status === 'ready') void removeGone().catch(() => {})
    look()
  }

  const onEvent = (event: EventFrame) => {
    if (isGap(event) || (event.sessionId === sessionId && 'rolledBackTo' in event.data)) lookAgain()
    else if (event.sessionId === sessionId) look()
  }

  let isListening = false
  /** Before the first read: what happens after it is an event. */
  const start = () => {
    isListening = true
    if (events) {
      signal.addEventListener('abort', events(onEvent))
      lookAgain()
    } else
      listen({ scope, signal, onReady: lookAgain, onEvent }).catch((error: unknown) => {
        isListening = false
        set({ status: 'failed', error })
      })
  }
  start()

  return {
    loadEarlier: log.loadEarlier,
    refresh: () => (isListening ? lookAgain() : start()),
    close: () => closing.abort(),
  }
}

/** The newest state each time that it has changed, from the first that can be shown. */
async function* states<Draft extends RunDraft>(
  get: () => Conversation<Draft>,
  subscribe: (listener: () => void) => () => void,
  signal?: AbortSignal,
): AsyncGenerator<Conversation<Draft>> {
  let wake = () => {}
  const onChange = () => wake()
  const unsubscribe = subscribe(onChange)
  signal?.addEventListener('abort', onChange)
  try {
    for (let seen: unknown; !signal?.aborted;) {
      const state = get()
      if (state.status === 'failed') throw state.error
      if (state.status === 'ready' && state !== seen) {
        seen = state
        yield state
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
          if (get() !== state || signal?.aborted) resolve()
        })
    }
  } finally {
    signal?.removeEventListener('abort', onChange)
    unsubscribe()
  }
}

/** A refusal does not change by asking again; a connection that was lost may be back. */
const isFinal = (error: unknown) => error instanceof ParleyError && error.code !== 'store_unavailable'
