import type { Part } from '../../protocol/message.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import { holdsLease, leaseLost, requireLease, type Lease } from './claims.ts'

/** One model call of a run: what it answered, what its tools gave back so far, and what it was sent. */
export interface RunStep {
  step: number
  parts: Part[]
  prompt: unknown
  /** The events of the run up to here belong to finished work; what a crash left after them is void. */
  lastEventSeq: number
}

export interface RunStepQueries {
  /** Stores a step or replaces it, for the holder of the lease alone; true when it was not there before. */
  putRunStep(lease: Lease, step: RunStep): Promise<boolean>
  listRunSteps(runId: string): Promise<RunStep[]>
  /** The last ones, newest first, without what they were sent. */
  listNewestSteps(runId: string, limit: number): Promise<Pick<RunStep, 'step' | 'parts'>[]>
  /** Removes events after a place: those of a step that a crash cut short. */
  dropRunEventsAfter(lease: Lease, seq: number): Promise<void>
}

export function runStepQueries(context: QueryContext): RunStepQueries {
  const { db, clock } = context
  return {
    async putRunStep(lease, { step, parts, prompt, lastEventSeq }) {
      const values = [step, JSON.stringify(parts), JSON.stringify(prompt), lastEventSeq, clock.now()]
      const [row] = await upsertStep(context, [...values, lease.runId, lease.fence])
      if (!row) throw leaseLost(lease)
      return row.rewrites === 0
    },

    async listRunSteps(runId) {
      const rows = await db
        .selectFrom('run_steps')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('step')
        .execute()
      return rows.map((row) => ({
        step: row.step,
        parts: JSON.parse(row.parts) as Part[],
        prompt: JSON.parse(row.prompt) as unknown,
        lastEventSeq: row.last_event_seq,
      }))
    },

    async listNewestSteps(runId, limit) {
      const rows = await db
        .selectFrom('run_steps')
        .select(['step', 'parts'])
        .where('run_id', '=', runId)
        .orderBy('step', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ step: Number(row.step), parts: JSON.parse(row.parts) as Part[] }))
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
  }
}

const upsertStep = statement<{ rewrites: number }>(`
  insert into run_steps (run_id, step, parts, prompt, last_event_seq, created_at)
  select id, cast(? as bigint), cast(? as text), cast(? as text), cast(? as bigint), cast(? as bigint)
  from runs where ${holdsLease}
  on conflict (run_id, step) do update
  set parts = excluded.parts, prompt = excluded.prompt, last_event_seq = excluded.last_event_seq,
    rewrites = run_steps.rewrites + 1
  returning rewrites
`)
