import type { Chunk, RunEvent } from '../protocol/chunk.ts'

/** Whoever watches a session. Calls never overlap; a promise makes the next one wait for it. */
export interface SessionObserver {
  onEvents(events: readonly RunEvent[]): void | Promise<void>
  /** Nothing more will come. */
  onDone?(): void
}

/**
 * Observers by session, for programs that stream what they do themselves beside what Parley runs. A session that was
 * started here is watched from memory, for 30 seconds after its end too; any other one, and this one later, from its
 * newest run: what is stored of it, then what comes.
 */
export interface ObserverRegistry {
  startSession(sessionId: string): void
  /** One look-up and one push when nobody watches. Before the start and after the end it does nothing. */
  dispatch(sessionId: string, chunk: Chunk): void
  endSession(sessionId: string): void
  /** What happened so far, then what happens. False when there is nothing to watch, here or in the store. */
  register(
    sessionId: string,
    observer: SessionObserver,
    options?: { scope?: string; after?: number },
  ): Promise<boolean>
  /** It receives nothing more, `onDone` included. */
  unregister(sessionId: string, observer: SessionObserver): void
  isActive(sessionId: string): boolean
  countObservers(sessionId: string): number
  /** Forgets all sessions and lets all observers go. */
  clear(): void
}

export interface ObserverDeps {
  /** Watches the newest run of a session; undefined when it never ran. */
  observe(
    place: { scope?: string; sessionId: string },
    options: { after?: number; signal: AbortSignal },
  ): Promise<AsyncIterable<readonly RunEvent[]> | undefined>
  /** An observer that failed is dropped; the others do not notice. */
  onError(error: unknown): void
}

const keptMs = 30_000
// finished sessions, at most: a burst of short ones must not fill the memory for half a minute
const maxEnded = 1_000
// what one session keeps; readers that are further behind continue with the oldest of these
const maxKept = 2_000
const eventsPerCall = 500

interface Watched {
  /** The newest events, in order. */
  events: RunEvent[]
  lastSeq: number
  isFinished: boolean
  waiting: Set<() => void>
  timer?: NodeJS.Timeout
}

export function createObserverRegistry({ observe, onError }: ObserverDeps): ObserverRegistry {
  const sessions = new Map<string, Watched>()
  const observers = new Map<string, Map<SessionObserver, AbortController>>()

  function forget(sessionId: string): void {
    clearTimeout(sessions.get(sessionId)?.timer)
    sessions.delete(sessionId)
  }

  function forgetOldest(): void {
    const ended = [...sessions].filter(([, { isFinished }]) => isFinished)
    for (const [sessionId] of ended.slice(0, Math.max(0, ended.length - maxEnded))) forget(sessionId)
  }

  const unregister: ObserverRegistry['unregister'] = (sessionId, observer) => {
    const registered = observers.get(sessionId)
    registered?.get(observer)?.abort()
    registered?.delete(observer)
    if (registered?.size === 0) observers.delete(sessionId)
  }

  async function forward(
    sessionId: string,
    observer: SessionObserver,
    source: AsyncIterable<readonly RunEvent[]>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const events of source) {
        if (signal.aborted) return
        await observer.onEvents(events)
      }
      if (!signal.aborted) observer.onDone?.()
    } catch (error) {
      onError(error)
    } finally {
      if (!signal.aborted) unregister(sessionId, observer)
    }
  }

  return {
    startSession(sessionId) {
      const earlier = sessions.get(sessionId)
      if (earlier) end(earlier)
      forget(sessionId)
      sessions.set(sessionId, { events: [], lastSeq: 0, isFinished: false, waiting: new Set() })
    },

    dispatch(sessionId, chunk) {
      const watched = sessions.get(sessionId)
      if (!watched || watched.isFinished) return
      watched.events.push({ seq: ++watched.lastSeq, chunk })
      if (watched.events.length > 2 * maxKept) watched.events = watched.events.slice(-maxKept)
      if (watched.waiting.size > 0) wakeAll(watched)
    },

    endSession(sessionId) {
      const watched = sessions.get(sessionId)
      if (!watched || watched.isFinished) return
      end(watched)
      watched.timer = setTimeout(() => sessions.delete(sessionId), keptMs)
      watched.timer.unref()
      if (sessions.size > maxEnded) forgetOldest()
    },

    async register(sessionId, observer, { scope, after } = {}) {
      unregister(sessionId, observer)
      const abort = new AbortController()
      const { signal } = abort
      const registered = observers.get(sessionId) ?? new Map<SessionObserver, AbortController>()
      observers.set(sessionId, registered.set(observer, abort))
      const watched = sessions.get(sessionId)
      const source = watched
        ? follow(watched, after ?? 0, signal)
        : await observe({ scope, sessionId }, { after, signal }).catch((error: unknown) => {
            unregister(sessionId, observer)
            throw error
          })
      if (!source) unregister(sessionId, observer)
      else void forward(sessionId, observer, source, signal)
      return source !== undefined
    },

    unregister,
    isActive: (sessionId) => sessions.get(sessionId)?.isFinished === false,
    countObservers: (sessionId) => observers.get(sessionId)?.size ?? 0,

    clear() {
      for (const [sessionId, registered] of observers)
        for (const observer of registered.keys()) unregister(sessionId, observer)
      for (const sessionId of sessions.keys()) forget(sessionId)
    },
  }
}

/** An observer is a place in the events and has no queue, so a slow one costs no more than a fast one. */
async function* follow(
  watched: Watched,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[]> {
  let last = after
  let wake = () => {}
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    while (!signal.aborted) {
      const first = watched.events[0]?.seq ?? watched.lastSeq + 1
      const from = Math.max(0, last + 1 - first)
      const events = watched.events.slice(from, from + eventsPerCall)
      if (events.length > 0) {
        last = events.at(-1)!.seq
        yield events
      } else if (watched.isFinished) return
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
          watched.waiting.add(resolve)
        })
        watched.waiting.delete(wake)
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    watched.waiting.delete(wake)
  }
}

function end(watched: Watched): void {
  watched.isFinished = true
  wakeAll(watched)
}

function wakeAll({ waiting }: Watched): void {
  const woken = [...waiting]
  waiting.clear()
  for (const wake of woken) wake()
}
