import { ParleyError } from '../protocol/error.ts'
import type { GroupSwitches, PermissionMode } from '../protocol/permission.ts'
import type { Actor } from '../store/queries/audit.ts'
import type { NewAuditEntry } from '../store/queries/audit.ts'
import type { StoreOperations } from '../store/store.ts'

/** On whose behalf something is done, and where. Every id is looked up within the scope. */
export interface Caller {
  scope: string
  actor: Actor
  /** False for a key that is bound to scopes: it must not learn what others hold. */
  seesAllScopes: boolean
  /** Of the key with which it is asked; where people have names it is the person of that name. */
  keyName?: string
  /** Of such a key: what the configuration gives to every scope. */
  configured?: { mode?: PermissionMode; groups?: GroupSwitches }
}

/** What reaches beyond a scope is not for those whose key is bound to some. */
export function requireOperator({ seesAllScopes }: Caller, deed: string): void {
  if (!seesAllScopes) throw new ParleyError('forbidden', `A key that is bound to scopes may not ${deed}.`)
}

/** Records what was done to a session, in the transaction that did it. */
export function auditSession(
  tx: StoreOperations,
  { scope, actor }: Caller,
  action: NewAuditEntry['action'],
  sessionId: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  return tx.recordAudit(scope, {
    actor,
    action,
    resourceType: 'session',
    resourceId: sessionId,
    sessionId,
    detail,
  })
}

/** For followers of the scope. Last in its transaction: others wait for the row of the scope. */
export async function recordSessionEvent(
  tx: StoreOperations,
  { scope }: Caller,
  type: `session-${'created' | 'updated' | 'deleted'}`,
  sessionId: string,
  data: Record<string, unknown> = {},
): Promise<void> {
  await tx.recordEvent(scope, { type, sessionId, data })
}
