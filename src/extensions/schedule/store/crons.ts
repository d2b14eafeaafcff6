import { sql } from 'kysely'
import type { Cron, TaskOptions } from '../protocol/cron.ts'
import { notFound } from '../../../core/protocol/error.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { givenFields } from '../../../core/store/rows.ts'
import { statement } from '../../../core/store/statement.ts'
import type { CronRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

/** A cron as it is stored: its times are milliseconds, and what its sessions are started with stands together. */
export interface CronRecord {
  id: string
  scope: string
  name: string
  schedule: string
  timeZone: string
  prompt: string
  task: TaskOptions
  missed: Cron['missed']
  maxMissed: number
  overlap: Cron['overlap']
  maxFailures: number
  status: Cron['status']
  reason?: string
  failures: number
  nextFireAt?: number
  lastFireAt?: number
  createdIn?: string
  /** The workflow whose trigger it is: a fire starts a run of that. */
  workflowId?: string
  createdAt: number
  updatedAt: number
}

export type NewCron = Omit<
  CronRecord,
  'id' | 'status' | 'reason' | 'failures' | 'lastFireAt' | 'createdAt' | 'updatedAt'
> & { id?: string }

/** `null` removes a value, `undefined` keeps it. */
export type CronPatch = {
  [Key in keyof Omit<CronRecord, 'id' | 'scope' | 'createdIn' | 'workflowId' | 'createdAt' | 'updatedAt'>]?:
    | CronRecord[Key]
    | null
}

export interface CronQueries {
  createCron(cron: NewCron): Promise<CronRecord>
  getCron(scope: string, id: string): Promise<CronRecord | undefined>
  /** Throws `not_found` when the scope has no such cron. */
  requireCron(scope: string, id: string): Promise<CronRecord>
  /** Keeps others from changing or firing it until the transaction ends. */
  lockCron(scope: string, id: string): Promise<CronRecord | undefined>
  /** Those of a workflow, oldest first, all of them kept from others in the same way. */
  lockCronsOfWorkflow(scope: string, workflowId: string): Promise<CronRecord[]>
  /** Newest first. */
  listCrons(
    scope: string,
    filter: { status?: Cron['status']; createdIn?: string; limit: number; cursor?: string },
  ): Promise<Page<CronRecord>>
  /** Counts as a change of the cron, unless it only records how its fires went. */
  updateCron(scope: string, id: string, patch: CronPatch): Promise<CronRecord>
  /** Deletes its fires too. */
  deleteCron(scope: string, id: string): Promise<void>
  /** Of all scopes, what should have fired by now, the longest due first. */
  listDueCrons(now: number, limit: number): Promise<CronRecord[]>
  /**
   * Advances a cron past its next fire. True for one node only, and only if nothing else of the cron changed meanwhile; a node that
   * tries at the same time waits for that transaction and gets false.
   */
  advanceCron(cron: CronRecord, patch: CronPatch): Promise<boolean>
}

export function cronQueries(context: QueryContext): CronQueries {
  const { db, backend, clock, ids } = context

  const getCron: CronQueries['getCron'] = async (scope, id) => {
    const [row] = await selectOne(context, [id, scope])
    return row && fromRow(row)
  }

  return {
    getCron,

    async requireCron(scope, id) {
      const cron = await getCron(scope, id)
      if (!cron) throw notFound('cron', id)
      return cron
    },

    async lockCron(scope, id) {
      const query = sql<CronRow>`select * from crons where id = ${id} and scope = ${scope} ${backend.forUpdate}`
      const [row] = (await query.execute(db)).rows
      return row && fromRow(row)
    },

    async lockCronsOfWorkflow(scope, workflowId) {
      const query = sql<CronRow>`
        select * from crons where workflow_id = ${workflowId} and scope = ${scope}
        order by created_at, id ${backend.forUpdate}`
      return (await query.execute(db)).rows.map(fromRow)
    },

    async createCron(cron) {
      const now = clock.now()
      const row: CronRow = {
        id: cron.id ?? ids.next('cron'),
        scope: cron.scope,
        name: cron.name,
        schedule: cron.schedule,
        time_zone: cron.timeZone,
        prompt: cron.prompt,
        task: JSON.stringify(cron.task),
        missed: cron.missed,
        max_missed: cron.maxMissed,
        overlap: cron.overlap,
        max_failures: cron.maxFailures,
        status: 'active',
        reason: null,
        failures: 0,
        next_fire_at: cron.nextFireAt ?? null,
        last_fire_at: null,
        created_in: cron.createdIn ?? null,
        workflow_id: cron.workflowId ?? null,
        created_at: now,
        updated_at: now,
      }
      await db.insertInto('crons').values(row).execute()
      return fromRow(row)
    },

    async listCrons(scope, { status, createdIn, limit, cursor }) {
      const rows = await db
        .selectFrom('crons')
        .selectAll()
        .where('scope', '=', scope)
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(createdIn !== undefined, (query) => query.where('created_in', '=', createdIn!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async updateCron(scope, id, patch) {
      const { failures: _failures, lastFireAt: _last, ...changes } = patch
      const isChange = Object.values(changes).some((value) => value !== undefined)
      const row = await db
        .updateTable('crons')
        .set({ ...toColumns(patch), ...(isChange && { updated_at: clock.now() }) })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .returningAll()
        .executeTakeFirst()
      if (!row) throw notFound('cron', id)
      return fromRow(row)
    },

    async deleteCron(scope, id) {
      const { numDeletedRows } = await db
        .deleteFrom('crons')
        .where('id', '=', id)
        .where('scope', '=', scope)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw notFound('cron', id)
    },

    async listDueCrons(now, limit) {
      return (await selectDue(context, [now, limit])).map(fromRow)
    },

    async advanceCron(cron, patch) {
      const { numUpdatedRows } = await db
        .updateTable('crons')
        .set(toColumns(patch))
        .where('id', '=', cron.id)
        .where('status', '=', 'active')
        .where('next_fire_at', '=', cron.nextFireAt ?? null)
        // an edit meanwhile may have changed what a fire is
        .where('updated_at', '=', cron.updatedAt)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

const selectOne = statement<CronRow>(`select * from crons where id = ? and scope = ?`)
const selectDue = statement<CronRow>(`
  select * from crons where status = 'active' and next_fire_at <= ? order by next_fire_at, id limit ?
`)

const toColumns = (patch: CronPatch): Partial<CronRow> =>
  givenFields({
    name: patch.name,
    schedule: patch.schedule,
    time_zone: patch.timeZone,
    prompt: patch.prompt,
    task: patch.task && JSON.stringify(patch.task),
    missed: patch.missed,
    max_missed: patch.maxMissed,
    overlap: patch.overlap,
    max_failures: patch.maxFailures,
    status: patch.status,
    reason: patch.reason,
    failures: patch.failures,
    next_fire_at: patch.nextFireAt,
    last_fire_at: patch.lastFireAt,
  })

function fromRow(row: CronRow): CronRecord {
  return {
    id: row.id,
    scope: row.scope,
    name: row.name,
    schedule: row.schedule,
    timeZone: row.time_zone,
    prompt: row.prompt,
    task: JSON.parse(row.task) as TaskOptions,
    missed: row.missed,
    maxMissed: row.max_missed,
    overlap: row.overlap,
    maxFailures: row.max_failures,
    status: row.status,
    reason: row.reason ?? undefined,
    failures: row.failures,
    nextFireAt: row.next_fire_at ?? undefined,
    lastFireAt: row.last_fire_at ?? undefined,
    createdIn: row.created_in ?? undefined,
    workflowId: row.workflow_id ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
