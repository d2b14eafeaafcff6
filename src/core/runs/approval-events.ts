import type { Approval } from '../protocol/approval.ts'
import type { StoreOperations } from '../store/store.ts'

/** For followers of the scope. Last in its transaction: others wait for the row of the scope. */
export async function recordApprovalEvents(
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
  await recordTaskEvent(tx, type, { scope, sessionId, status }, data)
}

/** Of a background session: that it waits for a person, or that it resumes. */
async function recordTaskEvent(
  tx: StoreOperations,
  type: string,
  { scope, sessionId, status }: Pick<Approval, 'scope' | 'sessionId' | 'status'>,
  data: Record<string, unknown>,
): Promise<void> {
  // a finished run does not resume
  if (status === 'cancelled' || (await tx.getSession(scope, sessionId))?.kind !== 'background') return
  if (type === 'approval-requested')
    return void (await tx.recordEvent(scope, { type: 'bg:session.waiting', sessionId, data }))
  const { items } = await tx.listApprovals(scope, { sessionId, status: 'pending', limit: 20 })
  const isAsked = items.some((ask) => ask.sessionId === sessionId)
  if (!isAsked) await tx.recordEvent(scope, { type: 'bg:session.resumed', sessionId, data })
}
