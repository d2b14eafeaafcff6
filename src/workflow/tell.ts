import type { Approval } from '../protocol/approval.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { StepState } from './step-state.ts'

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellStep(
  tx: StoreOperations,
  { id, scope, sessionId }: Pick<Run, 'id' | 'scope' | 'sessionId'>,
  { path, status }: Pick<StepState, 'path' | 'status'>,
): Promise<void> {
  await tx.recordEvent(scope, { type: 'workflow-step', sessionId, data: { runId: id, path, status } })
}

/** The same of a question that a person is asked. */
export async function tellQuestion(
  tx: StoreOperations,
  type: 'approval-requested' | 'approval-settled',
  { id, scope, sessionId, runId, toolName, action, status }: Approval,
): Promise<void> {
  await tx.recordEvent(scope, { type, sessionId, data: { approvalId: id, runId, toolName, action, status } })
}
