import { sql } from 'kysely'
import type { TaskOptions } from '../protocol/cron.ts'
import { notFound } from '../../../core/protocol/error.ts'
import type { EventHook } from '../protocol/event-hook.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { lastSeqOfScope } from '../../../core/store/queries/events.ts'
import { givenFields } from '../../../core/store/rows.ts'
import { statement } from '../../../core/store/statement.ts'
import type { EventHookRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

export interface EventHookRecord {
  id: string
  scope: string
  name: string
  event: string
  filter: EventHook['filter']
  prompt: string
  task: TaskOptions
  maxPerHour: number
  status: EventHook['status']
  reason?: string
  /** Events up to here have been processed. */
  seenSeq: number
  /** Starts since `windowAt`. */
  windowAt: number
  windowStarts: number
  starts: number
  skipped: number
  lastStartedAt?: number
  /** The workflow whose trigger it is: an event starts a run of that. */
  workflowId?: string
  createdAt: number
  updatedAt: number
}

export type NewEventHook = Pick<
  EventHookRecord,
  'scope' | 'name' | 'event' | 'filter' | 'prompt' | 'task' | 'maxPerHour' | 'seenSeq' | 'workflowId'
> & { id?: string }

/** `null` removes a value, `undefined` keeps it. */
export type EventHookPatch = {
  [Key in keyof Omit<EventHookRecord, 'id' | 'scope' | 'workflowId' | 'createdAt' | 'updatedAt'>]?:
    | EventHookRecord[Key]
    | null
}

export interface EventHookQueries {
  createEventHook(hook: NewEventHook): Promise<EventHookRecord>
  /** Throws `not_found` when the scope has no such hook. */
  requireEventHook(scope: string, id: string): Promise<EventHookRecord>
  /** The same; keeps others from changing it until the transaction ends. */
  lockEventHook(scope: string, id: string): Promise<EventHookRecord>
  /** Those of a workflow, oldest first, all of them kept from others in the same way. */
  lockEventHooksOfWorkflow(scope: string, workflowId: string): Promise<EventHookRecord[]>
  /** Newest first. */
  listEventHooks(scope: string, page: { limit: number; cursor?: string }): Promise<Page<EventHookRecord>>
  updateEventHook(scope: string, id: string, patch: EventHookPatch): Promise<EventHookRecord>
  deleteEventHook(scope: string, id: string): Promise<void>
  /** Of all scopes, active hooks that have not seen the newest event. */
  listEventHooksBehind(limit: number): Promise<EventHookRecord[]>
  /** Advances the position of a hook. True for one node only, and only if the hook was not changed meanwhile. */
  advanceEventHook(hook: EventHookRecord, patch: EventHookPatch): Promise<boolean>
}

export function eventHookQueries(context: QueryContext): EventHookQueries {
  const { db, backend, clock, ids } = context

  const find = async (
    scope: string,
    id: string,
    lock: typeof backend.forUpdate,
  ): Promise<EventHookRecord> => {
    const query = sql<EventHookRow>`select * from event_hooks where id = ${id} and scope = ${scope} ${lock}`
    const [row] = (await query.execute(db)).rows
    if (!row) throw notFound('event hook', id)
    return fromRow(row)
  }

  return {
    requireEventHook: (scope, id) => find(scope, id, sql``),
    lockEventHook: (scope, id) => find(scope, id, backend.forUpdate),

    async lockEventHooksOfWorkflow(scope, workflowId) {
      const query = sql<EventHookRow>`
        select * from event_hooks where workflow_id = ${workflowId} and scope = ${scope}
        order by created_at, id ${backend.forUpdate}`
      return (await query.execute(db)).rows.map(fromRow)
    },

    async createEventHook(hook) {
      const now = clock.now()
      const row: EventHookRow = {
        id: hook.id ?? ids.next('hook'),
        scope: hook.scope,
        name: hook.name,
        event: hook.event,
        filter: JSON.stringify(hook.filter),
        prompt: hook.prompt,
        task: JSON.stringify(hook.task),
        max_per_hour: hook.maxPerHour,
        workflow_id: hook.workflowId ?? null,
        status: 'active',
        reason: null,
        seen_seq: hook.seenSeq,
        window_at: 0,
        window_starts: 0,
        starts: 0,
        skipped: 0,
        last_started_at: null,
        created_at: now,
        updated_at: now,
      }
      await db.insertInto('event_hooks').values(row).execute()
      return fromRow(row)
    },

    async listEventHooks(scope, { limit, cursor }) {
      const rows = await db
        .selectFrom('event_hooks')
        .selectAll()
        .where('scope', '=', scope)
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async updateEventHook(scope, id, patch) {
      const row = await db
        .updateTable('event_hooks')
        .set({ ...toColumns(patch), updated_at: clock.now() })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .returningAll()
        .executeTakeFirst()
      if (!row) throw notFound('event hook', id)
      return fromRow(row)
    },

    async deleteEventHook(scope, id) {
      const { numDeletedRows } = await db
        .deleteFrom('event_hooks')
        .where('id', '=', id)
        .where('scope', '=', scope)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw notFound('event hook', id)
    },

    async listEventHooksBehind(limit) {
      return (await selectBehind(context, [limit])).map(fromRow)
    },

    async advanceEventHook(hook, patch) {
      const { numUpdatedRows } = await db
        .updateTable('event_hooks')
        .set(toColumns(patch))
        .where('id', '=', hook.id)
        .where('status', '=', 'active')
        .where('seen_seq', '=', hook.seenSeq)
        .where('updated_at', '=', hook.updatedAt)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

const selectBehind = statement<EventHookRow>(`
  select event_hooks.* from event_hooks join scopes on scopes.name = event_hooks.scope
  where event_hooks.status = 'active' and event_hooks.seen_seq < ${lastSeqOfScope}
  order by event_hooks.id limit ?
`)

const toColumns = (patch: EventHookPatch): Partial<EventHookRow> =>
  givenFields({
    name: patch.name,
    event: patch.event,
    filter: patch.filter && JSON.stringify(patch.filter),
    prompt: patch.prompt,
    task: patch.task && JSON.stringify(patch.task),
    max_per_hour: patch.maxPerHour,
    status: patch.status,
    reason: patch.reason,
    seen_seq: patch.seenSeq,
    window_at: patch.windowAt,
    window_starts: patch.windowStarts,
    starts: patch.starts,
    skipped: patch.skipped,
    last_started_at: patch.lastStartedAt,
  })

function fromRow(row: EventHookRow): EventHookRecord {
  return {
    id: row.id,
    scope: row.scope,
    name: row.name,
    event: row.event,
    filter: JSON.parse(row.filter) as EventHook['filter'],
    prompt: row.prompt,
    task: JSON.parse(row.task) as TaskOptions,
    maxPerHour: row.max_per_hour,
    status: row.status,
    reason: row.reason ?? undefined,
    seenSeq: row.seen_seq,
    windowAt: row.window_at,
    windowStarts: row.window_starts,
    starts: row.starts,
    skipped: row.skipped,
    lastStartedAt: row.last_started_at ?? undefined,
    workflowId: row.workflow_id ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
