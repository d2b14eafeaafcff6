import { sql } from 'kysely'
import { notFound } from '../../../core/protocol/error.ts'
import type { Webhook } from '../protocol/webhook.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { lastSeqOfScope } from '../../../core/store/queries/events.ts'
import { givenFields } from '../../../core/store/rows.ts'
import { statement } from '../../../core/store/statement.ts'
import type { WebhookRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

export interface WebhookRecord {
  id: string
  scope: string
  name: string
  url: string
  event: string
  filter: Webhook['filter']
  secret: string
  status: Webhook['status']
  reason?: string
  /** Events up to here have their deliveries. */
  seenSeq: number
  /** Deliveries in a row that were given up. */
  failures: number
  createdAt: number
  updatedAt: number
}

export type NewWebhook = Pick<
  WebhookRecord,
  'scope' | 'name' | 'url' | 'event' | 'filter' | 'secret' | 'seenSeq'
> & { id?: string }

/** `null` takes a value away, `undefined` leaves it. */
export type WebhookPatch = {
  [Key in keyof Omit<WebhookRecord, 'id' | 'scope' | 'createdAt' | 'updatedAt'>]?: WebhookRecord[Key] | null
}

export interface WebhookQueries {
  createWebhook(webhook: NewWebhook): Promise<WebhookRecord>
  /** Throws `not_found` when the scope has no such webhook. */
  requireWebhook(scope: string, id: string): Promise<WebhookRecord>
  /** The same; keeps others from changing it until the transaction ends. */
  lockWebhook(scope: string, id: string): Promise<WebhookRecord>
  countWebhooks(scope: string): Promise<number>
  /** Newest first. */
  listWebhooks(scope: string, page: { limit: number; cursor?: string }): Promise<Page<WebhookRecord>>
  updateWebhook(scope: string, id: string, patch: WebhookPatch): Promise<WebhookRecord>
  deleteWebhook(scope: string, id: string): Promise<void>
  /** Of all scopes, active ones that have not seen the newest event, by their ids from the one after this. */
  listWebhooksBehind(limit: number, after?: string): Promise<WebhookRecord[]>
  /** Advances what a webhook has seen. True for one node only, and only if it was not changed meanwhile. */
  advanceWebhook(webhook: WebhookRecord, seenSeq: number): Promise<boolean>
  setWebhookFailures(id: string, failures: number): Promise<void>
}

export function webhookQueries(context: QueryContext): WebhookQueries {
  const { db, backend, clock, ids } = context

  const find = async (scope: string, id: string, lock: typeof backend.forUpdate): Promise<WebhookRecord> => {
    const query = sql<WebhookRow>`select * from webhooks where id = ${id} and scope = ${scope} ${lock}`
    const [row] = (await query.execute(db)).rows
    if (!row) throw notFound('webhook', id)
    return fromRow(row)
  }

  return {
    requireWebhook: (scope, id) => find(scope, id, sql``),
    lockWebhook: (scope, id) => find(scope, id, backend.forUpdate),

    async createWebhook(webhook) {
      const now = clock.now()
      const row: WebhookRow = {
        id: webhook.id ?? ids.next('whk'),
        scope: webhook.scope,
        name: webhook.name,
        url: webhook.url,
        event: webhook.event,
        filter: JSON.stringify(webhook.filter),
        secret: webhook.secret,
        status: 'active',
        reason: null,
        seen_seq: webhook.seenSeq,
        failures: 0,
        created_at: now,
        updated_at: now,
      }
      await db.insertInto('webhooks').values(row).execute()
      return fromRow(row)
    },

    async countWebhooks(scope) {
      const { count } = await db
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('scope', '=', scope)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async listWebhooks(scope, { limit, cursor }) {
      const rows = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('scope', '=', scope)
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async updateWebhook(scope, id, patch) {
      const row = await db
        .updateTable('webhooks')
        .set({ ...toColumns(patch), updated_at: clock.now() })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .returningAll()
        .executeTakeFirst()
      if (!row) throw notFound('webhook', id)
      return fromRow(row)
    },

    async deleteWebhook(scope, id) {
      const { numDeletedRows } = await db
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('scope', '=', scope)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw notFound('webhook', id)
    },

    async listWebhooksBehind(limit, after = '') {
      return (await selectBehind(context, [after, limit])).map(fromRow)
    },

    async advanceWebhook(webhook, seenSeq) {
      const { numUpdatedRows } = await db
        .updateTable('webhooks')
        .set({ seen_seq: seenSeq })
        .where('id', '=', webhook.id)
        .where('status', '=', 'active')
        .where('seen_seq', '=', webhook.seenSeq)
        .where('updated_at', '=', webhook.updatedAt)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async setWebhookFailures(id, failures) {
      await setFailures(context, [failures, id, failures])
    },
  }
}

const selectBehind = statement<WebhookRow>(`
  select webhooks.* from webhooks join scopes on scopes.name = webhooks.scope
  where webhooks.status = 'active' and webhooks.seen_seq < ${lastSeqOfScope} and webhooks.id > ?
  order by webhooks.id limit ?
`)

const setFailures = statement(`update webhooks set failures = ? where id = ? and failures <> ?`)

const toColumns = (patch: WebhookPatch): Partial<WebhookRow> =>
  givenFields({
    name: patch.name,
    url: patch.url,
    event: patch.event,
    filter: patch.filter && JSON.stringify(patch.filter),
    secret: patch.secret,
    status: patch.status,
    reason: patch.reason,
    seen_seq: patch.seenSeq,
    failures: patch.failures,
  })

const fromRow = (row: WebhookRow): WebhookRecord => ({
  id: row.id,
  scope: row.scope,
  name: row.name,
  url: row.url,
  event: row.event,
  filter: JSON.parse(row.filter) as Webhook['filter'],
  secret: row.secret,
  status: row.status,
  reason: row.reason ?? undefined,
  seenSeq: row.seen_seq,
  failures: row.failures,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
