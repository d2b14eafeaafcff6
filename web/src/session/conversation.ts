import { ParleyError, type Message, type ParleyClient } from '../../../src/client/index.ts'
import type { RunEvent } from '../../../src/core/protocol/chunk.ts'
import { emptyDraft, fold, type Draft } from './fold.ts'
import { paced, type UntilSeen } from './pace.ts'

/** What is known of a run while it goes on. */
export interface Watched {
  runId: string
  metadata?: Record<string, unknown>
  isOver: boolean
}

/** How events of a run become what is shown of it. */
export interface Folding<Shown extends Watched> {
  empty(runId: string): Shown
  fold(before: Shown, events: readonly RunEvent[]): Shown
  /** Whether something has entered the log meanwhile, which is read on. Default: nothing does before the end. */
  entersLog?(before: Shown, after: Shown): boolean
  /** Whether the log holds all that was watched. Default: it holds a message of the run. */
  isInLog?(shown: Shown, messages: readonly Message[]): boolean
  /** Whether a run that was not watched yet is over already: there is nothing to see but the log. */
  isOver?(runId: string): Promise<boolean>
}

/** A run that leaves one answer. */
export const answerFolding: Folding<Draft> = { empty: emptyDraft, fold }

/** What of a session is on the screen: the stored log, as far as it was read, and the answer that is coming. */
export interface Conversation<Shown extends Watched = Draft> {
  status: 'loading' | 'ready' | 'failed'
  error?: unknown
  /** Oldest first, without gaps. */
  messages: readonly Message[]
  hasEarlier: boolean
  draft?: Shown
}

export interface ConversationFeed<Shown extends Watched = Draft> {
  get(): Conversation<Shown>
  subscribe(listener: () => void): () => void
  /** Reads the page of the log before the first one that is there. */
  loadEarlier(): Promise<void>
  /** Something may go on in the session now: looks, and watches it. After a failure it is asked again. */
  wake(): void
  /** Something may have been taken out of the log: looks, and shows what is left. */
  checkEnd(): void
  close(): void
}

const pageSize = 100
// a server that is restarted is back after a few of these
const retryMs = 1_000
// where nothing is drawn
const atOnce = async () => 0
const endReadMs = 100
const maxEndReads = 30
// of a run that was over before anybody looked: it may have been undone since, and then nothing of it comes
const maxLateReads = 3

/**
 * One way to see a session, whoever started what goes on there: the log is read, the run that goes on is observed until
 * it is over, and then the log is read on.
 */
export function createConversationFeed<Shown extends Watched>(
  { sessions }: ParleyClient,
  { scope, sessionId, untilSeen = atOnce }: { scope?: string; sessionId: string; untilSeen?: UntilSeen },
  folding: Folding<Shown>,
): ConversationFeed<Shown> {
  let state: Conversation<Shown> = { status: 'loading', messages: [], hasEarlier: false }
  const listeners = new Set<() => void>()
  const abort = new AbortController()
  let isWatching = false
  let isWoken = false
  let endedRunId: string | undefined
  let loadingEarlier: Promise<void> | undefined
  // runs that left nothing, or nothing that is still there
  const goneRuns = new Set<unknown>()
  // what was asked for before the log was cut must not be added to it
  let cuts = 0
  let hasLooked = false

  const set = (patch: Partial<Conversation<Shown>>) => {
    if (abort.signal.aborted) return
    state = { ...state, ...patch }
    for (const listener of listeners) listener()
  }

  const readOn = async () => {
    for (;;) {
      const after = state.messages.at(-1)?.seq ?? 0
      const before = cuts
      const { items, nextCursor } = await sessions.messages(sessionId, { scope, after, limit: pageSize })
      if (before !== cuts) continue
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

  /** Whether the log still ends with, or goes on after, what is shown as its end. */
  const isStillThere = async (): Promise<boolean> => {
    const last = state.messages.at(-1)
    if (!last) return true
    const { items } = await sessions.messages(sessionId, { scope, after: last.seq - 1, limit: 1 })
    return state.messages.at(-1) === last ? items[0]?.id === last.id : isStillThere()
  }

  const cut = async () => {
    if (await isStillThere()) return
    const page = await sessions.messages(sessionId, { scope, limit: pageSize })
    cuts++
    const first = page.items[0]?.seq ?? 0
    const earlier = state.messages.filter(({ seq }) => seq < first)
    const { messages: before, draft } = state
    set({
      messages: [...earlier, ...page.items],
      hasEarlier: earlier.length > 0 ? state.hasEarlier : page.nextCursor !== null,
      ...(draft?.isOver && { draft: undefined }),
    })
    for (const runId of [...before.map(({ metadata }) => metadata?.runId), draft?.isOver && draft.runId])
      if (typeof runId === 'string' && !isInLog(runId)) goneRuns.add(runId)
  }

  /** Of a run that is over, nothing is to be seen but what it left in the log, which may be nothing. */
  const isSettled = (runId: string) => runId === endedRunId || isDone(runId)
  const isDone = (runId: string) => goneRuns.has(runId) || isInLog(runId)
  const isInLog = (runId: string) => state.messages.some(({ metadata }) => metadata?.runId === runId)

  /** The end of a run is told a moment before it is stored: until then what was watched stays. */
  const readEnd = async (draft: Shown | undefined, maxReads: number) => {
    for (let left = maxReads; left > 0; left--) {
      await readOn()
      if (!draft?.isOver || isDone(draft.runId)) return
      if (folding.isInLog?.(draft, state.messages) ?? draft.metadata === undefined) return
      await pause(endReadMs)
    }
  }

  /** Watches until nothing goes on that is not in the log. */
  const watch = async () => {
    while (!abort.signal.aborted) {
      const watching = new AbortController()
      const signal = AbortSignal.any([abort.signal, watching.signal])
      let seen = false
      let late: Shown | undefined
      for await (const batch of paced(sessions.observe(sessionId, { scope, signal }), untilSeen)) {
        if (isSettled(batch.runId) || (!seen && (await folding.isOver?.(batch.runId)))) {
          watching.abort()
          break
        }
        if (!seen) await readOn()
        seen = true
        const before = state.draft?.runId === batch.runId ? state.draft : folding.empty(batch.runId)
        const draft = folding.fold(before, batch.events)
        if (draft.isOver) endedRunId = batch.runId
        if (draft.isOver && !hasLooked) late = draft
        else set({ draft })
        hasLooked = true
        if (!draft.isOver && folding.entersLog?.(before, draft)) await readOn()
      }
      hasLooked = true
      await readEnd(late ?? state.draft, late ? maxLateReads : maxEndReads)
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
          else if (!isFinal(error)) {
            isWoken = true
            await pause(retryMs)
          }
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
      const before = state.messages[0]?.seq
      if (before === undefined || !state.hasEarlier) return Promise.resolve()
      loadingEarlier ??= sessions
        .messages(sessionId, { scope, before, limit: pageSize })
        // over before anybody is told of it: whoever wants the next page asks at once
        .finally(() => {
          loadingEarlier = undefined
        })
        .then(({ items, nextCursor }) => {
          if (state.messages[0]?.seq === before)
            set({ messages: [...items, ...state.messages], hasEarlier: nextCursor !== null })
        })
      return loadingEarlier
    },
    wake,
    checkEnd() {
      // what could not be asked is asked again by whoever hears that the server is back
      if (state.status === 'ready') void cut().catch(() => {})
    },
    close: () => abort.abort(),
  }
}

/** A refusal does not change by asking again; a connection that was lost may be back. */
const isFinal = (error: unknown) => error instanceof ParleyError && error.code !== 'store_unavailable'

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined))
