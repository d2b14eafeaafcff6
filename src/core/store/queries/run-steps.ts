import type { Part } from '../../protocol/message.ts'
import type { QueryContext } from '../query-context.ts'
import { readSteps } from '../run-course.ts'
import { statement } from '../statement.ts'
import { holdsLease, leaseLost, type Lease } from './claims.ts'
import { courseColumns, joinReply, toReply, type RunCourseRow } from './run-courses.ts'

/** One model call of a run: what it answered, what its tools gave back so far, and what it was sent. */
export interface RunStep {
  step: number
  parts: Part[]
  prompt: unknown
}

export interface OpenStep extends RunStep {
  /** The events of the run up to here belong to finished work; what a crash left after them is void. */
  lastEventSeq: number
}

export interface RunStepQueries {
  /** Stores a step or replaces it, for the holder of the lease alone; true when it was not there before. */
  putRunStep(lease: Lease, step: OpenStep): Promise<boolean>
  /** Of a run that has a course, those of the course. */
  listRunSteps(runId: string): Promise<RunStep[]>
  /** Of a run that is not over: what its owners stored. */
  listOpenSteps(lease: Pick<Lease, 'runId'>): Promise<OpenStep[]>
  /** The last ones of a run that is running, newest first, without what they were sent. */
  listNewestSteps(runId: string, limit: number): Promise<Pick<RunStep, 'step' | 'parts'>[]>
  /** Removes all steps, for the course that takes their place in the same transaction. */
  dropRunSteps(lease: Lease): Promise<void>
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
      const rows = await selectSteps(context, [runId])
      const [first] = rows
      if (first && first.course !== null)
        return readSteps(first.course, toReply(first)).map((read, index) => ({ step: index + 1, ...read }))
      return rows.flatMap((row) => (row.step === null ? [] : toStep(row as StepRow)))
    },

    async listOpenSteps({ runId }) {
      const rows = await selectOpenSteps(context, [runId])
      return rows.map((row) => ({ ...toStep(row), lastEventSeq: row.last_event_seq }))
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

    async dropRunSteps({ runId, fence }) {
      await deleteSteps(context, [runId, fence])
    },
  }
}

interface StepRow {
  step: number
  step_parts: string
  prompt: string
}

const toStep = (row: StepRow): RunStep => ({
  step: row.step,
  parts: JSON.parse(row.step_parts) as Part[],
  prompt: JSON.parse(row.prompt) as unknown,
})

const stepColumns = `run_steps.step, run_steps.parts as step_parts, run_steps.prompt`
const selectSteps = statement<RunCourseRow & { [Column in keyof StepRow]: StepRow[Column] | null }>(`
  select ${courseColumns}, ${stepColumns} from runs left join run_steps on run_steps.run_id = runs.id ${joinReply}
  where runs.id = ? order by run_steps.step
`)
const selectOpenSteps = statement<StepRow & { last_event_seq: number }>(`
  select ${stepColumns}, last_event_seq from run_steps where run_id = ? order by step
`)
const upsertStep = statement<{ rewrites: number }>(`
  insert into run_steps (run_id, step, parts, prompt, last_event_seq, created_at)
  select id, cast(? as bigint), cast(? as text), cast(? as text), cast(? as bigint), cast(? as bigint)
  from runs where ${holdsLease}
  on conflict (run_id, step) do update
  set parts = excluded.parts, prompt = excluded.prompt, last_event_seq = excluded.last_event_seq,
    rewrites = run_steps.rewrites + 1
  returning rewrites
`)
const deleteSteps = statement(`
  delete from run_steps where run_id = (select id from runs where ${holdsLease})
`)
