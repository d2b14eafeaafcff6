import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export interface InboxItem {
  id: string
  kind: string
  payload: unknown
  createdAt: number
}

export interface InboxQueries {
  /** Delivers once: a second delivery with the same key is a no-op and answers false. */
  deliver(sessionId: string, item: { kind: string; dedupeKey: string; payload: unknown }): Promise<boolean>
  /** What waits for the session, oldest first. */
  listInbox(sessionId: string): Promise<InboxItem[]>
  /** Marks items as taken in; meant for the transaction that appends them to the log. */
  takeInbox(sessionId: string, itemIds: string[]): Promise<void>
}

export function inboxQueries(context: QueryContext): InboxQueries {
  const { db, clock, ids } = context
  return {
    async deliver(sessionId, { kind, dedupeKey, payload }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('inbox')
        .values({
          id: ids.next('inb'),
          session_id: sessionId,
          kind,
          dedupe_key: dedupeKey,
          payload: JSON.stringify(payload),
          created_at: clock.now(),
          taken_at: null,
        })
        .onConflict((oc) => oc.columns(['session_id', 'dedupe_key']).doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },

    async listInbox(sessionId) {
      const rows = await selectWaiting(context, [sessionId])
      return rows.map((row) => ({
        id: row.id,
        kind: row.kind,
        payload: JSON.parse(row.payload),
        createdAt: row.created_at,
      }))
    },

    async takeInbox(sessionId, itemIds) {
      if (itemIds.length === 0) return
      await db
        .updateTable('inbox')
        .set({ taken_at: clock.now() })
        .where('session_id', '=', sessionId)
        .where('id', 'in', itemIds)
        .where('taken_at', 'is', null)
        .execute()
    },
  }
}

const selectWaiting = statement<Tables['inbox']>(`
  select * from inbox where session_id = ? and taken_at is null order by created_at, id
`)
