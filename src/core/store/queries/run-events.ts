import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import { holdsLease, leaseLost, type Lease } from './claims.ts'

/** Events `firstSeq` to `seq`, in order and without gaps between them. */
export interface EventBatch {
  firstSeq: number
  seq: number
  events: unknown[]
}

export interface RunEventQueries {
  /** Only the holder of the lease may add; throws `conflict` when it was lost. */
  appendRunEvents(lease: Lease, batch: EventBatch): Promise<void>
  /** The batches that end after a place, oldest first. */
  listRunEvents(runId: string, range: { after?: number; limit: number }): Promise<EventBatch[]>
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
      const rows = await selectBatches(context, [runId, after, limit])
      return rows.map((row) => ({
        firstSeq: row.first_seq,
        seq: row.seq,
        events: JSON.parse(row.events) as unknown[],
      }))
    },
  }
}

const selectBatches = statement<{ seq: number; first_seq: number; events: string }>(`
  select seq, first_seq, events from run_events where run_id = ? and seq > ? order by seq limit ?
`)
const insertBatch = statement<{ seq: number }>(`
  insert into run_events (run_id, seq, first_seq, events, created_at)
  select id, cast(? as bigint), cast(? as bigint), cast(? as text), cast(? as bigint) from runs where ${holdsLease}
  returning seq
`)
