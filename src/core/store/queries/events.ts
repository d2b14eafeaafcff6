import { toTimestamp } from '../../protocol/names.ts'
import type { ScopeEvent } from '../../protocol/event.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export interface EventQueries {
  /**
   * Records an event in the transaction that caused it. Takes its number under the row of the scope, so numbers become
   * visible in their order and a reader that has seen one has seen all before it. Call it last: others wait for the row.
   */
  recordEvent(
    scope: string,
    event: { type: string; sessionId?: string; data?: Record<string, unknown> },
  ): Promise<number>
  /** Oldest first. */
  listEvents(scope: string, page: { after: number; limit: number }): Promise<ScopeEvent[]>
  /** The newest number, and the oldest that is still kept. */
  getEventRange(scope: string): Promise<{ first: number; last: number }>
  /** The newest numbers of several scopes; one that never was is missing. */
  getLastEventSeqs(scopes: string[]): Promise<Map<string, number>>
  /** In slices, so that others get to write in between. */
  deleteEventsBefore(time: number): Promise<void>
}

export function eventQueries(context: QueryContext): EventQueries {
  const { db, backend, clock } = context
  return {
    recordEvent: (scope, { type, sessionId, data = {} }) =>
      context.transaction(async (tx) => {
        const values = [type, sessionId ?? null, JSON.stringify(data), clock.now()]
        const seq = await (backend.name === 'postgres' ? insertAtOnce : insertInTwo)(tx, scope, values)
        if (seq > 0) tx.changed({ type: 'event-recorded', scope, seq })
        return seq
      }),

    async listEvents(scope, { after, limit }) {
      const rows = await selectEvents(context, [scope, after, limit])
      return rows.map((row) => ({
        seq: row.seq,
        type: row.type,
        ...(row.session_id !== null && { sessionId: row.session_id }),
        data: JSON.parse(row.data) as Record<string, unknown>,
        createdAt: toTimestamp(row.created_at),
      }))
    },

    async getEventRange(scope) {
      const [row] = await selectRange(context, [scope, scope])
      return { first: row?.first ?? 0, last: row?.last ?? 0 }
    },

    async getLastEventSeqs(scopes) {
      if (scopes.length === 0) return new Map()
      const rows = await db
        .selectFrom('scopes')
        .select(['name', 'event_seq'])
        .where('name', 'in', scopes)
        .execute()
      return new Map(rows.map((row) => [row.name, row.event_seq]))
    },

    async deleteEventsBefore(time) {
      while ((await deleteOld(context, [time])).length === deletedAtOnce);
    },
  }
}

type Values = (string | number | null)[]

async function insertInTwo(tx: QueryContext, scope: string, values: Values): Promise<number> {
  const [row] = await advance(tx, [scope])
  if (!row) return 0
  await insertEvent(tx, [scope, row.event_seq, ...values])
  return row.event_seq
}

/** The row of the scope is held until the commit: one trip to the database less, and others wait less for it. */
async function insertAtOnce(tx: QueryContext, scope: string, values: Values): Promise<number> {
  const [row] = await advanceAndInsert(tx, [scope, ...values])
  return row?.seq ?? 0
}

const advance = statement<{ event_seq: number }>(`
  update scopes set event_seq = event_seq + 1 where name = ? returning event_seq
`)
const insertEvent = statement(`
  insert into events (scope, seq, type, session_id, data, created_at) values (?, ?, ?, ?, ?, ?)
`)
const advanceAndInsert = statement<{ seq: number }>(`
  with advanced as (update scopes set event_seq = event_seq + 1 where name = ? returning name, event_seq)
  insert into events (scope, seq, type, session_id, data, created_at)
  select name, event_seq, ?, ?, ?, ?::bigint from advanced returning seq
`)
const selectEvents = statement<Tables['events']>(`
  select * from events where scope = ? and seq > ? order by seq limit ?
`)
const selectRange = statement<{ first: number | null; last: number }>(`
  select (select min(seq) from events where scope = ?) as first, event_seq as last from scopes where name = ?
`)
const deletedAtOnce = 5_000
const deleteOld = statement<{ seq: number }>(`
  delete from events where (scope, seq) in (
    select scope, seq from events where created_at < ? order by created_at limit ${deletedAtOnce}
  ) returning seq
`)
