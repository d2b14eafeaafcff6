import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import type { Lock, LockList, LockListQuery } from './protocol/lock.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Hold, Locked } from './store/locks.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { audit, type DocumentCaller, type DocumentLimits } from './document-caller.ts'
import type { HeldResource } from './facets.ts'

const maxListed = 1_000
const maxInPrompt = 20

type SessionCaller = DocumentCaller & { sessionId: string }

/** Locks a resource for a session, or extends its lock. */
export function takeLock(
  limits: Pick<DocumentLimits, 'lockTtlMs'>,
  store: StoreOperations,
  caller: SessionCaller,
  locked: Locked,
  reason?: string,
): Promise<Hold> {
  return store.transaction(async (tx) => {
    await requireLockable(tx, caller.scope, locked)
    return takeLockOf(limits, tx, caller, locked, reason)
  })
}

/** The same within the caller's transaction. */
export async function takeLockOf(
  { lockTtlMs }: Pick<DocumentLimits, 'lockTtlMs'>,
  tx: StoreOperations,
  caller: SessionCaller,
  locked: Locked,
  reason?: string,
): Promise<Hold> {
  const hold = { sessionId: caller.sessionId, reason, ttlMs: lockTtlMs }
  const result = await tx.takeLock(caller.scope, locked, hold)
  if ('heldBy' in result) throw heldBySomebody(result.heldBy)
  if (result.isNew) await recordLock(tx, caller, 'checkout', locked, result.taken)
  return result.taken
}

/** Releases a lock; only its holder can. */
export function releaseLock(store: StoreOperations, caller: SessionCaller, locked: Locked): Promise<void> {
  return store.transaction(async (tx) => {
    await requireLockable(tx, caller.scope, locked)
    const { holder } = await tx.readLock(locked)
    if (holder && holder.sessionId !== caller.sessionId) throw heldBySomebody(holder)
    if (!(await tx.releaseLock(locked, caller.sessionId)))
      throw conflict(`This session holds no lock on ${describe(locked)}.`)
    await recordLock(tx, caller, 'checkin', locked)
  })
}

/** A person takes it from the session that holds it, if any; what that one writes is refused from then on. */
export function forceRelease(store: StoreOperations, caller: DocumentCaller, locked: Locked): Promise<void> {
  return store.transaction(async (tx) => {
    await requireLockable(tx, caller.scope, locked)
    const { holder } = await tx.readLock(locked)
    if (!holder) return
    await tx.revokeLock(locked)
    await recordLock(tx, caller, 'force_release', locked, holder)
  })
}

/** The lock state of a resource, before it is written. */
export async function lockStatus(
  store: StoreOperations,
  { scope, sessionId }: DocumentCaller,
  locked: Locked,
): Promise<{ holder?: Hold; isOwn: boolean }> {
  await requireLockable(store, scope, locked)
  const { holder } = await store.readLock(locked)
  return { ...(holder && { holder }), isOwn: holder !== undefined && holder.sessionId === sessionId }
}

export async function listLocks(
  store: StoreOperations,
  { scope }: DocumentCaller,
  { session }: Pick<LockListQuery, 'session'>,
): Promise<LockList> {
  return { items: await store.listLocks(scope, { sessionId: session, limit: maxListed }), nextCursor: null }
}

/**
 * Refuses a write of something that somebody else holds, or took since the writer had it: what such a writer knows of it
 * is old. Within a transaction that has locked the thing itself.
 */
export async function requireWritable(
  tx: StoreOperations,
  { sessionId }: Pick<DocumentCaller, 'sessionId'>,
  locked: Locked,
  givenFence?: number,
): Promise<void> {
  const { fence, holder, ownFence } = await tx.readLock(locked, sessionId)
  if (holder && holder.sessionId !== sessionId) throw heldBySomebody(holder)
  const stale = [ownFence, givenFence].find((known) => known !== undefined && known !== fence)
  if (stale !== undefined)
    throw conflict(
      `The lock on ${describe(locked)} was lost: somebody else had it since. ` +
        'Read it again, check it out again, and then write.',
      { fence: stale, newestFence: fence },
    )
}

/** A missing resource has no lock; its former holder does not get it back when it is restored. */
export async function dropLock(
  tx: StoreOperations,
  { sessionId }: DocumentCaller,
  locked: Locked,
): Promise<void> {
  if (sessionId !== undefined) await tx.releaseLock(locked, sessionId)
  await tx.revokeLock(locked)
}

/** What a session has to know of locks at the beginning of a turn; no times, so that it stays the same while they do. */
export async function readLocksAround(
  store: StoreOperations,
  { id, scope }: Pick<Session, 'id' | 'scope'>,
): Promise<HeldResource[]> {
  const locks = await store.listLocksAround(scope, id, maxInPrompt)
  return locks
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((lock) => ({
      resource: `${nameOf(lock)} ${quote(lock.title)}`,
      holder: lock.sessionId === id ? 'this session' : `session ${lock.sessionId}`,
      ...(lock.reason !== undefined && { reason: lock.reason }),
    }))
}

const nameOf = ({ resourceType, resourceId }: Lock) => `${resourceType}:${resourceId}`
const describe = ({ type, id }: Locked) => `the ${type.replace('_', ' ')} ${quote(id)}`

async function requireLockable(tx: StoreOperations, scope: string, { type, id }: Locked): Promise<void> {
  const found = type === 'document' ? await tx.lockDocument(scope, id) : await tx.lockTodoList(scope, id)
  if (!found || ('deletedAt' in found && found.deletedAt !== undefined))
    throw notFound(type.replace('_', ' '), id)
}

function heldBySomebody({ resourceType: type, resourceId: id, sessionId, since, reason }: Hold) {
  const why = reason === undefined ? '' : ` (${reason})`
  return conflict(
    `Session ${quote(sessionId)} holds ${describe({ type, id })} since ${since}${why}. ` +
      'Try again later, or work on something else.',
    { heldBy: { sessionId, since, ...(reason !== undefined && { reason }) } },
  )
}

/** The event last: others wait for the row of the scope. */
async function recordLock(
  tx: StoreOperations,
  caller: DocumentCaller,
  action: 'checkout' | 'checkin' | 'force_release',
  locked: Locked,
  hold?: Hold,
): Promise<void> {
  const { type: resourceType, id: resourceId } = locked
  const known = hold && { holder: hold.sessionId, fence: hold.fence, reason: hold.reason }
  await audit(tx, caller, action, { type: resourceType, id: resourceId }, known)
  await tx.recordEvent(caller.scope, {
    type: 'lock-changed',
    sessionId: caller.sessionId,
    data: { resourceType, resourceId, action, ...known },
  })
}
