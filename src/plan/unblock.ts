import type { StoreOperations } from '../store/store.ts'
import { downstreamOf } from './next-nodes.ts'
import { tellNode } from './tell.ts'

/** When something is done, what was blocked because of it can be tried again. */
export async function unblock(
  tx: StoreOperations,
  scope: string,
  planId: string,
  nodeIds: readonly number[],
): Promise<void> {
  const blocked = await tx.listNodes(planId, { status: 'blocked' })
  if (blocked.length === 0) return
  const states = await tx.listLinks(planId)
  const waiting = downstreamOf(states, nodeIds)
  const ids = blocked.flatMap(({ id }) => (waiting.has(id) ? [id] : []))
  for (const id of await tx.resetNodes(planId, ids, ['blocked']))
    await tellNode(tx, scope, planId, { id, status: 'pending' })
}

/** Those that work on the plan look again: what they waited for may have changed. */
export async function wakeOthers(tx: StoreOperations, planId: string, ownRunId?: string): Promise<void> {
  for (const { runId } of await tx.listOpenPlanRuns(planId)) if (runId !== ownRunId) await tx.wakeRun(runId)
}
