import type { StoreOperations } from '../../core/store/store.ts'
import { emitNode } from './step-table.ts'

// those further away are tried again when what they wait for is done: no transaction is as long as a plan is large
const maxAtOnce = 500

/** When a node is done, resets the nodes that it had blocked, and those that wait for them in turn. */
export async function unblock(
  tx: StoreOperations,
  scope: string,
  planId: string,
  nodeIds: readonly number[],
): Promise<void> {
  const freed: number[] = []
  for (let from = nodeIds; from.length > 0 && freed.length < maxAtOnce;) {
    from = await tx.resetNodes(planId, await tx.listBlockedBy(planId, from), ['blocked'])
    freed.push(...from)
  }
  for (const id of freed) await emitNode(tx, scope, planId, { id, status: 'pending' })
}

/** Wakes the runs of the plan: what they wait for may have changed. */
export async function wakeOthers(tx: StoreOperations, planId: string, ownRunId?: string): Promise<void> {
  for (const { runId } of await tx.listOpenPlanRuns(planId)) if (runId !== ownRunId) await tx.wakeRun(runId)
}
