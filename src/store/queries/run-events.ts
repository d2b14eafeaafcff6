import type { QueryContext } from '../context.ts'
import { requireLease, type Lease } from './runs.ts'

export interface RunEvent {
  seq: number
  type: string
  data: unknown
  createdAt: number
}

export interface RunEventQueries {
  /** Only the holder of the lease may add; answers the last sequence number. */
  appendRunEvents(lease: Lease, events: { type: string; data: unknown }[]): Promise<number>
  listRunEvents(runId: string, range: { after?: number; limit: number }): Promise<RunEvent[]>
}

export function runEventQueries(context: QueryContext): RunEventQueries {
  const { db, clock } = context
  return {
    appendRunEvents: (lease, events) =>
      context.transaction(async (tx) => {
        const run = await requireLease(tx, lease)
        const now = clock.now()
        const rows = events.map(({ type, data }, index) => ({
          run_id: lease.runId,
          seq: run.last_event_seq + index + 1,
          type,
          data: JSON.stringify(data),
          created_at: now,
        }))
        if (rows.length > 0) await tx.db.insertInto('run_events').values(rows).execute()
        const lastSeq = run.last_event_seq + rows.length
        await tx.db
          .updateTable('runs')
          .set({ last_event_seq: lastSeq })
          .where('id', '=', lease.runId)
          .execute()
        return lastSeq
      }),

    async listRunEvents(runId, { after = 0, limit }) {
      const rows = await db
        .selectFrom('run_events')
        .selectAll()
        .where('run_id', '=', runId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        seq: row.seq,
        type: row.type,
        data: JSON.parse(row.data),
        createdAt: row.created_at,
      }))
    },
  }
}
