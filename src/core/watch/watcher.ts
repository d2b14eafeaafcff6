/**
 * Observers of work: what counts it, times it or puts its ids into the log. The parts that do the work know
 * nothing of this; `parley.ts` puts it around them. Single deltas are reported only to observers that request them.
 */
import type { ModelEvent, ModelRequest, ModelServer } from '../models/adapter.ts'
import type { ReadTraceContext } from '../models/trace-context.ts'
import type { Lease } from '../store/queries/claims.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { GuardedCall } from '../tools/call-outcome.ts'

/** Each is called for the kinds of work it has a method for, and must not throw. */
export interface Watcher {
  request?(request: WatchedRequest): Watch<RequestEnd>
  /** A run, or a stretch of it: one that waits for others begins again when it resumes. */
  run?(begun: { run: Run; lease: Lease }): Watch<RunEnd>
  /** One call of a model, for whatever purpose. */
  step?(step: WatchedStep): StepWatch
  /** One call of a tool; one that was refused ends at once. */
  tool?(call: GuardedCall): Watch<ToolEnd>
  transaction?(done: TransactionEnd): void
  /** What requests to others carry along, so that their work is seen with ours. */
  traceContext?: ReadTraceContext
}

export interface Watch<End> {
  /** Does the work in a context where it can be attributed. */
  within?<T>(work: () => T): T
  end(how: End): void
}

export interface StepWatch extends Watch<StepEnd> {
  onEvent?(event: ModelEvent): void
}

export interface WatchedRequest {
  requestId: string
  method: string
  /** Whole, as the client wrote it: its query may hold what was said. */
  readonly url: string
  header(name: string): string | undefined
}

export interface WatchedStep {
  model: string
  request: ModelRequest
  /** Where the model is, if it is elsewhere. */
  server?: ModelServer
}

export interface RequestEnd {
  /** The pattern, such as `/api/sessions/:id`. */
  route: string
  status: number
}

export interface RunEnd {
  /** `waiting` for others; `released` where it did not end here and another owner resumes it. */
  status: FinalStatus | 'waiting' | 'released'
  /** A stable word for what ended it. */
  code?: string
}

export interface StepEnd {
  finish?: Extract<ModelEvent, { type: 'finish' }>
  /** A stable word for why there is none. */
  fault?: string
  /** Until the first event came. */
  firstMs?: number
}

export interface ToolEnd {
  outcome: 'ok' | 'failed' | 'refused'
  value?: unknown
}

export interface TransactionEnd {
  ms: number
  /** More than one where others were in the way. */
  attempts: number
  isCommitted: boolean
}

/** Those who watch one Parley. While there are none, nothing is made for them. */
export interface Watchers {
  /** Answers its undo. */
  add(watcher: Watcher): () => void
  request(request: WatchedRequest): Required<Watch<RequestEnd>> | undefined
  run(begun: { run: Run; lease: Lease }): Required<Watch<RunEnd>> | undefined
  step(step: WatchedStep): Required<StepWatch> | undefined
  tool(call: GuardedCall): Required<Watch<ToolEnd>> | undefined
  /** Of the first that has one. */
  traceContext: ReadTraceContext
  /** Undefined while nobody observes: then none is timed. */
  readonly transaction: ((done: TransactionEnd) => void) | undefined
}

export function createWatchers(): Watchers {
  let watchers: readonly Watcher[] = []
  let transaction: Watchers['transaction']

  const set = (changed: readonly Watcher[]) => {
    watchers = changed
    const wanting = changed.filter((watcher) => watcher.transaction)
    transaction =
      wanting.length === 0 ? undefined : (done) => wanting.forEach((one) => one.transaction!(done))
  }

  return {
    add(watcher) {
      set([...watchers, watcher])
      return () => set(watchers.filter((one) => one !== watcher))
    },
    request: (facts) => together(watchers.flatMap((watcher) => watcher.request?.(facts) ?? [])),
    run: (facts) => together(watchers.flatMap((watcher) => watcher.run?.(facts) ?? [])),
    step: (facts) => together(watchers.flatMap((watcher) => watcher.step?.(facts) ?? [])),
    tool: (facts) => together(watchers.flatMap((watcher) => watcher.tool?.(facts) ?? [])),
    traceContext() {
      for (const watcher of watchers) {
        const context = watcher.traceContext?.()
        if (context) return context
      }
      return undefined
    },
    get transaction() {
      return transaction
    },
  }
}

/** Several watches as one; the first is the innermost. */
function together<End>(watches: (Watch<End> & Pick<StepWatch, 'onEvent'>)[]) {
  if (watches.length === 0) return undefined
  const listeners = watches.filter(({ onEvent }) => onEvent)
  return {
    within: <T>(work: () => T): T =>
      watches.reduce((inner, watch) => (watch.within ? () => watch.within!(inner) : inner), work)(),
    onEvent: (event: ModelEvent) => listeners.forEach((watch) => watch.onEvent!(event)),
    end: (how: End) => watches.forEach((watch) => watch.end(how)),
  }
}
