import { sql, type RawBuilder } from 'kysely'
import { conflict, notFound, ParleyError, quote } from '../../protocol/error.ts'
import type { Backend } from '../backend.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { RunRow } from '../tables/runs.ts'
import { fromRow, type Run } from './run-row.ts'

/** Who takes a run, and for how long before others may think it dead. */
export interface Claim {
  owner: string
  leaseMs: number
  /** How many background runs may be running at once; none when left out. */
  slots?: Slots
}

/** Limits of background work, over all nodes. */
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

export interface ClaimFilter {
  limit: number
  /** Includes background runs, as many as may be running. */
  slots?: Slots
  /** Only runs of these sessions, and their tasks. */
  sessions?: readonly string[]
}

/** Who works on which run, and how many may be worked on. */
export interface ClaimQueries {
  /** What could be claimed now: the next queued run of each idle session, and runs whose owner let the lease lapse. */
  listClaimableRuns(filter: ClaimFilter): Promise<Run[]>
  /** Background runs that are not over, in all and of one session. Counts for as long as the transaction lasts. */
  countTasks(taskOf: string | undefined): Promise<{ all: number; ofSession: number; queued: number }>
  /** A run that waits for its own task holds no slot. */
  beginWaiting(runId: string): Promise<void>
  /** Takes a slot again; false while none is free. */
  endWaiting(runId: string, slots: Slots): Promise<boolean>
  /** Takes a claimable run; undefined when somebody else has it, it has finished, or its session is busy. */
  claimRun(id: string, claim: Claim): Promise<{ run: Run; lease: Lease } | undefined>
  /** Prolongs leases; answers those that are still held, with what their owner should know. */
  renewLeases(leases: Lease[], leaseMs: number): Promise<{ runId: string; stopReason?: string }[]>
  /** Throws `conflict` when the lease was lost; keeps it from being lost until the transaction ends. */
  holdRun(lease: Lease): Promise<void>
  /** The run has made progress: earlier crashes of its process no longer count. */
  noteProgress(lease: Lease): Promise<void>
  /**
   * Releases a run that waits for others: it is claimed again when it is woken, or when its time has come. With
   * `stopsClock` its own time stands still meanwhile.
   */
  parkRun(lease: Lease, until: { wakeAt?: number; stopsClock?: boolean }): Promise<void>
  /**
   * Resumes a run that waits; one that is running looks once more before it waits, and one that is queued begins after this
   * transaction. False when it has ended; otherwise it does not end before the transaction does.
   */
  wakeRun(runId: string): Promise<boolean>
  /** Lets the leases of owners that are known to be gone lapse at once; answers whether there were any. */
  lapseLeasesOfGone(self: string): Promise<boolean>
  /** Whether its owner is gone, or has let go of it, and no other has it yet. */
  isRunLeft(runId: string): Promise<boolean>
  /** Gives runs back unfinished: they can be claimed at once, and the claim does not count as an attempt. */
  releaseRuns(leases: Lease[]): Promise<void>
}

export function claimQueries(context: QueryContext): ClaimQueries {
  const { db, backend } = context

  const isQueuedTask = async (id: string) => {
    const [row] = await selectKind(context, [id])
    return row?.kind === 'background' && row.status === 'queued'
  }

  return {
    async listClaimableRuns({ limit, slots, sessions }) {
      const list = (isWanted: RawBuilder<boolean>, most: number) =>
        db
          .selectFrom('runs')
          .selectAll()
          .where(isWanted)
          .$if(sessions !== undefined, (query) => query.where(isOf(sessions!)))
          .orderBy('priority', 'desc')
          .orderBy('created_at')
          .orderBy('id')
          .limit(most)
          .execute()
      // tasks that wait for a slot must not keep others out of the list
      const free = slots ? Math.max(0, slots.maxGlobal - (await countRunning(db))) : 0
      const rows = [
        ...(await list(isLapsed(backend), limit)),
        ...(await list(sql<boolean>`(kind <> 'background' and ${isNext})`, limit)),
        ...(free > 0
          ? await list(
              sql<boolean>`(kind = 'background' and ${isNext} and ${hasFreeSlot(slots!)})`,
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

    async claimRun(id, claim) {
      const isTask = await isQueuedTask(id)
      if (!isTask) return claimIn(context, id, claim)
      const { slots } = claim
      if (!slots) return undefined
      return context.transaction(async (tx) => {
        await backend.lockSlots(tx.db)
        if ((await countRunning(tx.db)) >= slots.maxGlobal) return undefined
        return claimIn(tx, id, claim, hasFreeSlot(slots))
      })
    },

    async holdRun(lease) {
      await requireLease(context, lease)
    },

    async noteProgress(lease) {
      await resetAttempts(context, [lease.runId, lease.fence])
    },

    async parkRun(lease, { wakeAt, stopsClock = false }) {
      const [parked] = await updateParked(context, [
        Number(stopsClock),
        Number(stopsClock),
        wakeAt ?? never,
        lease.runId,
        lease.fence,
      ])
      if (!parked) throw leaseLost(lease)
      if (parked.lease_until === 0) notifyQueued(context, parked)
    },

    async wakeRun(runId) {
      const [woken] = await updateWoken(context, [runId])
      if (woken?.lease_until === 0) notifyQueued(context, woken)
      return woken !== undefined
    },

    async renewLeases(leases, leaseMs) {
      if (leases.length === 0) return []
      const isHeld = isHeldBy(leases)
      // a row that is locked is being written by its owner right now; waiting for it here, heartbeat after heartbeat,
      // would take every connection and the owner's own with them
      await sql`update runs set lease_until = ${backend.now} + ${sql.lit(leaseMs)}
        where id in (select id from runs where ${isHeld} ${backend.skipLocked})`.execute(db)
      const rows = await db.selectFrom('runs').select(['id', 'stop_reason']).where(isHeld).execute()
      return rows.map((row) => ({ runId: row.id, stopReason: row.stop_reason ?? undefined }))
    },

    async lapseLeasesOfGone(self) {
      const owners = await selectOtherOwners(context, [self])
      if (owners.length === 0) return false
      const gone = await backend.owners.findGone(owners.map((row) => row.lease_owner))
      for (const owner of gone) await lapseLeases(context, [owner])
      return gone.length > 0
    },

    async isRunLeft(runId) {
      const [run] = await selectOwner(context, [runId])
      if (!run) return false
      return run.is_lapsed === 1 || (await backend.owners.findAbsent([run.lease_owner])).length > 0
    },

    async releaseRuns(leases) {
      if (leases.length === 0) return
      // locked in the order in which events of several runs are stored: the two cannot wait for each other
      await sql`update runs set lease_until = ${backend.now} - 1, attempt = attempt - 1
        where id in (select id from runs where ${isHeldBy(leases)} order by id ${backend.forUpdate})`.execute(
        db,
      )
    },
  }
}

async function claimIn(
  { db, backend }: QueryContext,
  id: string,
  { owner, leaseMs }: Claim,
  isAllowed: RawBuilder<boolean> = sql<boolean>`1 = 1`,
): Promise<{ run: Run; lease: Lease } | undefined> {
  const { now } = backend
  try {
    const row = await db
      .updateTable('runs')
      .set({
        status: 'running',
        lease_owner: owner,
        lease_until: sql<number>`${now} + ${sql.lit(leaseMs)}`,
        fence: sql<number>`fence + 1`,
        last_event_seq: sql<number>`case when fence = 0 then 0 else last_event_seq + ${sql.lit(eventsPerOwner)} end`,
        attempt: sql<number>`attempt + 1`,
        is_waiting: 0,
        is_woken: 0,
        started_at: sql<number>`coalesce(started_at, ${now})`,
        // counted from the first claim: a crash does not give it more time
        deadline_at: sql<number>`coalesce(deadline_at, ${now} + timeout_ms)`,
      })
      .where('id', '=', id)
      .where(isClaimable(backend))
      .where(isAllowed)
      .returningAll()
      .returning(sql<number | null>`deadline_at - ${now}`.as('remaining_ms'))
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

const holdsSlot = sql<boolean>`(kind = 'background' and status = 'running' and is_waiting = 0)`

async function countRunning(db: QueryContext['db']): Promise<number> {
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from runs where ${holdsSlot}`.execute(db)
  return Number(rows[0]!.count)
}

const isOf = (sessions: readonly string[]) =>
  sessions.length === 0
    ? sql<boolean>`1 = 0`
    : sql<boolean>`(session_id in (${sql.join(sessions)}) or task_of in (${sql.join(sessions)}))`

/** That the parent session has fewer tasks running than it may have. */
const hasFreeSlot = ({ maxPerParent }: Slots) => sql<boolean>`(task_of is null or (
  select count(*) from runs as other
  where other.task_of = runs.task_of and other.kind = 'background' and other.status = 'running' and other.is_waiting = 0
) < ${maxPerParent})`

/** Far beyond every clock. */
const never = 8_640_000_000_000_000

type DueRow = { id: string; scope: string; session_id: string; lease_until: number }
const updateParked = statement<DueRow>(`
  update runs set lease_owner = null, is_waiting = 1, attempt = 0,
    timeout_ms = case when cast(? as bigint) = 1 and deadline_at is not null then deadline_at - {now} else timeout_ms end,
    deadline_at = case when cast(? as bigint) = 1 then null else deadline_at end,
    lease_until = case when is_woken = 1 or stop_reason is not null then 0 else cast(? as bigint) end
  where id = ? and fence = ? and status = 'running' returning id, scope, session_id, lease_until
`)
// one that waits and nobody holds is due at once; one that is queued cannot be claimed before this is committed
const updateWoken = statement<DueRow>(`
  update runs set is_woken = 1,
    lease_until = case when status = 'running' and lease_owner is null then 0 else lease_until end
  where id = ? and status in ('queued', 'running') returning id, scope, session_id, lease_until
`)
const resetAttempts = statement(`update runs set attempt = 1 where id = ? and fence = ?`)
const notifyQueued = (context: QueryContext, { id, scope, session_id: sessionId }: DueRow) =>
  context.changed({ type: 'run-queued', scope, sessionId, runId: id })

// no lease is as long as a day: what is parked for longer, and nobody holds, is not read
const selectOtherOwners = statement<{ lease_owner: string }>(`
  select distinct lease_owner from runs
  where status = 'running' and lease_until between {now} and {now} + 86400000
    and lease_owner is not null and lease_owner <> ?
`)
const selectOwner = statement<{ lease_owner: string; is_lapsed: number }>(`
  select lease_owner, case when lease_until < {now} then 1 else 0 end as is_lapsed from runs
  where id = ? and status = 'running' and lease_owner is not null
`)
const lapseLeases = statement(
  `update runs set lease_until = {now} - 1 where status = 'running' and lease_owner = ?`,
)

const updateWaiting = statement(`update runs set is_waiting = ? where id = ? and status = 'running'`)
const selectKind = statement<{ kind: string; status: string }>(`select kind, status from runs where id = ?`)

/** A released run is not held, even if its last owner thinks so: it is due at its own time. */
const isHeldBy = (leases: Lease[]) =>
  sql<boolean>`status = 'running' and lease_owner is not null and (${sql.join(
    leases.map(({ runId, fence }) => sql`(id = ${runId} and fence = ${fence})`),
    sql` or `,
  )})`

/** Its owner is gone, or it waited and is due. */
const isLapsed = ({ now }: Backend) => sql<boolean>`(status = 'running' and lease_until < ${now})`

const isNext = sql<boolean>`(status = 'queued' and not exists
  (select 1 from runs as other where other.session_id = runs.session_id
    and other.status in ('queued', 'running') and other.status = 'running'))`

const isClaimable = (backend: Backend) => sql<boolean>`(${isLapsed(backend)} or ${isNext})`

export const leaseLost = (lease: Lease) =>
  conflict(
    `The run ${quote(lease.runId)} has ended or was taken by another owner than ${quote(lease.owner)}.`,
    lease,
  )

/** The write came too late: the run has finished, or another owner has it. */
export const isLeaseLost = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.code === 'conflict' &&
  (error.details as Partial<Lease> | undefined)?.fence !== undefined

/** For writes that belong to a run: refuses when the lease was lost, and keeps it from being lost meanwhile. */
// numbers that a dead owner had emitted but not stored are skipped, and no owner emits as many
const eventsPerOwner = 1_000_000_000

/** Which run a lease stands for, locked until the transaction ends; of its id and its fence. */
export const holdsLease = `id = ? and fence = ? and status = 'running' {forUpdate}`

export async function requireLease({ db, backend }: QueryContext, lease: Lease): Promise<void> {
  // the input of the run may be large, and is not read
  const query = sql<Pick<RunRow, 'fence' | 'status'>>`
    select fence, status from runs where id = ${lease.runId} ${backend.forUpdate}`
  const [row] = (await query.execute(db)).rows
  if (!row) throw notFound('run', lease.runId)
  if (row.fence !== lease.fence || row.status !== 'running') throw leaseLost(lease)
}
