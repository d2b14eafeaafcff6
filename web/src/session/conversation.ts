import type { Message, ParleyClient } from '../../../src/client/index.ts'
import type { ObservedEvents } from '../../../src/protocol/sessions.ts'
import { emptyDraft, fold, type Draft } from './fold.ts'

/** What of a session is on the screen: the stored log, as far as it was read, and the answer that is coming. */
export interface Conversation {
  status: 'loading' | 'ready' | 'failed'
  error?: unknown
  /** Oldest first, without gaps. */
  messages: readonly Message[]
  hasEarlier: boolean
  draft?: Draft
}

export interface ConversationFeed {
  get(): Conversation
  subscribe(listener: () => void): () => void
  /** Reads the page of the log before the first one that is there. */
  loadEarlier(): Promise<void>
  /** Something may go on in the session now: looks, and watches it. */
  wake(): void
  close(): void
}

const pageSize = 100
// more often than this nobody sees a difference, and drawing costs
const flushMs = 60

/**
 * One way to see a session, whoever started what goes on there: the log is read, the run that goes on is observed until
 * it is over, and then the log is read on.
 */
export function createConversationFeed(
  { sessions }: ParleyClient,
  { scope, sessionId }: { scope?: string; sessionId: string },
): ConversationFeed {
  let state: Conversation = { status: 'loading', messages: [], hasEarlier: false }
  const listeners = new Set<() => void>()
  const abort = new AbortController()
  let isWatching = false
  let isWoken = false
  let loadingEarlier: Promise<void> | undefined

  const set = (patch: Partial<Conversation>) => {
    if (abort.signal.aborted) return
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }

  const readOn = async () => {
    for (;;) {
      const after = state.messages.at(-1)?.seq ?? 0
      const { items, nextCursor } = await sessions.messages(sessionId, { scope, after, limit: pageSize })
      // read twice at the same moment, a message must not be there twice
      const last = state.messages.at(-1)?.seq ?? 0
      const fresh = items.filter(({ seq }) => seq > last)
      if (fresh.length > 0) set({ messages: [...state.messages, ...fresh] })
      if (nextCursor === null || items.length === 0) return
    }
  }

  const open = async () => {
    const { items, nextCursor } = await sessions.messages(sessionId, { scope, limit: pageSize })
    set({ status: 'ready', messages: items, hasEarlier: nextCursor !== null })
  }

  const isStored = (runId: string) => state.messages.some(({ metadata }) => metadata?.runId === runId)

  /** Watches until nothing goes on that is not in the log. */
  const watch = async () => {
    while (!abort.signal.aborted) {
      const watching = new AbortController()
      const signal = AbortSignal.any([abort.signal, watching.signal])
      let seen = false
      for await (const batch of paced(sessions.observe(sessionId, { scope, signal }), flushMs)) {
        if (isStored(batch.runId)) {
          watching.abort()
          break
        }
        if (!seen) await readOn()
        seen = true
        const before = state.draft?.runId === batch.runId ? state.draft : emptyDraft(batch.runId)
        set({ draft: fold(before, batch.events) })
      }
      await readOn()
      set({ draft: undefined })
      if (!seen) return
    }
  }

  const wake = () => {
    isWoken = true
    if (isWatching) return
    isWatching = true
    void (async () => {
      while (isWoken && !abort.signal.aborted) {
        isWoken = false
        try {
          if (state.status !== 'ready') await open()
          await watch()
        } catch (error) {
          if (state.status !== 'ready') set({ status: 'failed', error })
        }
      }
      isWatching = false
    })()
  }
  wake()

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    loadEarlier() {
      loadingEarlier ??= (async () => {
        const before = state.messages[0]?.seq
        if (before === undefined || !state.hasEarlier) return
        const page = await sessions.messages(sessionId, { scope, before, limit: pageSize })
        set({ messages: [...page.items, ...state.messages], hasEarlier: page.nextCursor !== null })
      })().finally(() => {
        loadingEarlier = undefined
      })
      return loadingEarlier
    },
    wake,
    close: () => abort.abort(),
  }
}

/** Joins what comes within a moment into one batch. */
async function* paced(source: AsyncIterable<ObservedEvents>, ms: number): AsyncGenerator<ObservedEvents> {
  const iterator = source[Symbol.asyncIterator]()
  let pending = iterator.next()
  try {
    for (;;) {
      const first = await pending
      if (first.done) return
      const { runId } = first.value
      const events = [...first.value.events]
      const until = performance.now() + ms
      pending = iterator.next()
      for (;;) {
        const left = until - performance.now()
        if (left <= 0) break
        const next = await Promise.race([pending, pause(left)])
        if (next === undefined || next.done) break
        events.push(...next.value.events)
        pending = iterator.next()
      }
      yield { runId, events }
    }
  } finally {
    await iterator.return?.()
  }
}

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined))
