import type { Approval } from '../protocol/approval.ts'
import type { StoreOperations } from '../store/store.ts'

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellApproval(
  tx: StoreOperations,
  type: 'approval-requested' | 'approval-settled',
  { id, scope, sessionId, parentSessionId, runId, toolName, action, status }: Approval,
): Promise<void> {
  const data = {
    approvalId: id,
    runId,
    toolName,
    action,
    status,
    ...(parentSessionId && { parentSessionId }),
  }
  await tx.recordEvent(scope, { type, sessionId, data })
}
