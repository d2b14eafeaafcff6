import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './deps.ts'
import { settleQueued } from './settle-run.ts'

/** Stops the tasks of a run, and the runs that it waits for. */
export async function cancelBelow(deps: PlanDeps, { id, scope, sessionId }: Run): Promise<void> {
  await deps.background.cancelTasksOf(scope, sessionId)
  for (const runId of await deps.store.listPlanRunsBelow(id)) {
    const below = await deps.store.getRun(scope, runId)
    if (below && (below.status === 'queued' || below.status === 'running')) await cancelRun(deps, below)
  }
}

/** One that has not begun ends at once; one that goes on is told to. */
export const cancelRun = (deps: PlanDeps, run: Run, store: StoreOperations = deps.store): Promise<void> =>
  store.transaction(async (tx) => {
    await lockPlanOf(tx, run)
    if (await tx.cancelQueuedRun(run.scope, run.id)) await settleQueued(tx, deps, run)
    else await tx.requestStop(run.scope, run.id, 'stopped')
  })

/** The end of a run whose session is about to be deleted; whoever works on it finds it gone. */
export async function endRun(tx: StoreOperations, deps: PlanDeps, run: Run): Promise<void> {
  await lockPlanOf(tx, run)
  await settleQueued(tx, deps, run)
}

/** The plan before its runs, as everywhere. */
async function lockPlanOf(tx: StoreOperations, run: Run): Promise<void> {
  const listed = await tx.getPlanRun(run.scope, run.id)
  if (listed?.record.planId !== undefined) await tx.lockPlanIfThere(run.scope, listed.record.planId)
}

export async function requireOpenRun(deps: PlanDeps, scope: string, runId: string): Promise<Run> {
  const run = await deps.store.getRun(scope, runId)
  if (!run || run.kind !== 'plan') throw notFound('plan run', runId)
  if (run.status !== 'queued' && run.status !== 'running')
    throw conflict(`The run ${quote(runId)} is over: it is ${run.status}.`, { status: run.status })
  return run
}
