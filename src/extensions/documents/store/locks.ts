import type { Lock, LockedType } from '../protocol/lock.ts'
import { toTimestamp } from '../../../core/protocol/names.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'

export interface Locked {
  type: LockedType
  id: string
}

export type Hold = Omit<Lock, 'title'>

/** How a thing stands; times are those of the store. */
export interface LockState {
  /** Of the newest taking; 0 when it was never taken. */
  fence: number
  /** Who holds it now. */
  holder?: Hold
  /** Of the taking that the given session has not released; an older one is lost to others. */
  ownFence?: number
}

export interface LockQueries {
  /**
   * Takes a lock, or refreshes it when the session holds it; answers who else does instead. Within a transaction that has
   * locked the thing itself.
   */
  takeLock(
    scope: string,
    locked: Locked,
    hold: { sessionId: string; reason?: string; ttlMs: number },
  ): Promise<{ taken: Hold; isNew: boolean } | { heldBy: Hold }>
  readLock(locked: Locked, sessionId?: string): Promise<LockState>
  /** Gives it back; false when the session had nothing to give back. */
  releaseLock(locked: Locked, sessionId: string): Promise<boolean>
  /** Takes it from its holder: from then on their writes are refused. */
  revokeLock(locked: Locked): Promise<void>
  /** What is held now, newest first. */
  listLocks(scope: string, filter: { sessionId?: string; limit: number }): Promise<Lock[]>
  /** What is held now and concerns a session: its own, and what others hold of the things it changed or lost. */
  listLocksAround(scope: string, sessionId: string, limit: number): Promise<Lock[]>
}

export function lockQueries(context: QueryContext): LockQueries {
  const currentHold = async ({ type, id }: Locked, fence: number) => {
    const [row] = await selectHold(context, [type, id, fence])
    return row
  }

  return {
    async takeLock(scope, locked, { sessionId, reason, ttlMs }) {
      const { type, id } = locked
      await insertLock(context, [type, id, scope])
      const [{ fence } = { fence: 0 }] = await selectForUpdate(context, [type, id])
      const row = await currentHold(locked, fence)
      if (row?.is_live && row.session_id !== sessionId) return { heldBy: toHold(row) }
      const isOwn = row?.session_id === sessionId
      if (!isOwn) await advance(context, [type, id])
      const [taken] = isOwn
        ? await refresh(context, [ttlMs, reason ?? null, type, id, sessionId])
        : await insertHold(context, [type, id, sessionId, fence + 1, reason ?? null, ttlMs])
      return { taken: toHold(taken!), isNew: !isOwn }
    },

    async readLock(locked, sessionId) {
      const { type, id } = locked
      const [lock] = await selectFence(context, [type, id])
      if (!lock) return { fence: 0 }
      const row = await currentHold(locked, lock.fence)
      const [own] = sessionId === undefined ? [] : await selectOwn(context, [type, id, sessionId])
      return {
        fence: lock.fence,
        ...(row?.is_live && { holder: toHold(row) }),
        ...(own && { ownFence: own.fence }),
      }
    },

    async releaseLock({ type, id }, sessionId) {
      return (await deleteHold(context, [type, id, sessionId])).length > 0
    },

    async revokeLock({ type, id }) {
      await advance(context, [type, id])
    },

    async listLocks(scope, { sessionId, limit }) {
      const who = sessionId ?? null
      return (await selectLocks(context, [scope, who, who, limit])).map(toLock)
    },

    async listLocksAround(scope, sessionId, limit) {
      return (await selectAround(context, [scope, sessionId, sessionId, sessionId, limit])).map(toLock)
    },
  }
}

interface HoldRow {
  resource_type: LockedType
  resource_id: string
  session_id: string
  fence: number
  reason: string | null
  acquired_at: number
  expires_at: number
  is_live: number
}

type LockRow = HoldRow & { title: string }

const toHold = (row: HoldRow): Hold => ({
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  sessionId: row.session_id,
  ...(row.reason !== null && { reason: row.reason }),
  fence: row.fence,
  since: toTimestamp(row.acquired_at),
  expiresAt: toTimestamp(row.expires_at),
})

const toLock = (row: LockRow): Lock => ({ ...toHold(row), title: row.title })

const insertLock = statement(`
  insert into locks (resource_type, resource_id, scope, fence) values (?, ?, ?, 0)
  on conflict (resource_type, resource_id) do nothing
`)
// an update that changes nothing holds the row in every database
const selectForUpdate = statement<{ fence: number }>(`
  update locks set fence = fence where resource_type = ? and resource_id = ? returning fence
`)
const selectFence = statement<{ fence: number }>(
  `select fence from locks where resource_type = ? and resource_id = ?`,
)
const advance = statement(`update locks set fence = fence + 1 where resource_type = ? and resource_id = ?`)
const isLive = `case when expires_at > {now} then 1 else 0 end as is_live`
const selectHold = statement<HoldRow>(`
  select *, ${isLive} from lock_holds where resource_type = ? and resource_id = ? and fence = ?
`)
const selectOwn = statement<{ fence: number }>(
  `select fence from lock_holds where resource_type = ? and resource_id = ? and session_id = ?`,
)
const refresh = statement<HoldRow>(`
  update lock_holds set expires_at = {now} + ?, reason = coalesce(?, reason)
  where resource_type = ? and resource_id = ? and session_id = ? returning *
`)
const insertHold = statement<HoldRow>(`
  insert into lock_holds (resource_type, resource_id, session_id, fence, reason, acquired_at, expires_at)
  values (?, ?, ?, ?, ?, {now}, {now} + ?)
  on conflict (resource_type, resource_id, session_id) do update set fence = excluded.fence,
    reason = excluded.reason, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at
  returning *
`)
const deleteHold = statement<{ fence: number }>(`
  delete from lock_holds where resource_type = ? and resource_id = ? and session_id = ? returning fence
`)
const held = `
  select lock_holds.*, 1 as is_live, coalesce(documents.title, todo_lists.title, '') as title
  from lock_holds
  join locks on locks.resource_type = lock_holds.resource_type and locks.resource_id = lock_holds.resource_id
    and locks.fence = lock_holds.fence
  left join documents on lock_holds.resource_type = 'document' and documents.id = lock_holds.resource_id
  left join todo_lists on lock_holds.resource_type = 'todo_list' and todo_lists.id = lock_holds.resource_id
  where locks.scope = ? and lock_holds.expires_at > {now}
`
const newest = `order by lock_holds.acquired_at desc, lock_holds.resource_id limit ?`
const selectLocks = statement<LockRow>(`
  ${held} and (cast(? as text) is null or lock_holds.session_id = ?) ${newest}
`)
const selectAround = statement<LockRow>(`
  ${held} and (
    lock_holds.session_id = ?
    or exists (
      select 1 from lock_holds own where own.session_id = ?
        and own.resource_type = lock_holds.resource_type and own.resource_id = lock_holds.resource_id
    )
    or exists (
      select 1 from snapshots where snapshots.session_id = ?
        and snapshots.kind = lock_holds.resource_type and snapshots.name = lock_holds.resource_id
    )
  ) ${newest}
`)
