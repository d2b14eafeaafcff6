import type { StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'

/** What ends the work of a session; injected, since it lies above sessions. */
export interface SessionDeleter {
  deleteIn(tx: StoreOperations, scope: string, sessionId: string): Promise<string[]>
}

/**
 * Takes everything of the session along; what was done with it stays in the audit. Tasks that it started stay, without a
 * parent: those that are running are stopped, unless they are detached.
 */
export function deleteSession(
  store: StoreOperations,
  background: SessionDeleter,
  caller: Caller,
  id: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { title, messageCount } = await tx.requireSession(caller.scope, id)
    const left = await background.deleteIn(tx, caller.scope, id)
    const tasks = left.length > 0 ? { tasksLeft: left } : {}
    await auditSession(tx, caller, 'delete', id, { title, messageCount, ...tasks })
    for (const sessionId of left)
      await recordSessionEvent(tx, caller, 'session-updated', sessionId, { fields: ['parentId'] })
    await recordSessionEvent(tx, caller, 'session-deleted', id)
  })
}
