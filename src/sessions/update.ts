import { toTimestamp } from '../protocol/names.ts'
import type { Session, UpdateSession } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, tellSession, type Caller } from './caller.ts'

/** Renames, archives, changes what a person may change; the rest of the record is the runtime's. */
export function updateSession(
  store: StoreOperations,
  clock: Clock,
  caller: Caller,
  id: string,
  patch: UpdateSession,
): Promise<Session> {
  return store.transaction(async (tx) => {
    const { scope: _, archived, ...fields } = patch
    const archivedAt = archived === undefined ? undefined : archived ? toTimestamp(clock.now()) : null
    const session = await tx.updateSession(caller.scope, id, { ...fields, archivedAt })
    const changed = Object.keys(patch)
    await auditSession(tx, caller, 'update', id, { fields: changed })
    await tellSession(tx, caller, 'session-updated', id, { fields: changed })
    return session
  })
}
