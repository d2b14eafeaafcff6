import type { CronFire } from '../protocol/cron.ts'
import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { givenFields } from '../../../core/store/rows.ts'
import { statement } from '../../../core/store/statement.ts'
import type { CronFireRow } from './tables.ts'
import type { Page } from '../../../core/store/queries/cursor.ts'

export interface FireRecord {
  cronId: string
  fireAt: number
  cause: CronFire['cause']
  outcome: CronFire['outcome']
  reason?: string
  times: number
  sessionId?: string
  createdAt: number
  endedAt?: number
}

export type NewFire = Pick<FireRecord, 'fireAt' | 'cause' | 'outcome' | 'reason' | 'sessionId'> & {
  times?: number
}

export interface CronFireQueries {
  /** Records times of a cron; returns those that were not in the ledger yet. */
  addFires(cronId: string, fires: NewFire[]): Promise<number[]>
  /** Changes a fire that has the given outcome; false when it has another by now. `null` removes a reason. */
  updateFire(
    cronId: string,
    fireAt: number,
    from: FireRecord['outcome'],
    patch: Partial<Pick<FireRecord, 'outcome' | 'sessionId' | 'endedAt'>> & { reason?: string | null },
  ): Promise<boolean>
  getFireOfSession(sessionId: string): Promise<FireRecord | undefined>
  /** Newest first. */
  listFires(cronId: string, page: { limit: number; cursor?: string }): Promise<Page<FireRecord>>
  /** Those that are running or waiting, oldest first. */
  listOpenFires(cronId: string): Promise<FireRecord[]>
  /** Skips those that are waiting. */
  skipQueuedFires(cronId: string, reason: string): Promise<void>
  /** Crons of all scopes with a fire that waits, the longest waiting first. */
  listWaitingCrons(limit: number): Promise<{ scope: string; id: string }[]>
  /** Crons of all scopes with a fire that was recorded later than this. */
  listCronsWrittenAfter(time: number, limit: number): Promise<{ scope: string; id: string }[]>
  /** Deletes the records of missed times after this one; what was started stays. */
  deleteMissedAfter(cronId: string, time: number): Promise<void>
  /** Open ones stay. */
  deleteFiresBefore(time: number): Promise<void>
}

export function cronFireQueries(context: QueryContext): CronFireQueries {
  const { db, clock } = context
  return {
    async addFires(cronId, fires) {
      if (fires.length === 0) return []
      const now = clock.now()
      const rows = fires.map((fire): CronFireRow => ({
        cron_id: cronId,
        fire_at: fire.fireAt,
        cause: fire.cause,
        outcome: fire.outcome,
        reason: fire.reason ?? null,
        times: fire.times ?? 1,
        session_id: fire.sessionId ?? null,
        created_at: now,
        ended_at: fire.outcome === 'started' || fire.outcome === 'queued' ? null : now,
      }))
      const added = await db
        .insertInto('cron_fires')
        .values(rows)
        .onConflict((oc) => oc.columns(['cron_id', 'fire_at']).doNothing())
        .returning('fire_at')
        .execute()
      const isAdded = new Set(added.map(({ fire_at }) => fire_at))
      for (const { fire_at, cause, outcome, times } of rows)
        if (isAdded.has(fire_at)) context.changed({ type: 'cron-fired', cause, outcome, times })
      return [...isAdded]
    },

    async updateFire(cronId, fireAt, from, patch) {
      const columns = {
        outcome: patch.outcome,
        reason: patch.reason,
        session_id: patch.sessionId,
        ended_at: patch.endedAt,
      }
      const { numUpdatedRows } = await db
        .updateTable('cron_fires')
        .set(givenFields(columns))
        .where('cron_id', '=', cronId)
        .where('fire_at', '=', fireAt)
        .where('outcome', '=', from)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async getFireOfSession(sessionId) {
      const [row] = await selectOfSession(context, [sessionId])
      return row && fromRow(row)
    },

    async listFires(cronId, { limit, cursor }) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor)
      const rows = await selectPage(context, [cronId, before, limit + 1])
      const items = rows.slice(0, limit).map(fromRow)
      return { items, nextCursor: rows.length > limit ? String(items.at(-1)!.fireAt) : null }
    },

    async listOpenFires(cronId) {
      return (await selectOpen(context, [cronId])).map(fromRow)
    },

    async skipQueuedFires(cronId, reason) {
      await skipQueued(context, [reason, clock.now(), cronId])
    },

    listWaitingCrons: (limit) => selectWaiting(context, [limit]),

    listCronsWrittenAfter: (time, limit) => selectWritten(context, [time, limit]),

    async deleteMissedAfter(cronId, time) {
      await deleteMissed(context, [cronId, time])
    },

    async deleteFiresBefore(time) {
      await deleteOld(context, [time])
    },
  }
}

function decodeCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return Number(cursor)
}

const selectOfSession = statement<CronFireRow>(`select * from cron_fires where session_id = ?`)
const selectPage = statement<CronFireRow>(`
  select * from cron_fires where cron_id = ? and fire_at < ? order by fire_at desc limit ?
`)
const selectOpen = statement<CronFireRow>(`
  select * from cron_fires where cron_id = ? and outcome in ('started', 'queued') order by fire_at
`)
const skipQueued = statement(`
  update cron_fires set outcome = 'skipped', reason = ?, ended_at = ? where cron_id = ? and outcome = 'queued'
`)
const selectWaiting = statement<{ scope: string; id: string }>(`
  select crons.scope, crons.id from cron_fires join crons on crons.id = cron_fires.cron_id
  where cron_fires.outcome = 'queued' group by crons.scope, crons.id order by min(cron_fires.fire_at) limit ?
`)
const selectWritten = statement<{ scope: string; id: string }>(`
  select distinct crons.scope, crons.id from cron_fires join crons on crons.id = cron_fires.cron_id
  where cron_fires.created_at > ? limit ?
`)
const deleteMissed = statement(`
  delete from cron_fires where cron_id = ? and fire_at > ? and cause = 'missed' and outcome = 'skipped'
`)
const deleteOld = statement(`
  delete from cron_fires where created_at < ? and outcome not in ('started', 'queued')
`)

const fromRow = (row: CronFireRow): FireRecord => ({
  cronId: row.cron_id,
  fireAt: row.fire_at,
  cause: row.cause,
  outcome: row.outcome,
  reason: row.reason ?? undefined,
  times: row.times,
  sessionId: row.session_id ?? undefined,
  createdAt: row.created_at,
  endedAt: row.ended_at ?? undefined,
})
