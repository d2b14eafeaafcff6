import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './deps.ts'
import { settleQueued } from './settle-run.ts'

/** Stops what the steps of a run do, workflows among them. */
export async function cancelBelow(deps: WorkflowDeps, { id, scope, sessionId }: Run): Promise<void> {
  await deps.background.cancelTasksOf(scope, sessionId)
  for (const { runId } of await deps.store.listWorkflowRunsBelow(id)) {
    const below = await deps.store.getRun(scope, runId)
    if (below && (below.status === 'queued' || below.status === 'running')) await cancelRun(deps, below)
  }
}

/** One that has not begun ends at once; one that goes on is told to. */
export const cancelRun = (deps: WorkflowDeps, run: Run, store: StoreOperations = deps.store): Promise<void> =>
  store.transaction(async (tx) => {
    if (await tx.cancelQueuedRun(run.scope, run.id)) await settleQueued(tx, deps, run)
    else await tx.requestStop(run.scope, run.id, 'stopped')
  })

export async function requireOpenRun(deps: WorkflowDeps, scope: string, runId: string): Promise<Run> {
  const run = await deps.store.getRun(scope, runId)
  if (!run || run.kind !== 'workflow') throw notFound('workflow run', runId)
  if (run.status !== 'queued' && run.status !== 'running')
    throw conflict(`The run ${quote(runId)} is over: it is ${run.status}.`, { status: run.status })
  return run
}
