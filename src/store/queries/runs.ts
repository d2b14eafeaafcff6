import { sql, type RawBuilder } from 'kysely'
import { conflict, notFound, quote } from '../../protocol/error.ts'
import type { Backend } from '../backend.ts'
import type { QueryContext } from '../context.ts'
import { statement } from '../statement.ts'
import type { RunRow } from '../tables.ts'
import { inboxQueries } from './inbox.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'

export type RunStatus = RunRow['status']
export type FinalStatus = Exclude<RunStatus, 'queued' | 'running'>

export interface Run {
  id: string
  scope: string
  sessionId: string
  kind: string
  status: RunStatus
  parentId?: string
  depth: number
  priority: number
  /** How often it was claimed and not given back: more than once means that an earlier owner died. */
  attempt: number
  /** Why somebody asked it to stop. */
  stopReason?: string
  /** How long it may go on from its first claim, and until when that is. */
  timeoutMs?: number
  deadlineAt?: number
  /** Of a run that was just claimed: what is left of that time. */
  remainingMs?: number
  /** Of a background run: the session whose task it is. */
  taskOf?: string
  input: unknown
  budget?: unknown
  outcome?: unknown
  usage?: unknown
  lastEventSeq: number
  createdAt: number
  startedAt?: number
  finishedAt?: number
}

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

/** Who takes a run, and for how long before others may think it dead. */
export interface Claim {
  owner: string
  leaseMs: number
  /** How many background runs may go on at once; none when left out. */
  slots?: Slots
}

/** Bounds of what goes on in the background, over all nodes. */
export interface Slots {
  maxGlobal: number
  maxPerParent: number
}

/** The right to write to a run. A later claim has a higher fence, and then this one writes no more. */
export interface Lease {
  runId: string
  owner: string
  fence: number
}

export interface RunFilter {
  sessionId?: string
  kind?: string
  status?: RunStatus
  parentId?: string
  limit: number
  cursor?: string
}

export interface RunQueries {
  createRun(run: NewRun): Promise<Run>
  /** A run that is born running, in the hands of its owner; the session must have none that runs. */
  startRun(run: NewRun, claim: Claim): Promise<{ run: Run; lease: Lease }>
  getRun(scope: string, id: string): Promise<Run | undefined>
  /** The run of the same session that began last before this one. */
  getRunBefore(run: Run): Promise<Run | undefined>
  /** True when the run has ended, or never was. */
  isRunOver(id: string): Promise<boolean>
  /** Newest first. */
  listRuns(scope: string, filter: RunFilter): Promise<Page<Run>>
  /** The runs of a session that are not over, in the order they will be done. */
  listOpenRuns(sessionId: string): Promise<Run[]>
  /** What could be claimed now: the next queued run of each idle session, and runs whose owner let the lease lapse. */
  listClaimableRuns(limit: number, slots?: Slots): Promise<Run[]>
  /** Background runs that are not over, in all and of one session. Counts for as long as the transaction lasts. */
  countTasks(taskOf: string | undefined): Promise<{ all: number; ofSession: number; queued: number }>
  /** A run that waits for its own task holds no slot. */
  beginWaiting(runId: string): Promise<void>
  /** Takes a slot again; false while none is free. */
  endWaiting(runId: string, slots: Slots): Promise<boolean>
  /** Open background runs of the sessions below one. */
  listTaskRuns(scope: string, taskOf: string): Promise<Run[]>
  /** Takes a claimable run; undefined when somebody else has it, it is over, or its session is busy. */
  claimRun(id: string, claim: Claim): Promise<{ run: Run; lease: Lease } | undefined>
  /** Prolongs leases; answers those that are still held, with what their owner should know. */
  renewLeases(leases: Lease[], leaseMs: number): Promise<{ runId: string; stopReason?: string }[]>
  /** Gives runs back unfinished: they can be claimed at once, and the claim does not count as an attempt. */
  releaseRuns(leases: Lease[]): Promise<void>
  /** Throws `conflict` when the lease was lost or the run is over; exactly one ending is ever stored. */
  finishRun(lease: Lease, ending: { status: FinalStatus; outcome?: unknown; usage?: unknown }): Promise<void>
  /** Adds to what is stored of the end of a run. */
  amendOutcome(runId: string, more: Record<string, unknown>): Promise<void>
  /** A queued run is cancelled at once, a running one told to stop; answers the run, or undefined when there is none. */
  requestStop(scope: string, id: string, reason: string): Promise<Run | undefined>
  /**
   * Puts something into the inbox of a session for the run that goes on there. False when that run is over: its end and
   * this wait for each other, so nothing is put where nobody looks any more.
   */
  steerRun(run: Run, item: { dedupeKey: string; payload: unknown }): Promise<boolean>
  /** Keeps a run from ending until the transaction does; false when it is over. */
  lockRunning(id: string): Promise<boolean>
  /** False when it has begun. */
  cancelQueuedRun(scope: string, id: string): Promise<boolean>
  /** Replaces the input of a run that has not begun; false when it has. */
  editQueuedRun(scope: string, id: string, input: unknown): Promise<boolean>
}

export function runQueries(context: QueryContext): RunQueries {
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
    task_of: run.taskOf ?? null,
    input: JSON.stringify(run.input),
    budget: run.budget === undefined ? null : JSON.stringify(run.budget),
    outcome: null,
    usage: null,
    last_event_seq: 0,
    created_at: clock.now(),
    started_at: null,
    finished_at: null,
  })

  const isQueuedTask = async (id: string) => {
    const [row] = await selectKind(context, [id])
    return row?.kind === 'background' && row.status === 'queued'
  }

  return {
    async createRun(run) {
      const row = toNewRow(run)
      await db.insertInto('runs').values(row).execute()
      context.changed({ type: 'run-queued', scope: row.scope, sessionId: row.session_id, runId: row.id })
      return fromRow(row)
    },

    async startRun(run, { owner, leaseMs }) {
      const row: RunRow = { ...toNewRow(run), status: 'running', attempt: 1, fence: 1, lease_owner: owner }
      const now = backend.now
      await db
        .insertInto('runs')
        .values({ ...row, lease_until: sql<number>`${now} + ${sql.lit(leaseMs)}`, started_at: now })
        .execute()
      return {
        run: fromRow({ ...row, started_at: row.created_at }),
        lease: { runId: row.id, owner, fence: 1 },
      }
    },

    async getRun(scope, id) {
      const row = await db
        .selectFrom('runs')
        .selectAll()
        .where('id', '=', id)
        .where('scope', '=', scope)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async getRunBefore(run) {
      const row = await db
        .selectFrom('runs')
        .selectAll()
        .where('session_id', '=', run.sessionId)
        .where('started_at', 'is not', null)
        .where(isOlderThan(run))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async isRunOver(id) {
      const row = await db.selectFrom('runs').select('status').where('id', '=', id).executeTakeFirst()
      return row === undefined || (row.status !== 'queued' && row.status !== 'running')
    },

    async listRuns(scope, { sessionId, kind, status, parentId, limit, cursor }) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where('scope', '=', scope)
        .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId!))
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(parentId !== undefined, (query) => query.where('parent_id', '=', parentId!))
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

    async listClaimableRuns(limit, slots) {
      const list = (isWanted: RawBuilder<boolean>, most: number) =>
        db
          .selectFrom('runs')
          .selectAll()
          .where(isClaimable(backend))
          .where(isWanted)
          .orderBy('priority', 'desc')
          .orderBy('created_at')
          .orderBy('id')
          .limit(most)
          .execute()
      // tasks that wait for a slot must not keep others out of the list
      const free = slots ? Math.max(0, slots.maxGlobal - (await countRunning(db))) : 0
      const rows = [
        ...(await list(sql<boolean>`(kind <> 'background' or status = 'running')`, limit)),
        ...(free > 0
          ? await list(
              sql<boolean>`(kind = 'background' and status = 'queued' and ${hasRoom(slots!)})`,
              Math.min(free, limit),
            )
          : []),
      ]
      const seen = new Set<string>()
      return rows.filter(({ session_id: id }) => !seen.has(id) && seen.add(id)).map(fromRow)
    },

    countTasks: (taskOf) =>
      context.transaction(async (tx) => {
        await backend.lockSlots(tx.db)
        const { rows } = await sql<{ all: number; mine: number; queued: number }>`
          select count(*) as "all",
            coalesce(sum(case when task_of = ${taskOf ?? ''} then 1 else 0 end), 0) as mine,
            coalesce(sum(case when status = 'queued' then 1 else 0 end), 0) as queued
          from runs where kind = 'background' and status in ('queued', 'running')
        `.execute(tx.db)
        const { all, mine, queued } = rows[0]!
        return { all: Number(all), ofSession: Number(mine), queued: Number(queued) }
      }),

    async beginWaiting(runId) {
      await updateWaiting(context, [1, runId])
    },

    endWaiting: (runId, slots) =>
      context.transaction(async (tx) => {
        await backend.lockSlots(tx.db)
        const [row] = await selectKind(tx, [runId])
        if (row?.kind === 'background' && (await countRunning(tx.db)) >= slots.maxGlobal) return false
        await updateWaiting(tx, [0, runId])
        return true
      }),

    async listTaskRuns(scope, taskOf) {
      return (await selectTasks(context, [taskOf, scope])).map(fromRow)
    },

    async claimRun(id, claim) {
      const isTask = await isQueuedTask(id)
      if (!isTask) return claimIn(context, id, claim)
      const { slots } = claim
      if (!slots) return undefined
      return context.transaction(async (tx) => {
        await backend.lockSlots(tx.db)
        if ((await countRunning(tx.db)) >= slots.maxGlobal) return undefined
        return claimIn(tx, id, claim, hasRoom(slots))
      })
    },

    async renewLeases(leases, leaseMs) {
      if (leases.length === 0) return []
      const isHeld = sql<boolean>`status = 'running' and ${isHeldBy(leases)}`
      // a row that is locked is being written by its owner right now; waiting for it here, heartbeat after heartbeat,
      // would take every connection and the owner's own with them
      await sql`update runs set lease_until = ${backend.now} + ${sql.lit(leaseMs)}
        where id in (select id from runs where ${isHeld} ${backend.skipLocked})`.execute(db)
      const rows = await db.selectFrom('runs').select(['id', 'stop_reason']).where(isHeld).execute()
      return rows.map((row) => ({ runId: row.id, stopReason: row.stop_reason ?? undefined }))
    },

    async releaseRuns(leases) {
      if (leases.length === 0) return
      await db
        .updateTable('runs')
        .set({ lease_until: sql<number>`${backend.now} - 1`, attempt: sql<number>`attempt - 1` })
        .where('status', '=', 'running')
        .where(isHeldBy(leases))
        .execute()
    },

    async finishRun(lease, { status, outcome, usage }) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({
          status,
          outcome: outcome === undefined ? null : JSON.stringify(outcome),
          usage: usage === undefined ? null : JSON.stringify(usage),
          lease_owner: null,
          lease_until: null,
          finished_at: backend.now,
        })
        .where('id', '=', lease.runId)
        .where('fence', '=', lease.fence)
        .where('status', '=', 'running')
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw leaseLost(lease)
    },

    amendOutcome: (runId, more) =>
      context.transaction(async (tx) => {
        const row = await tx.db
          .selectFrom('runs')
          .select('outcome')
          .where('id', '=', runId)
          .executeTakeFirst()
        const outcome = { ...(parse(row?.outcome ?? null) as object | undefined), ...more }
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
        await tx.db.updateTable('runs').set(cancelled).where(isHere).where('status', '=', 'queued').execute()
        await tx.db
          .updateTable('runs')
          .set({ stop_reason: reason })
          .where(isHere)
          .where('status', '=', 'running')
          .where('stop_reason', 'is', null)
          .execute()
        const row = await tx.db.selectFrom('runs').selectAll().where(isHere).executeTakeFirst()
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
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ status: 'cancelled', stop_reason: 'taken back', finished_at: backend.now })
        .where('id', '=', id)
        .where('scope', '=', scope)
        .where('status', '=', 'queued')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

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
  }
}

async function claimIn(
  { db, backend }: QueryContext,
  id: string,
  { owner, leaseMs }: Claim,
  isAllowed: RawBuilder<boolean> = sql<boolean>`1 = 1`,
): Promise<{ run: Run; lease: Lease } | undefined> {
  try {
    const row = await db
      .updateTable('runs')
      .set({
        status: 'running',
        lease_owner: owner,
        lease_until: sql<number>`${backend.now} + ${sql.lit(leaseMs)}`,
        fence: sql<number>`fence + 1`,
        attempt: sql<number>`attempt + 1`,
        is_waiting: 0,
        started_at: sql<number>`coalesce(started_at, ${backend.now})`,
        // counted from the first claim: a crash does not give it more time
        deadline_at: sql<number>`coalesce(deadline_at, ${backend.now} + timeout_ms)`,
      })
      .where('id', '=', id)
      .where(isClaimable(backend))
      .where(isAllowed)
      .returningAll()
      .returning(sql<number | null>`deadline_at - ${backend.now}`.as('remaining_ms'))
      .executeTakeFirst()
    return (
      row && {
        run: { ...fromRow(row), remainingMs: row.remaining_ms ?? undefined },
        lease: { runId: id, owner, fence: row.fence },
      }
    )
  } catch (error) {
    // another node made another run of the session the running one, at the same moment
    if (backend.isUniqueViolation(error)) return undefined
    throw error
  }
}

async function lockRunning({ db, backend }: QueryContext, id: string): Promise<boolean> {
  const query = sql<RunRow>`select status from runs where id = ${id} ${backend.forUpdate}`
  return (await query.execute(db)).rows[0]?.status === 'running'
}

const holdsSlot = sql<boolean>`(kind = 'background' and status = 'running' and is_waiting = 0)`

async function countRunning(db: QueryContext['db']): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from runs where ${holdsSlot}`.execute(db)
  return Number(rows[0]!.count)
}

/** That the session whose task it is has fewer going on than it may have. */
const hasRoom = ({ maxPerParent }: Slots) => sql<boolean>`(task_of is null or (
  select count(*) from runs as other
  where other.task_of = runs.task_of and other.kind = 'background' and other.status = 'running' and other.is_waiting = 0
) < ${maxPerParent})`

const selectTasks = statement<RunRow>(`
  select * from runs where task_of = ? and scope = ? and kind = 'background' and status in ('queued', 'running')
`)
const updateWaiting = statement(`update runs set is_waiting = ? where id = ? and status = 'running'`)
const selectKind = statement<{ kind: string; status: string }>(`select kind, status from runs where id = ?`)

const isHeldBy = (leases: Lease[]) =>
  sql<boolean>`(${sql.join(
    leases.map(({ runId, fence }) => sql`(id = ${runId} and fence = ${fence})`),
    sql` or `,
  )})`

const isOlderThan = ({ createdAt, id }: Run) => sql<boolean>`(created_at, id) < (${createdAt}, ${id})`

const selectOpen = statement<RunRow>(`
  select * from runs where session_id = ? and status in ('queued', 'running')
  order by status desc, priority desc, created_at, id
`)

const isClaimable = ({ now }: Backend) => sql<boolean>`(
  (status = 'running' and lease_until < ${now})
  or (status = 'queued' and not exists
    (select 1 from runs as other where other.session_id = runs.session_id and other.status = 'running'))
)`

export const leaseLost = (lease: Lease) =>
  conflict(
    `The run ${quote(lease.runId)} is over or was taken by another owner than ${quote(lease.owner)}.`,
    lease,
  )

/** For writes that belong to a run: refuses when the lease was lost, and keeps it from being lost meanwhile. */
export async function requireLease({ db, backend }: QueryContext, lease: Lease): Promise<RunRow> {
  const { rows } =
    await sql<RunRow>`select * from runs where id = ${lease.runId} ${backend.forUpdate}`.execute(db)
  const row = rows[0]
  if (!row) throw notFound('run', lease.runId)
  if (row.fence !== lease.fence || row.status !== 'running') throw leaseLost(lease)
  return row
}

const parse = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text))

function fromRow(row: RunRow): Run {
  return {
    id: row.id,
    scope: row.scope,
    sessionId: row.session_id,
    kind: row.kind,
    status: row.status,
    parentId: row.parent_id ?? undefined,
    depth: row.depth,
    priority: row.priority,
    attempt: row.attempt,
    stopReason: row.stop_reason ?? undefined,
    timeoutMs: row.timeout_ms ?? undefined,
    deadlineAt: row.deadline_at ?? undefined,
    taskOf: row.task_of ?? undefined,
    input: parse(row.input),
    budget: parse(row.budget),
    outcome: parse(row.outcome),
    usage: parse(row.usage),
    lastEventSeq: row.last_event_seq,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    finishedAt: row.finished_at ?? undefined,
  }
}
