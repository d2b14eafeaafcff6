import { toTimestamp } from '../protocol/names.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Session, UpdateSession } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, checkSwitches, tellSession, type Caller } from './caller.ts'

/** Renames, archives, changes what a person may change; the rest of the record is the runtime's. */
export function updateSession(
  store: StoreOperations,
  clock: Clock,
  caller: Caller,
  id: string,
  patch: UpdateSession,
): Promise<Session> {
  checkSwitches(caller, patch.toolGroups)
  return store.transaction(async (tx) => {
    const { scope: _, archived, ...fields } = patch
    if (fields.grantedPaths) await requireGranted(tx, caller, id, fields.grantedPaths)
    if (fields.planId) await tx.requirePlan(caller.scope, fields.planId)
    const archivedAt = archived === undefined ? undefined : archived ? toTimestamp(clock.now()) : null
    const session = await tx.updateSession(caller.scope, id, { ...fields, archivedAt })
    const changed = Object.keys(patch)
    await auditSession(tx, caller, 'update', id, { fields: changed })
    await tellSession(tx, caller, 'session-updated', id, { fields: changed })
    return session
  })
}

/** Grants are given by answering an ask; here they are only taken back. */
async function requireGranted(
  tx: StoreOperations,
  { scope }: Caller,
  id: string,
  paths: readonly string[],
): Promise<void> {
  const { grantedPaths = [] } = await tx.requireSession(scope, id)
  const fresh = paths.find((path) => !grantedPaths.includes(path))
  if (fresh !== undefined)
    throw invalidRequest(
      `grantedPaths: ${quote(fresh)} is not granted; grants are given when the session asks for them.`,
    )
}
