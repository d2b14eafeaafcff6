import { sql } from 'kysely'
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
  ): Promise<void>
  /** Oldest first. */
  listEvents(scope: string, page: { after: number; limit: number }): Promise<ScopeEvent[]>
  /** The newest number, and the oldest that is still kept. */
  getEventRange(scope: string): Promise<{ first: number; last: number }>
  /** The newest numbers of several scopes; one that never was is missing. */
  getLastEventSeqs(scopes: string[]): Promise<Map<string, number>>
  /** All but the newest of each scope; in slices, so that others get to write in between. */
  deleteEventsBefore(time: number): Promise<void>
}

export function eventQueries(context: QueryContext): EventQueries {
  const { db, backend, clock } = context
  return {
    recordEvent: (scope, { type, sessionId, data = {} }) =>
      context.transaction(async (tx) => {
        const values = [type, sessionId ?? null, JSON.stringify(data), clock.now()]
        // where writers do not wait for one another anyway, they wait for the row of the scope to take a number
        const insert = backend.name === 'postgres' ? advanceAndInsert : insertNext
        await tx.alongside(insert(tx, [...values, scope]))
        tx.changed({ type: 'event-recorded', scope })
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
        .select(['name', sql<number>`${sql.raw(lastSeqOfScope)}`.as('last')])
        .where('name', 'in', scopes)
        .execute()
      return new Map(rows.map((row) => [row.name, Number(row.last)]))
    },

    async deleteEventsBefore(time) {
      for (const { name } of await selectScopesWithOld(context, [time]))
        while ((await deleteOld(context, [name, name, name, time])).length === deletedAtOnce);
    },
  }
}

/** Of a row of `scopes`: the number of its newest event, which is never deleted; before there was that rule, it was counted. */
export const lastSeqOfScope = `coalesce((select max(seq) from events where scope = scopes.name), scopes.event_seq)`
const insertNext = statement(`
  insert into events (type, session_id, data, created_at, scope, seq)
  select ?, ?, ?, ?, name, ${lastSeqOfScope} + 1 from scopes where name = ?
`)
const advanceAndInsert = statement(`
  with given as (select ? as type, ? as session_id, ? as data, ?::bigint as created_at),
    advanced as (update scopes set event_seq = event_seq + 1 where name = ? returning name, event_seq)
  insert into events (type, session_id, data, created_at, scope, seq)
  select given.*, name, event_seq from given, advanced
`)
const selectEvents = statement<Tables['events']>(`
  select * from events where scope = ? and seq > ? order by seq limit ?
`)
const selectRange = statement<{ first: number | null; last: number }>(`
  select (select min(seq) from events where scope = ?) as first, ${lastSeqOfScope} as last from scopes where name = ?
`)
// numbers follow the clock: one look at the oldest of each scope
const selectScopesWithOld = statement<{ name: string }>(`
  select name from scopes
  where (select created_at from events where scope = scopes.name order by seq limit 1) < ?
`)
const deletedAtOnce = 5_000
const deleteOld = statement<{ seq: number }>(`
  delete from events where scope = ? and seq in (
    select seq from events where scope = ? and seq < (select max(seq) from events where scope = ?)
    order by seq limit ${deletedAtOnce}
  ) and created_at < ? returning seq
`)
