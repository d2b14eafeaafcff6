import type { StoreOperations } from '../store/store.ts'
import { auditSession, tellSession, type Caller } from './caller.ts'

/** Takes everything of the session along, its child sessions too; what was done with it stays in the audit. */
export function deleteSession(store: StoreOperations, caller: Caller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const { title, messageCount } = await tx.requireSession(caller.scope, id)
    await tx.deleteSession(caller.scope, id)
    await auditSession(tx, caller, 'delete', id, { title, messageCount })
    await tellSession(tx, caller, 'session-deleted', id)
  })
}
