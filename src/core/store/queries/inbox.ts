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
  /** The same, and whether a run is queued in the session. */
  listWaiting(sessionId: string): Promise<{ items: InboxItem[]; hasQueued: boolean }>
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
      return (await selectInbox(context, [sessionId])).map(toItem)
    },

    async listWaiting(sessionId) {
      const rows = await selectWaiting(context, [sessionId, sessionId])
      const items = rows.filter(({ kind }) => kind !== queuedRun).map(toItem)
      // few, and most turns have none: quicker than a database sorts what it joins
      items.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
      return { items, hasQueued: items.length < rows.length }
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

type ItemRow = Pick<Tables['inbox'], 'id' | 'kind' | 'payload' | 'created_at'>

const toItem = (row: ItemRow): InboxItem => ({
  id: row.id,
  kind: row.kind,
  payload: JSON.parse(row.payload),
  createdAt: row.created_at,
})

const inInbox = `select id, kind, payload, created_at from inbox where session_id = ? and taken_at is null`
const selectInbox = statement<ItemRow>(`${inInbox} order by created_at, id`)
// no kind of item has dots
const queuedRun = 'run.queued'
const selectWaiting = statement<ItemRow>(`
  ${inInbox}
  union all select '', '${queuedRun}', '', 0
    where exists (
      select 1 from runs where session_id = ? and status in ('queued', 'running') and status = 'queued'
    )
`)
