import type { Caller } from '../../core/sessions/caller.ts'
import type { LockedType } from './protocol/lock.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** On whose behalf; with the session when it is a model that asks. */
export type DocumentCaller = Pick<Caller, 'scope' | 'actor'> & { sessionId?: string }

export interface DocumentLimits {
  /** Of the content of one document. */
  maxBytes: number
  /** After so long without a sign of its session a lock can be taken over. */
  lockTtlMs: number
}

export const defaultDocumentLimits: DocumentLimits = { maxBytes: 1_048_576, lockTtlMs: 300_000 }

/** Records what was done, in the transaction that did it. */
export function audit(
  tx: StoreOperations,
  { scope, actor, sessionId }: DocumentCaller,
  action: string,
  { type, id }: { type: LockedType; id: string },
  detail: Record<string, unknown> = {},
): Promise<void> {
  return tx.recordAudit(scope, { actor, action, resourceType: type, resourceId: id, sessionId, detail })
}
