import type { RunEvent } from '../../protocol/chunk.ts'
import { unpack, type EventBatch } from '../event-batch.ts'
import type { QueryContext } from '../query-context.ts'
import { readEvents } from '../run-course.ts'
import { statement } from '../statement.ts'
import { holdsLease, leaseLost, requireLease, type Lease } from './claims.ts'
import { courseColumns, joinReply, toReply, type RunCourseRow } from './run-courses.ts'

export interface RunEventQueries {
  /** Only the holder of the lease may add; throws `conflict` when it was lost. */
  appendRunEvents(lease: Lease, batch: EventBatch): Promise<void>
  /** The batches that end after a place, oldest first; of a run that has a course, those of the course. */
  listRunEvents(runId: string, range: { after?: number; limit: number }): Promise<EventBatch[]>
  /** Removes events after a place: those of a step that a crash cut short. */
  dropRunEventsAfter(lease: Lease, seq: number): Promise<void>
  /** Removes all events, for the course that takes their place in the same transaction; answers them in order. */
  takeRunEvents(lease: Lease): Promise<RunEvent[]>
}

export function runEventQueries(context: QueryContext): RunEventQueries {
  const { clock } = context
  return {
    async appendRunEvents(lease, { firstSeq, seq, events }) {
      const values = [seq, firstSeq, JSON.stringify(events), clock.now()]
      const [stored] = await insertBatch(context, [...values, lease.runId, lease.fence])
      if (!stored) throw leaseLost(lease)
    },

    async listRunEvents(runId, { after = 0, limit }) {
      const rows = await selectEvents(context, [after, runId, limit])
      const [first] = rows
      if (first && first.course !== null)
        return readEvents(first.course, { after, limit }, () => toReply(first))
      return rows.flatMap((row) => (row.events === null ? [] : toBatch(row as BatchRow)))
    },

    dropRunEventsAfter: (lease, seq) =>
      context.transaction(async (tx) => {
        await requireLease(tx, lease)
        await tx.db
          .deleteFrom('run_events')
          .where('run_id', '=', lease.runId)
          .where('seq', '>', seq)
          .execute()
      }),

    async takeRunEvents({ runId, fence }) {
      const rows = await deleteBatches(context, [runId, fence])
      return rows.toSorted((one, other) => one.seq - other.seq).flatMap((row) => unpack(toBatch(row)))
    },
  }
}

interface BatchRow {
  seq: number
  first_seq: number
  events: string
}

const toBatch = (row: BatchRow): EventBatch => ({
  firstSeq: row.first_seq,
  seq: row.seq,
  events: JSON.parse(row.events) as unknown[],
})

const selectEvents = statement<RunCourseRow & { [Column in keyof BatchRow]: BatchRow[Column] | null }>(`
  select ${courseColumns}, run_events.seq, run_events.first_seq, run_events.events
  from runs left join run_events on run_events.run_id = runs.id and run_events.seq > ? ${joinReply}
  where runs.id = ? order by run_events.seq limit ?
`)
const insertBatch = statement<{ seq: number }>(`
  insert into run_events (run_id, seq, first_seq, events, created_at)
  select id, cast(? as bigint), cast(? as bigint), cast(? as text), cast(? as bigint) from runs where ${holdsLease}
  returning seq
`)
const deleteBatches = statement<BatchRow>(`
  delete from run_events where run_id = (select id from runs where ${holdsLease}) returning seq, first_seq, events
`)
