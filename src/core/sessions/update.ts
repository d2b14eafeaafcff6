import { toTimestamp } from '../protocol/names.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Session, UpdateSession } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'
import type { JoinedLifecycle } from './lifecycle.ts'
import { requireNoRaise } from './refuse-raised-rights.ts'
import { rightsInScope } from './scope-settings.ts'
import { requireOpenThread } from './threads.ts'

/** Renames, archives, changes what a person may change; the rest of the record is the runtime's. */
export function updateSession(
  store: StoreOperations,
  { clock, lifecycle }: { clock: Clock; lifecycle: Pick<JoinedLifecycle, 'checkPatch'> },
  caller: Caller,
  id: string,
  patch: UpdateSession,
): Promise<Session> {
  if (patch.archiveReason !== undefined && !patch.archived)
    throw invalidRequest('archiveReason goes with "archived": true.')
  return store.transaction(async (tx) => {
    const { scope: _, archived, ...fields } = patch
    await lifecycle.checkPatch(tx, caller, id, patch)
    if (!caller.seesAllScopes)
      requireNoRaise(
        tx,
        caller,
        patch,
        await tx.requireSession(caller.scope, id),
        await rightsInScope(tx, caller),
      )
    if (fields.grantedPaths) await requireGranted(tx, caller, id, fields.grantedPaths)
    if (fields.thread) await requireOpenThread(tx, caller, fields.thread)
    const archivedAt = archived === undefined ? undefined : archived ? toTimestamp(clock.now()) : null
    // the reason goes with what it was given for
    const archiveReason = archived === false ? null : fields.archiveReason
    const session = await tx.updateSession(caller.scope, id, { ...fields, archivedAt, archiveReason })
    const changed = Object.keys(patch)
    const { parameters } = patch
    await auditSession(tx, caller, 'update', id, {
      fields: changed,
      ...(parameters !== undefined && { parameters }),
    })
    await recordSessionEvent(tx, caller, 'session-updated', id, { fields: changed })
    return session
  })
}

/** Grants are given by answering an ask; here they are only revoked. */
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
