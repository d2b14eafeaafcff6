import { conflict, notFound, quote } from '../protocol/error.ts'
import type { RunKind } from '../runs/run-engine.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { BackgroundManager } from '../tasks/background-manager.ts'
import { orchestrate, type ActiveRun, type Orchestration } from './orchestrate.ts'

/**
 * A kind of run with a session of its own and with steps, which are done by tasks of that session or by runs that are its
 * tasks. Nobody owns such a run while it waits for them, and it can be a task of others itself.
 *
 * The order of locks: what `lock` locks, then the run, then its steps and sessions, and the row of the scope, by events,
 * last.
 */
export interface SteppedKind<Active, End> extends Pick<
  Orchestration<Active, End>,
  'clock' | 'load' | 'advance' | 'toEnd' | 'isRefusal'
> {
  name: string
  store: Store
  background: Pick<BackgroundManager, 'cancelTasksOf'>
  /** Locks what comes before runs. `active` where this process owns the run. */
  lock?(tx: StoreOperations, run: Run, active?: Active): Promise<void>
  toOutcome(end: End): Record<string, unknown>
  /** All that goes with an end, in its transaction: those who wait for the run are notified, or nothing is stored. */
  onEnd(tx: StoreOperations, run: Run, end: End, active?: Active): Promise<void>
  /** Whether tasks that are left at such an end may finish. Default: no. */
  leavesTasks?(end: End): boolean
}

export interface SteppedRuns extends RunKind {
  /** Cancels a run that somebody names. */
  cancelById(scope: string, runId: string): Promise<void>
}

export function createSteppedRuns<Active extends ActiveRun, End extends { status: FinalStatus }>(
  kind: SteppedKind<Active, End>,
): SteppedRuns {
  const { name, store, lock = async () => {} } = kind
  /** The end of a run that nobody works on, or whose session is about to be deleted. */
  const endUnowned = async (tx: StoreOperations, run: Run) => {
    const end = kind.toEnd({ status: 'cancelled', code: 'cancelled' })
    await tx.amendOutcome(run.id, kind.toOutcome(end))
    await kind.onEnd(tx, run, end)
  }
  /** A queued run ends at once; a running one is asked to stop. */
  const cancel = (given: StoreOperations, run: Run) =>
    given.transaction(async (tx) => {
      await lock(tx, run)
      if (await tx.cancelQueuedRun(run.scope, run.id)) await endUnowned(tx, run)
      else await tx.requestStop(run.scope, run.id, 'stopped')
    })
  return {
    ...orchestrate<Active, End>({
      ...kind,
      async stopBelow({ run }, end) {
        if (!kind.leavesTasks?.(end)) await kind.background.cancelTasksOf(run.scope, run.sessionId)
      },
      settle: (active, end) =>
        store.transaction(async (tx) => {
          const { run, lease } = active
          await lock(tx, run, active)
          await tx.finishRun(lease, { status: end.status, outcome: kind.toOutcome(end) })
          await kind.onEnd(tx, run, end, active)
        }),
    }),
    ownsSession: true,
    cancel,
    async end(tx, run) {
      await lock(tx, run)
      await endUnowned(tx, run)
    },
    async cancelById(scope, runId) {
      const run = await store.getRun(scope, runId)
      if (run?.kind !== name) throw notFound(`${name} run`, runId)
      if (run.status !== 'queued' && run.status !== 'running')
        throw conflict(`The run ${quote(runId)} is over: it is ${run.status}.`, { status: run.status })
      await cancel(store, run)
    },
  }
}
