/**
 * Executes runs of every kind, and names none of them. It is built before everything that starts runs: they are taken
 * in, observed and stopped through it. Whoever has a kind of run registers it, and `start()` comes after the last one.
 */
import type { RunEvent } from '../protocol/chunk.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import { createEventHub } from './event-hub.ts'
import type { Admission } from './busy-policy.ts'
import type { Claim } from '../store/queries/claims.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { createInProcessDispatcher, type DispatcherOptions, type Execution } from './dispatcher.ts'

/** What is done with the runs of one kind. */
export interface RunKind extends Pick<DispatcherOptions, 'execute' | 'giveUp'> {
  /** Whether this process can execute it; one that was claimed and cannot be is given up as interrupted. Default: yes. */
  canExecute?(run: Run): boolean
  /** Only the process that admitted a run can execute it. */
  isLocal?: boolean
  /**
   * Stops a run because of what started it, in a transaction of the caller's: one that has not begun ends at once, one
   * that is running is asked to stop. A kind that has this is one whose runs are tasks of others.
   */
  cancel?(tx: StoreOperations, run: Run, why: CancelReason): Promise<void>
  /** Ends a run whose session is about to be deleted, in that transaction, for those who wait for it. */
  end?(tx: StoreOperations, run: Run): Promise<void>
  /** Whether a run is an input to its session: it waits in the queue, and can be changed there. Default: no. */
  takesInput?(run: Run): boolean
  /** False: inputs that arrive while it is running cannot be taken in between steps. */
  canBeSteered?: boolean
  /** Its session is the run's own: nobody answers there before its end. */
  ownsSession?: boolean
  /** Of a run that ended: the messages that answer, where that is not the one of its own id. */
  answers?(store: StoreOperations, run: Run): Promise<Message[]>
}

export interface CancelReason {
  /** Stored with the end of one that has not begun. */
  message: string
  /** The reason that a running one receives. Default: stopped. */
  stopReason?: string
}

export interface RunEngineOptions extends Omit<
  DispatcherOptions,
  'hub' | 'execute' | 'giveUp' | 'canExecute'
> {
  /** Put around the execution of each run, for those who watch. */
  aroundRun?<T>(execution: Execution, work: () => Promise<T>): Promise<T>
}

export interface RunEngine {
  /** Refuses a kind that is registered already, and any kind after `start()`. */
  register(kind: string, definition: RunKind): void
  /** The kinds whose runs are tasks of others, in the order in which they were registered. */
  taskKinds(): string[]
  /** What is known of a kind; undefined for one that nobody registered. */
  kind(name: string): RunKind | undefined
  /** Whether a run is an input to its session. */
  takesInput(run: Run): boolean
  /** What a run is claimed with in the transaction that admits it. */
  claim(): Promise<Claim>
  /** After the commit: executes a run that was claimed, and stops the one that has to give way to it. */
  begin(admission: Admission): void
  /** Executes what waits in this session too, where only own runs are executed. */
  adopt(sessionId: string): void
  observe(runId: string, options: { after?: number; signal: AbortSignal }): AsyncGenerator<RunEvent[]>
  /** How many observe a run at the moment. */
  readonly observerCount: number
  /** Stops this one, whether it is running or waits. */
  stopRun(run: Pick<Run, 'scope' | 'id'>): Promise<void>
  /** Stops the run that is running in a session, and answers it; those that wait stay where they are. */
  stopSession(place: { scope: string; sessionId: string }): Promise<Run | undefined>
  /** Stops a run in the way of its kind. */
  cancel(tx: StoreOperations, run: Run, why: CancelReason): Promise<void>
  /** Ends a run whose session is about to be deleted, in the way of its kind. */
  end(tx: StoreOperations, run: Run): Promise<void>
  start(): void
  /** Lets runs finish for a while; those that do not are left to the next process. */
  close(graceMs: number): Promise<void>
}

export function createRunEngine({
  aroundRun = (_, work) => work(),
  ...options
}: RunEngineOptions): RunEngine {
  const { store, logger } = options
  const kinds = new Map<string, RunKind>()
  /** Runs of local kinds that were admitted here and have not been executed yet. */
  const admitted = new Set<string>()
  let isStarted = false
  const hub = createEventHub(store, (error) =>
    logger.warn({ err: error }, 'storing events failed, will try again'),
  )
  const dispatcher = createInProcessDispatcher({
    ...options,
    hub,
    canExecute(run) {
      const kind = kinds.get(run.kind)
      // one that nobody knows is given up for that reason, not as interrupted
      if (!kind) return true
      if (kind.isLocal && !admitted.has(run.id)) return false
      return kind.canExecute?.(run) ?? true
    },
    execute: (execution) =>
      aroundRun(execution, async () => {
        const { id, kind } = execution.run
        const known = kinds.get(kind)
        if (!known) return giveUpUnknown(execution, { code: 'unknown_kind', message: describeUnknown(kind) })
        const outcome = await known.execute(execution).catch((error: unknown) => {
          admitted.delete(id)
          throw error
        })
        // it is executed here again when what it waits for has come
        if (outcome !== 'waits') admitted.delete(id)
        return outcome
      }),
    giveUp: (execution, reason) =>
      (kinds.get(execution.run.kind)?.giveUp ?? giveUpUnknown)(execution, reason),
  })

  return {
    register(kind, definition) {
      if (kinds.has(kind)) throw invalidRequest(`The run kind ${quote(kind)} is registered already.`)
      if (isStarted)
        throw invalidRequest(
          `The run kind ${quote(kind)} is registered too late: runs are executed already. Register it before start().`,
        )
      kinds.set(kind, definition)
    },
    kind: (name) => kinds.get(name),
    takesInput: (run) => kinds.get(run.kind)?.takesInput?.(run) ?? false,
    taskKinds: () => [...kinds].flatMap(([kind, { cancel }]) => (cancel ? [kind] : [])),

    claim: () => dispatcher.claim(),
    begin({ run, lease, interrupted, begun }) {
      if (kinds.get(run.kind)?.isLocal) admitted.add(run.id)
      if (lease) dispatcher.take(run, lease, begun)
      if (interrupted) dispatcher.abort(interrupted.id, 'interrupted by a newer input')
    },
    adopt: (sessionId) => dispatcher.adopt(sessionId),

    observe: (runId, observing) => hub.observe(runId, observing),
    get observerCount() {
      return hub.observerCount
    },

    async stopRun({ scope, id }) {
      await store.requestStop(scope, id, 'stopped')
      dispatcher.abort(id, 'stopped')
    },
    async stopSession({ scope, sessionId }) {
      await store.requireSession(scope, sessionId)
      const running = (await store.listOpenRuns(sessionId)).find(({ status }) => status === 'running')
      if (!running) return undefined
      await store.requestStop(scope, running.id, 'stopped')
      dispatcher.abort(running.id, 'stopped')
      return running
    },

    async cancel(tx, run, why) {
      const cancel = kinds.get(run.kind)?.cancel
      if (cancel) await cancel(tx, run, why)
      else await tx.requestStop(run.scope, run.id, why.stopReason ?? 'stopped')
    },
    async end(tx, run) {
      await kinds.get(run.kind)?.end?.(tx, run)
    },

    start() {
      isStarted = true
      dispatcher.start()
    },
    async close(graceMs) {
      await dispatcher.stop(graceMs)
      await hub.stop()
    },
  }
}

const describeUnknown = (kind: string) =>
  `Nothing here executes runs of the kind ${quote(kind)}; it belongs to a part of Parley that is not there.`

/** What its end means beyond the run is known to its kind alone; observers of the run or its session are notified. */
async function giveUpUnknown(
  { run, lease, log }: Execution,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const { id: runId, scope, sessionId } = run
  const end = async (tx: StoreOperations) => {
    await tx.finishRun(lease, { status: 'failed', outcome: { code, message } })
    await tx.setChatStatus(sessionId, 'idle')
    await tx.recordEvent(scope, { type: 'run-finished', sessionId, data: { runId, status: 'failed', code } })
  }
  await log.commit(end, [
    { type: 'error', errorText: message },
    { type: 'finish', finishReason: 'error' },
  ])
}
