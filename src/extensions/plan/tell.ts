import type { NodeRecord } from './store/plans.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Step } from './step.ts'

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellStep(
  tx: StoreOperations,
  { id, scope, sessionId }: Pick<Run, 'id' | 'scope' | 'sessionId'>,
  { number, status, nodeId }: Step,
): Promise<void> {
  await tx.recordEvent(scope, { type: 'plan-step', sessionId, data: { runId: id, number, status, nodeId } })
}

export async function tellNode(
  tx: StoreOperations,
  scope: string,
  planId: string,
  { id, status, sessionId }: Pick<NodeRecord, 'id' | 'status' | 'sessionId'>,
): Promise<void> {
  await tx.recordEvent(scope, { type: 'plan-node', sessionId, data: { planId, nodeId: id, status } })
}
