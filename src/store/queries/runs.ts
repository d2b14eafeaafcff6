import { sql } from 'kysely'
import { conflict, notFound, quote } from '../../protocol/error.ts'
import type { QueryContext } from '../context.ts'
import type { RunRow } from '../tables.ts'
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
  /** How often it was claimed: more than once means that an earlier owner died. */
  attempt: number
  deadlineAt?: number
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
  deadlineAt?: number
  input: unknown
  budget?: unknown
}

/** The right to write to a run. A later claim has a higher fence, and then this one writes no more. */
export interface Lease {
  runId: string
  owner: string
  fence: number
}

export interface RunFilter {
  sessionId?: string
  status?: RunStatus
  parentId?: string
  limit: number
  cursor?: string
}

export interface RunQueries {
  createRun(run: NewRun): Promise<Run>
  getRun(scope: string, id: string): Promise<Run | undefined>
  /** Newest first. */
  listRuns(scope: string, filter: RunFilter): Promise<Page<Run>>
  /** Queued runs, and running ones whose owner let the lease lapse; oldest first. */
  listClaimableRuns(limit: number): Promise<Run[]>
  /** Takes a claimable run; undefined when somebody else has it or it is over. */
  claimRun(id: string, owner: string, leaseMs: number): Promise<{ run: Run; lease: Lease } | undefined>
  /** False when the lease was lost. */
  renewLease(lease: Lease, leaseMs: number): Promise<boolean>
  /** Throws `conflict` when the lease was lost or the run is over; exactly one ending is ever stored. */
  finishRun(lease: Lease, ending: { status: FinalStatus; outcome?: unknown; usage?: unknown }): Promise<void>
}

export function runQueries(context: QueryContext): RunQueries {
  const { db, backend, clock, ids } = context
  const isClaimable = () =>
    sql<boolean>`(status = 'queued' or (status = 'running' and lease_until < ${backend.now}))`

  return {
    async createRun(run) {
      const row: RunRow = {
        id: run.id ?? ids.next('run'),
        scope: run.scope,
        session_id: run.sessionId,
        kind: run.kind,
        status: 'queued',
        parent_id: run.parentId ?? null,
        depth: run.depth ?? 0,
        attempt: 0,
        lease_owner: null,
        lease_until: null,
        fence: 0,
        deadline_at: run.deadlineAt ?? null,
        input: JSON.stringify(run.input),
        budget: run.budget === undefined ? null : JSON.stringify(run.budget),
        outcome: null,
        usage: null,
        last_event_seq: 0,
        created_at: clock.now(),
        started_at: null,
        finished_at: null,
      }
      await db.insertInto('runs').values(row).execute()
      return fromRow(row)
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

    async listRuns(scope, { sessionId, status, parentId, limit, cursor }) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where('scope', '=', scope)
        .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId!))
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(parentId !== undefined, (query) => query.where('parent_id', '=', parentId!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async listClaimableRuns(limit) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where(isClaimable())
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },

    async claimRun(id, owner, leaseMs) {
      const row = await db
        .updateTable('runs')
        .set({
          status: 'running',
          lease_owner: owner,
          lease_until: sql<number>`${backend.now} + ${sql.lit(leaseMs)}`,
          fence: sql<number>`fence + 1`,
          attempt: sql<number>`attempt + 1`,
          started_at: sql<number>`coalesce(started_at, ${backend.now})`,
        })
        .where('id', '=', id)
        .where(isClaimable())
        .returningAll()
        .executeTakeFirst()
      return row && { run: fromRow(row), lease: { runId: id, owner, fence: row.fence } }
    },

    async renewLease(lease, leaseMs) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ lease_until: sql<number>`${backend.now} + ${sql.lit(leaseMs)}` })
        .where('id', '=', lease.runId)
        .where('fence', '=', lease.fence)
        .where('status', '=', 'running')
        .executeTakeFirst()
      return numUpdatedRows > 0n
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
  }
}

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
    attempt: row.attempt,
    deadlineAt: row.deadline_at ?? undefined,
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
