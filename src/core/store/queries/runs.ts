import { sql } from 'kysely'
import { isObject } from '../../shared/type-checks.ts'
import type { QueryContext } from '../query-context.ts'
import type { StoreSlice } from '../store-slice.ts'
import { writeCourse, type Course, type Reply } from '../run-course.ts'
import { statement } from '../statement.ts'
import type { RunRow } from '../tables/runs.ts'
import { leaseLost, type Claim, type Lease } from './claims.ts'
import { inboxQueries } from './inbox.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'
import { fromRow, parseColumn, runColumns, type FinalStatus, type Run, type RunStatus } from './run-row.ts'

export interface NewRun {
  id?: string
  scope: string
  sessionId: string
  kind: string
  parentId?: string
  depth?: number
  /** Default 0; among the queued runs of a session the highest goes first. */
  priority?: number
  timeoutMs?: number
  taskOf?: string
  input: unknown
  budget?: unknown
}

export interface RunFilter {
  sessionId?: string
  kind?: string
  status?: RunStatus
  parentId?: string
  /** Without those that a rollback undid. */
  isStanding?: true
  limit: number
  cursor?: string
}

export interface RunEnd {
  status: FinalStatus
  outcome?: unknown
  usage?: unknown
  /** Of a run that ends with a reply, with the parts of that reply: takes the place of its steps and events. */
  course?: Course & Pick<Reply, 'parts'>
}

export interface RunQueries {
  createRun(run: NewRun): Promise<Run>
  /** A run that is born running, in the hands of its owner; the session must have none that runs. */
  startRun(run: NewRun, claim: Claim): Promise<{ run: Run; lease: Lease }>
  getRun(scope: string, id: string): Promise<Run | undefined>
  /** The run of the same session that began last before this one. */
  getRunBefore(run: Run): Promise<Run | undefined>
  /** True when the run has ended, or never was. */
  isRunFinished(id: string): Promise<boolean>
  /** Newest first. */
  listRuns(scope: string, filter: RunFilter): Promise<Page<Run>>
  /** The unfinished runs of a session, in the order they will be executed. */
  listOpenRuns(sessionId: string): Promise<Run[]>
  /**
   * Open background runs of the sessions below one, and those of extensions that count among tasks, however deep, also
   * where those between have finished; a parent comes before its children.
   */
  listTasksBelow(scope: string, sessionId: string): Promise<Run[]>
  /** Throws `conflict` when the lease was lost or the run has finished; exactly one ending is ever stored. */
  finishRun(lease: Lease, ending: RunEnd): Promise<void>
  /** Adds to what is stored of the end of a run. */
  amendOutcome(runId: string, more: Record<string, unknown>): Promise<void>
  /** A queued run is cancelled at once, a running one asked to stop; returns the run, or undefined when there is none. */
  requestStop(scope: string, id: string, reason: string): Promise<Run | undefined>
  /**
   * Puts something into the inbox of a session for its active run. False when that run has finished: its end and
   * this wait for each other, so nothing is put where nobody reads it any more.
   */
  steerRun(run: Run, item: { dedupeKey: string; payload: unknown }): Promise<boolean>
  /** Keeps a run from ending until the transaction does; false when it has finished. */
  lockRunning(id: string): Promise<boolean>
  /** False when it has begun. */
  cancelQueuedRun(scope: string, id: string): Promise<boolean>
  /** Gives the queued runs of a session the order of this list, first of all that wait; false when one has begun. */
  orderQueuedRuns(sessionId: string, ids: string[]): Promise<boolean>
  /**
   * Takes a run out of the queue and puts its input into the inbox for the active run, or does neither:
   * false when that one has finished or this one has begun.
   */
  steerQueuedRun(running: Run, queuedId: string): Promise<boolean>
  /** Replaces the input of a run that has not begun; false when it has. */
  editQueuedRun(scope: string, id: string, input: unknown): Promise<boolean>
  /** The same for the run that this lease is for. Throws `conflict` when the lease was lost. */
  replaceRunInput(lease: Lease, input: unknown): Promise<void>
}

export function runQueries(context: QueryContext, slices: readonly StoreSlice[]): RunQueries {
  const { db, backend, clock, ids } = context

  const toNewRow = (run: NewRun): RunRow => ({
    id: run.id ?? ids.next('run'),
    scope: run.scope,
    session_id: run.sessionId,
    kind: run.kind,
    status: 'queued',
    parent_id: run.parentId ?? null,
    depth: run.depth ?? 0,
    priority: run.priority ?? 0,
    attempt: 0,
    lease_owner: null,
    lease_until: null,
    fence: 0,
    stop_reason: null,
    deadline_at: null,
    timeout_ms: run.timeoutMs ?? null,
    is_waiting: 0,
    is_woken: 0,
    is_undone: 0,
    task_of: run.taskOf ?? null,
    input: JSON.stringify(withNote(run.input, context.noteRun?.())),
    budget: run.budget === undefined ? null : JSON.stringify(run.budget),
    outcome: null,
    usage: null,
    last_event_seq: 0,
    created_at: clock.now(),
    started_at: null,
    finished_at: null,
  })

  return {
    async createRun(run) {
      const row = toNewRow(run)
      await db.insertInto('runs').values(row).execute()
      context.changed({ type: 'run-queued', scope: row.scope, sessionId: row.session_id, runId: row.id })
      return fromRow(row)
    },

    async startRun(run, { owner, leaseMs }) {
      const row: RunRow = { ...toNewRow(run), status: 'running', attempt: 1, fence: 1, lease_owner: owner }
      const values = [...startedColumns.map((column) => row[column]), leaseMs, row.timeout_ms]
      await context.alongside(insertRunning(context, values))
      return {
        run: { ...fromRow({ ...row, started_at: row.created_at }), remainingMs: run.timeoutMs },
        lease: { runId: row.id, owner, fence: 1 },
      }
    },

    async getRun(scope, id) {
      const row = await db
        .selectFrom('runs')
        .select(runColumns)
        .where('id', '=', id)
        .where('scope', '=', scope)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async getRunBefore(run) {
      const row = await db
        .selectFrom('runs')
        .select(runColumns)
        .where('session_id', '=', run.sessionId)
        .where('started_at', 'is not', null)
        .where(isOlderThan(run))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async isRunFinished(id) {
      const row = await db.selectFrom('runs').select('status').where('id', '=', id).executeTakeFirst()
      return row === undefined || (row.status !== 'queued' && row.status !== 'running')
    },

    async listRuns(scope, { sessionId, kind, status, parentId, isStanding, limit, cursor }) {
      const rows = await db
        .selectFrom('runs')
        .select(runColumns)
        .where('scope', '=', scope)
        .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId!))
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(parentId !== undefined, (query) => query.where('parent_id', '=', parentId!))
        .$if(isStanding === true, (query) => query.where('is_undone', '=', 0))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async listOpenRuns(sessionId) {
      return (await selectOpen(context, [sessionId])).map(fromRow)
    },

    async listTasksBelow(scope, sessionId) {
      const kinds = ['background', ...slices.flatMap((slice) => slice.runs?.kind ?? [])]
      const rows = await statement<RunRow>(tasksBelow(kinds))(context, [sessionId])
      return rows.filter((row) => row.scope === scope).map(fromRow)
    },

    async finishRun(lease, { status, outcome, usage, course }) {
      const [ended] = await endRun(context, [
        status,
        outcome === undefined ? null : JSON.stringify(outcome),
        usage === undefined ? null : JSON.stringify(usage),
        course ? writeCourse(course, { runId: lease.runId, usage, parts: course.parts }) : null,
        lease.runId,
        lease.fence,
      ])
      if (!ended) throw leaseLost(lease)
      const { code } = (outcome ?? {}) as { code?: string }
      notifyEnded(context, ended, status, code)
    },

    amendOutcome: (runId, more) =>
      context.transaction(async (tx) => {
        const row = await tx.db
          .selectFrom('runs')
          .select('outcome')
          .where('id', '=', runId)
          .executeTakeFirst()
        const outcome = { ...(parseColumn(row?.outcome ?? null) as object | undefined), ...more }
        await tx.db
          .updateTable('runs')
          .set({ outcome: JSON.stringify(outcome) })
          .where('id', '=', runId)
          .execute()
      }),

    requestStop: (scope, id, reason) =>
      context.transaction(async (tx) => {
        const isHere = sql<boolean>`id = ${id} and scope = ${scope}`
        const cancelled = { status: 'cancelled' as const, stop_reason: reason, finished_at: backend.now }
        const ended = await tx.db
          .updateTable('runs')
          .set(cancelled)
          .where(isHere)
          .where('status', '=', 'queued')
          .returning(endedColumns)
          .executeTakeFirst()
        if (ended) notifyEnded(tx, ended, 'cancelled', 'stopped')
        const { numUpdatedRows } = await tx.db
          .updateTable('runs')
          .set({
            stop_reason: reason,
            // one that waits for others has no owner who would obey: it is due now
            lease_until: sql<number>`case when lease_owner is null then 0 else lease_until end`,
          })
          .where(isHere)
          .where('status', '=', 'running')
          .where('stop_reason', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows > 0n) tx.changed({ type: 'run-stopping', runId: id, reason })
        const row = await tx.db.selectFrom('runs').select(runColumns).where(isHere).executeTakeFirst()
        if (row?.status === 'running' && row.lease_owner === null)
          tx.changed({ type: 'run-queued', scope, sessionId: row.session_id, runId: id })
        return row && fromRow(row)
      }),

    lockRunning: (id) => lockRunning(context, id),

    steerRun: (run, item) =>
      context.transaction(async (tx) => {
        if (!(await lockRunning(tx, run.id))) return false
        await inboxQueries(tx).deliver(run.sessionId, { kind: 'steer', ...item })
        return true
      }),

    async cancelQueuedRun(scope, id) {
      const ended = await db
        .updateTable('runs')
        .set({ status: 'cancelled', stop_reason: 'taken back', finished_at: backend.now })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .where('status', '=', 'queued')
        .returning(endedColumns)
        .executeTakeFirst()
      if (ended) notifyEnded(context, ended, 'cancelled', 'taken_back')
      return ended !== undefined
    },

    orderQueuedRuns: (sessionId, runIds) =>
      context.transaction(async (tx) => {
        const { rows } = await sql<{ id: string; priority: number }>`
          select id, priority from runs where session_id = ${sessionId} and status = 'queued'
          order by id ${backend.forUpdate}
        `.execute(tx.db)
        const queued = new Map(rows.map((row) => [row.id, row]))
        if (!runIds.every((id) => queued.has(id))) return false
        const others = rows.filter(({ id }) => !runIds.includes(id))
        const highest = Math.max(-1, ...others.map(({ priority }) => priority))
        for (const [index, id] of runIds.toReversed().entries())
          await updatePriority(tx, [highest + 1 + index, id])
        return true
      }),

    steerQueuedRun: (running, queuedId) =>
      context.transaction(async (tx) => {
        if (!(await lockRunning(tx, running.id))) return false
        const outcome = JSON.stringify({ code: 'steered', runId: running.id })
        const taken = await tx.db
          .updateTable('runs')
          .set({ status: 'cancelled', stop_reason: 'steered', outcome, finished_at: backend.now })
          .where('id', '=', queuedId)
          .where('session_id', '=', running.sessionId)
          .where('status', '=', 'queued')
          .returning([...endedColumns, 'input'])
          .executeTakeFirst()
        if (!taken) return false
        notifyEnded(tx, taken, 'cancelled', 'steered')
        const item = { kind: 'steer', dedupeKey: queuedId, payload: parseColumn(taken.input) }
        return inboxQueries(tx).deliver(running.sessionId, item)
      }),

    async editQueuedRun(scope, id, input) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ input: JSON.stringify(input) })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .where('status', '=', 'queued')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async replaceRunInput(lease, input) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ input: JSON.stringify(input) })
        .where('id', '=', lease.runId)
        .where('fence', '=', lease.fence)
        .where('status', '=', 'running')
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw leaseLost(lease)
    },
  }
}

type EndedRow = Pick<RunRow, 'id' | 'scope' | 'session_id' | 'kind'>
const endedColumns = ['id', 'scope', 'session_id', 'kind'] as const

const notifyEnded = (context: QueryContext, row: EndedRow, status: FinalStatus, code?: string) =>
  context.changed({
    type: 'run-ended',
    scope: row.scope,
    sessionId: row.session_id,
    runId: row.id,
    kind: row.kind,
    status,
    code,
  })

const withNote = (input: unknown, note: object | undefined) =>
  note && isObject(input) ? { ...input, ...note } : input

async function lockRunning({ db, backend }: QueryContext, id: string): Promise<boolean> {
  const query = sql<RunRow>`select status from runs where id = ${id} ${backend.forUpdate}`
  return (await query.execute(db)).rows[0]?.status === 'running'
}

// all but what the database sets by itself
const startedColumns = [
  'id',
  'scope',
  'session_id',
  'kind',
  'status',
  'parent_id',
  'depth',
  'priority',
  'attempt',
  'lease_owner',
  'fence',
  'timeout_ms',
  'is_waiting',
  'task_of',
  'input',
  'budget',
  'last_event_seq',
  'created_at',
] as const
const insertRunning = statement(`
  insert into runs (${startedColumns.join(', ')}, lease_until, deadline_at, started_at)
  values (${startedColumns.map(() => '?').join(', ')}, {now} + ?, {now} + cast(? as bigint), {now})
`)
const endRun = statement<EndedRow>(`
  update runs set status = ?, outcome = ?, usage = ?, course = ?, lease_owner = null, lease_until = null, finished_at = {now}
  where id = ? and fence = ? and status = 'running' returning ${endedColumns.join(', ')}
`)
const updatePriority = statement(`update runs set priority = ? where id = ?`)
/** Upwards from what is open: however many there were before, those are few. */
const tasksBelow = (kinds: readonly string[]) => `
  with recursive above (run_id, session_id) as (
    ${kinds
      .map(
        (kind) => `select id, task_of from runs
    where kind = '${kind}' and status in ('queued', 'running') and task_of is not null`,
      )
      .join(' union ')}
    union
    select above.run_id, sessions.parent_id from above join sessions on sessions.id = above.session_id
    where sessions.parent_id is not null
  )
  select * from runs where id in (select run_id from above where session_id = ?) order by created_at, id
`
const isOlderThan = ({ createdAt, id }: Run) => sql<boolean>`(created_at, id) < (${createdAt}, ${id})`

const selectOpen = statement<RunRow>(`
  select * from runs where session_id = ? and status in ('queued', 'running')
  order by status desc, priority desc, created_at, id
`)
