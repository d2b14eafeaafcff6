import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { WorkflowStepRow } from './tables.ts'
import { inPortions } from '../../../core/store/rows.ts'
import { toStep, type StepRecord } from './workflow-runs.ts'

export interface ProgressStep {
  /** Without output and data when it has ended. */
  step: StepRecord
  hasOutput: boolean
}

/** What a run has to know of its steps to continue; their results are read when needed. */
export interface WorkflowProgressQueries {
  /** Those that were not passed. */
  listWorkflowProgress(runId: string): Promise<ProgressStep[]>
  /** Those that have not ended. */
  listOpenWorkflowSteps(runId: string): Promise<StepRecord[]>
  readWorkflowSteps(runId: string, paths: readonly string[]): Promise<StepRecord[]>
  /** All whose paths begin so, those that were passed too. */
  readWorkflowStepsBelow(runId: string, prefix: string): Promise<StepRecord[]>
  /** The first characters of outputs. */
  readOutputHeads(
    runId: string,
    paths: readonly string[],
    length: number,
  ): Promise<{ path: string; head: string }[]>
  /** Nobody reads these before all items beside theirs are over. */
  passWorkflowSteps(runId: string, paths: readonly string[]): Promise<void>
}

export function workflowProgressQueries(context: QueryContext): WorkflowProgressQueries {
  const { db } = context
  return {
    async listWorkflowProgress(runId) {
      const rows = await selectProgress(context, [runId])
      return rows.map(({ output_bytes: bytes, ...row }) => ({ step: toStep(row), hasOutput: bytes > 0 }))
    },

    async listOpenWorkflowSteps(runId) {
      return (await selectOpen(context, [runId])).map(toStep)
    },

    async readWorkflowSteps(runId, paths) {
      const found: StepRecord[] = []
      for (const some of inPortions(paths)) {
        const rows = await db
          .selectFrom('workflow_steps')
          .selectAll()
          .where('run_id', '=', runId)
          .where('path', 'in', some)
          .execute()
        found.push(...rows.map(toStep))
      }
      return found
    },

    async readWorkflowStepsBelow(runId, prefix) {
      return (await selectBelow(context, [runId, prefix.length, prefix])).map(toStep)
    },

    async readOutputHeads(runId, paths, length) {
      const found: { path: string; head: string }[] = []
      for (const some of inPortions(paths)) {
        const rows = await db
          .selectFrom('workflow_steps')
          .select(({ fn, ref, val }) => [
            'path',
            fn<string | null>('substr', [ref('output'), val(1), val(length)]).as('head'),
          ])
          .where('run_id', '=', runId)
          .where('path', 'in', some)
          .execute()
        found.push(...rows.map(({ path, head }) => ({ path, head: head ?? '' })))
      }
      return found
    },

    async passWorkflowSteps(runId, paths) {
      for (const some of inPortions(paths))
        await db
          .updateTable('workflow_steps')
          .set({ is_passed: 1 })
          .where('run_id', '=', runId)
          .where('path', 'in', some)
          .where('is_passed', '=', 0)
          .execute()
    },
  }
}

const isOpen = `status in ('pending', 'running', 'paused')`
const progressColumns = [
  'run_id',
  'path',
  'step_id',
  'type',
  'status',
  'attempt',
  'details',
  'error',
  'approved',
  'token',
  'session_id',
  'task_run_id',
  'linked',
  'wake_at',
  'started_at',
  'finished_at',
  'is_passed',
]

const selectProgress = statement<WorkflowStepRow & { output_bytes: number }>(`
  select ${progressColumns.join(', ')}, case when ${isOpen} then output end as output,
    case when ${isOpen} then data end as data, coalesce(octet_length(output), 0) as output_bytes
  from workflow_steps where run_id = ? and is_passed = 0 order by coalesce(started_at, finished_at), path
`)
const selectOpen = statement<WorkflowStepRow>(`
  select * from workflow_steps where run_id = ? and is_passed = 0 and ${isOpen}
  order by coalesce(started_at, finished_at), path
`)
const selectBelow = statement<WorkflowStepRow>(
  `select * from workflow_steps where run_id = ? and substr(path, 1, cast(? as integer)) = ?`,
)
