import { notFound } from '../../../core/protocol/error.ts'
import type { WebhookDelivery } from '../protocol/webhook.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

export interface DeliveryRecord {
  id: string
  webhookId: string
  seq?: number
  type: string
  body: string
  status: WebhookDelivery['status']
  attempts: number
  nextAttemptAt: number
  answerStatus?: number
  error?: string
  createdAt: number
  endedAt?: number
}

/** A delivery whose time has come, with where it goes. */
export type DueDelivery = DeliveryRecord & Pick<WebhookRow, 'scope' | 'url' | 'secret'>

export interface WebhookDeliveryQueries {
  /** One that this webhook has for the event already is left as it is. */
  addDeliveries(
    webhookId: string,
    events: (Pick<DeliveryRecord, 'seq' | 'type' | 'body'> & { id?: string })[],
  ): Promise<DeliveryRecord[]>
  requireDelivery(webhookId: string, id: string): Promise<DeliveryRecord>
  /** Newest first. */
  listDeliveries(
    webhookId: string,
    page: { limit: number; cursor?: string; status?: DeliveryRecord['status'] },
  ): Promise<Page<DeliveryRecord>>
  countWaitingDeliveries(webhookId: string): Promise<number>
  /** Of active webhooks of all scopes, what has waited longest first; a few of each, so that none keeps out the others. */
  listDueDeliveries(now: number, page: { limit: number; perWebhook: number }): Promise<DueDelivery[]>
  /** Begins an attempt. True for one node only; should that one die, the next attempt is at `nextAttemptAt`. */
  claimDelivery(delivery: DeliveryRecord, nextAttemptAt: number): Promise<boolean>
  /** Ends the attempt that was claimed; false when somebody began another one since. */
  settleDelivery(
    delivery: DeliveryRecord,
    outcome: Pick<DeliveryRecord, 'status' | 'answerStatus' | 'error'> & { nextAttemptAt?: number },
  ): Promise<boolean>
  /** To be sent again, now, with all its attempts before it. */
  restartDelivery(webhookId: string, id: string): Promise<DeliveryRecord>
  /** Those that wait stay. */
  deleteDeliveriesBefore(time: number): Promise<void>
}

export function webhookDeliveryQueries(context: QueryContext): WebhookDeliveryQueries {
  const { db, clock, ids } = context
  return {
    async addDeliveries(webhookId, events) {
      if (events.length === 0) return []
      const now = clock.now()
      const rows = events.map((event): WebhookDeliveryRow => ({
        id: event.id ?? ids.next('whd'),
        webhook_id: webhookId,
        seq: event.seq ?? null,
        type: event.type,
        body: event.body,
        status: 'waiting',
        attempts: 0,
        next_attempt_at: now,
        answer_status: null,
        error: null,
        created_at: now,
        ended_at: null,
      }))
      const added = await db
        .insertInto('webhook_deliveries')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['webhook_id', 'seq']).doNothing())
        .returningAll()
        .execute()
      return added.map(fromRow)
    },

    async requireDelivery(webhookId, id) {
      const [row] = await selectOne(context, [webhookId, id])
      if (!row) throw notFound('delivery', id)
      return fromRow(row)
    },

    async listDeliveries(webhookId, { limit, cursor, status }) {
      const rows = await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('webhook_id', '=', webhookId)
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async countWaitingDeliveries(webhookId) {
      const [row] = await countWaiting(context, [webhookId])
      return Number(row!.count)
    },

    async listDueDeliveries(now, { limit, perWebhook }) {
      const rows = await selectDue(context, [now, perWebhook, limit])
      return rows.map((row) => ({ ...fromRow(row), scope: row.scope, url: row.url, secret: row.secret }))
    },

    async claimDelivery({ id, attempts }, nextAttemptAt) {
      const claimed = await claim(context, [nextAttemptAt, id, attempts])
      return claimed.length > 0
    },

    async settleDelivery({ id, attempts, nextAttemptAt: before }, outcome) {
      const { status, answerStatus = null, error = null, nextAttemptAt = before } = outcome
      const endedAt = status === 'waiting' ? null : clock.now()
      const settled = await settle(context, [
        status,
        answerStatus,
        error,
        nextAttemptAt,
        endedAt,
        id,
        attempts + 1,
      ])
      return settled.length > 0
    },

    async restartDelivery(webhookId, id) {
      const [row] = await restart(context, [clock.now(), webhookId, id])
      if (!row) throw notFound('delivery', id)
      return fromRow(row)
    },

    async deleteDeliveriesBefore(time) {
      await deleteOld(context, [time])
    },
  }
}

const selectOne = statement<WebhookDeliveryRow>(`
  select * from webhook_deliveries where webhook_id = ? and id = ?
`)
const countWaiting = statement<{ count: number | string }>(`
  select count(*) as count from webhook_deliveries where webhook_id = ? and status = 'waiting'
`)
const selectDue = statement<WebhookDeliveryRow & Pick<WebhookRow, 'scope' | 'url' | 'secret'>>(`
  select due.*, webhooks.scope, webhooks.url, webhooks.secret
  from (
    select *, row_number() over (partition by webhook_id order by next_attempt_at, id) as place
    from webhook_deliveries where status = 'waiting' and next_attempt_at <= ?
  ) as due join webhooks on webhooks.id = due.webhook_id
  where due.place <= ? and webhooks.status = 'active'
  order by due.next_attempt_at, due.id limit ?
`)
const claim = statement<{ id: string }>(`
  update webhook_deliveries set attempts = attempts + 1, next_attempt_at = ?
  where id = ? and status = 'waiting' and attempts = ? returning id
`)
const settle = statement<{ id: string }>(`
  update webhook_deliveries set status = ?, answer_status = ?, error = ?, next_attempt_at = ?, ended_at = ?
  where id = ? and status = 'waiting' and attempts = ? returning id
`)
const restart = statement<WebhookDeliveryRow>(`
  update webhook_deliveries set status = 'waiting', next_attempt_at = ?, ended_at = null
  where webhook_id = ? and id = ? returning *
`)
const deleteOld = statement(`
  delete from webhook_deliveries where created_at < ? and status <> 'waiting'
`)

const fromRow = (row: WebhookDeliveryRow): DeliveryRecord => ({
  id: row.id,
  webhookId: row.webhook_id,
  seq: row.seq ?? undefined,
  type: row.type,
  body: row.body,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  answerStatus: row.answer_status ?? undefined,
  error: row.error ?? undefined,
  createdAt: row.created_at,
  endedAt: row.ended_at ?? undefined,
})
