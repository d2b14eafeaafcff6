import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { RunRow } from '../../../core/store/tables/runs.ts'
import type { WorkflowRunRow, WorkflowStepRow } from './tables.ts'
import { claimQueries } from '../../../core/store/queries/claims.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import { fromRow as toRun, type Run } from '../../../core/store/queries/run-row.ts'

/** What a run of kind `workflow` is, beside being a run. */
export interface WorkflowRunRecord {
  runId: string
  scope: string
  sessionId: string
  /** Of a stored definition. */
  workflowId?: string
  version?: number
  name: string
  source: WorkflowRunRow['source']
  /** The cron, the event hook or the call that started it. */
  sourceId?: string
  /** The run whose step it is, and which step. */
  parentRunId?: string
  parentPath?: string
  rerunOf?: string
  /** The session that is notified of the end. */
  deliverTo?: string
  createdAt: number
}

/** A started step as it is stored. */
export interface StepRecord {
  /** Its path: `review#2/write` is in the second round of `review`. */
  path: string
  stepId: string
  type: WorkflowStepRow['type']
  status: WorkflowStepRow['status']
  /** From 1; grows with every retry. */
  attempt: number
  output?: string
  data?: unknown
  details: StepDetails
  error?: string
  approved?: boolean
  /** The token that answers its question. */
  token?: string
  sessionId?: string
  /** The run of that session, or the workflow run that it started. */
  taskRunId?: string
  /** How many of its linked actions were done. */
  linked: number
  /** When it has to be checked again at the latest. */
  wakeAt?: number
  startedAt?: number
  finishedAt?: number
}

/** Informational: nothing depends on it. */
export interface StepDetails {
  artifacts?: string[]
  degraded?: boolean
  question?: string
  comment?: string
  approvalId?: string
  /** Taken over from the run that this one repeats. */
  reused?: boolean
  /** Linked actions that could not be done. */
  linkErrors?: string[]
  /** Of a step with items: which of them have ended. */
  items?: PassedItems
}

/** Of a step with items, those that have ended and need not be walked again. */
export interface PassedItems {
  /** First and last of adjacent items, counted from 0. */
  ranges: readonly (readonly [number, number])[]
  /** How many steps they took. */
  steps: number
  /** All have ended, and no linked action is left. */
  isClosed?: true
  /** Paths of steps that failed in them while the run continued; known when all have ended. */
  failed?: readonly string[]
}

export interface WorkflowRunFilter {
  workflowId?: string
  status?: RunRow['status'] | 'paused'
  limit: number
  cursor?: string
}

export interface ListedWorkflowRun {
  record: WorkflowRunRecord
  run: Run
  /** Nothing is running; the run only waits for a person. */
  isPaused: boolean
}

export interface WorkflowRunQueries {
  createWorkflowRun(record: Omit<WorkflowRunRecord, 'createdAt'>): Promise<void>
  getWorkflowRun(scope: string, runId: string): Promise<ListedWorkflowRun | undefined>
  /** Newest first. */
  listWorkflowRuns(scope: string, filter: WorkflowRunFilter): Promise<Page<ListedWorkflowRun>>
  /** Ended runs that were stored before a time. */
  listOldWorkflowRuns(before: number, limit: number): Promise<{ scope: string; sessionId: string }[]>
  /** Of all scopes. */
  countOpenWorkflowRuns(): Promise<number>
  /** In the order they were begun. */
  listWorkflowSteps(runId: string): Promise<StepRecord[]>
  putWorkflowSteps(runId: string, steps: readonly StepRecord[]): Promise<void>
  findStepByToken(token: string): Promise<{ runId: string; step: StepRecord } | undefined>
  findStepOfTask(taskRunId: string): Promise<{ runId: string; step: StepRecord } | undefined>
}

export function workflowRunQueries(context: QueryContext): WorkflowRunQueries {
  const { db, clock } = context

  const selectRuns = () =>
    db
      .selectFrom('workflow_runs')
      .innerJoin('runs', 'runs.id', 'workflow_runs.run_id')
      .selectAll('runs')
      .select([
        'workflow_runs.run_id',
        'workflow_runs.workflow_id',
        'workflow_runs.version',
        'workflow_runs.name',
        'workflow_runs.source',
        'workflow_runs.source_id',
        'workflow_runs.parent_run_id',
        'workflow_runs.parent_path',
        'workflow_runs.rerun_of',
        'workflow_runs.deliver_to',
        'workflow_runs.created_at as listed_at',
        isPaused.as('is_paused'),
      ])

  return {
    async createWorkflowRun(record) {
      await insertRun(context, [
        record.runId,
        record.scope,
        record.sessionId,
        record.workflowId ?? null,
        record.version ?? null,
        record.name,
        record.source,
        record.sourceId ?? null,
        record.parentRunId ?? null,
        record.parentPath ?? null,
        record.rerunOf ?? null,
        record.deliverTo ?? null,
        clock.now(),
      ])
    },

    async getWorkflowRun(scope, runId) {
      const row = await selectRuns()
        .where('workflow_runs.run_id', '=', runId)
        .where('workflow_runs.scope', '=', scope)
        .executeTakeFirst()
      return row && toListed(row)
    },

    async listWorkflowRuns(scope, { workflowId, status, limit, cursor }) {
      const rows = await selectRuns()
        .where('workflow_runs.scope', '=', scope)
        .$if(workflowId !== undefined, (query) => query.where('workflow_runs.workflow_id', '=', workflowId!))
        .$if(status === 'paused', (query) => query.where('runs.status', '=', 'running').where(isPaused))
        .$if(status === 'running', (query) =>
          query.where('runs.status', '=', 'running').where(sql<boolean>`not ${isPaused}`),
        )
        .$if(status !== undefined && status !== 'paused' && status !== 'running', (query) =>
          query.where('runs.status', '=', status as RunRow['status']),
        )
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('workflow_runs.created_at', cursor!)))
        .orderBy('workflow_runs.created_at', 'desc')
        .orderBy('workflow_runs.run_id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.listed_at, toListed)
    },

    async listOldWorkflowRuns(before, limit) {
      const rows = await db
        .selectFrom('workflow_runs')
        .innerJoin('runs', 'runs.id', 'workflow_runs.run_id')
        .select(['workflow_runs.scope', 'workflow_runs.session_id'])
        .where('workflow_runs.created_at', '<', before)
        .where('runs.finished_at', '<', before)
        .limit(limit)
        .execute()
      return rows.map((row) => ({ scope: row.scope, sessionId: row.session_id }))
    },

    async countOpenWorkflowRuns() {
      const [row] = await countOpen(context, [])
      return Number(row!.open)
    },

    async listWorkflowSteps(runId) {
      return (await selectSteps(context, [runId])).map(toStep)
    },

    async putWorkflowSteps(runId, steps) {
      for (const step of steps) await upsertStep(context, toStepValues(runId, step))
    },

    async findStepByToken(token) {
      const [row] = await selectByToken(context, [token])
      return row && { runId: row.run_id, step: toStep(row) }
    },

    async findStepOfTask(taskRunId) {
      const [row] = await selectByTask(context, [taskRunId])
      return row && { runId: row.run_id, step: toStep(row) }
    },
  }
}

type StepPlace = Pick<WorkflowStepRow, 'run_id' | 'path'>

/** The steps that are done in a session or below it. */
export const listStepsBelow = (
  context: QueryContext,
  scope: string,
  sessionId: string,
): Promise<StepPlace[]> => selectStepsBelow(context, [sessionId, scope])

/** Fails steps whose sessions are gone: their runs would wait for ever. */
export async function failSteps(context: QueryContext, steps: StepPlace[]): Promise<void> {
  for (const { run_id: runId } of steps) await claimQueries(context).wakeRun(runId)
  for (const { run_id: runId, path } of steps)
    await updateLost(context, ['Its session was deleted.', context.clock.now(), runId, path])
}

// one that was woken is about to continue
const isPaused = sql<boolean>`(
  runs.is_waiting = 1 and runs.lease_until > 0 and exists (select 1 from workflow_steps as asked where asked.run_id = workflow_runs.run_id and asked.status = 'paused')
  and not exists (select 1 from workflow_steps as going where going.run_id = workflow_runs.run_id
    and going.status in ('pending', 'running') and going.type in ('agent', 'workflow'))
)`

type RunColumns = Omit<WorkflowRunRow, 'scope' | 'session_id' | 'created_at'>

function toListed(row: RunRow & RunColumns & { is_paused: boolean | number }): ListedWorkflowRun {
  return {
    record: toRecord(row),
    run: toRun(row),
    isPaused: Boolean(row.is_paused) && row.status === 'running',
  }
}

const toRecord = (row: WorkflowRunRow): WorkflowRunRecord => ({
  runId: row.run_id,
  scope: row.scope,
  sessionId: row.session_id,
  workflowId: row.workflow_id ?? undefined,
  version: row.version ?? undefined,
  name: row.name,
  source: row.source,
  sourceId: row.source_id ?? undefined,
  parentRunId: row.parent_run_id ?? undefined,
  parentPath: row.parent_path ?? undefined,
  rerunOf: row.rerun_of ?? undefined,
  deliverTo: row.deliver_to ?? undefined,
  createdAt: row.created_at,
})

export const toStep = (row: WorkflowStepRow): StepRecord => ({
  path: row.path,
  stepId: row.step_id,
  type: row.type,
  status: row.status,
  attempt: row.attempt,
  output: row.output ?? undefined,
  data: row.data === null ? undefined : (JSON.parse(row.data) as unknown),
  details: row.details === null ? {} : (JSON.parse(row.details) as StepDetails),
  error: row.error ?? undefined,
  approved: row.approved === null ? undefined : row.approved === 1,
  token: row.token ?? undefined,
  sessionId: row.session_id ?? undefined,
  taskRunId: row.task_run_id ?? undefined,
  linked: row.linked,
  wakeAt: row.wake_at ?? undefined,
  startedAt: row.started_at ?? undefined,
  finishedAt: row.finished_at ?? undefined,
})

const stepColumns = [
  'run_id',
  'path',
  'step_id',
  'type',
  'status',
  'attempt',
  'output',
  'data',
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
] as const

const toStepValues = (runId: string, step: StepRecord): (string | number | null)[] => [
  runId,
  step.path,
  step.stepId,
  step.type,
  step.status,
  step.attempt,
  step.output ?? null,
  step.data === undefined ? null : JSON.stringify(step.data),
  Object.keys(step.details).length === 0 ? null : JSON.stringify(step.details),
  step.error ?? null,
  step.approved === undefined ? null : Number(step.approved),
  step.token ?? null,
  step.sessionId ?? null,
  step.taskRunId ?? null,
  step.linked,
  step.wakeAt ?? null,
  step.startedAt ?? null,
  step.finishedAt ?? null,
]

const insertRun = statement(`
  insert into workflow_runs (run_id, scope, session_id, workflow_id, version, name, source, source_id, parent_run_id,
    parent_path, rerun_of, deliver_to, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const countOpen = statement<{ open: number }>(
  `select count(*) as open from runs where kind = 'workflow' and status in ('queued', 'running')`,
)
const selectSteps = statement<WorkflowStepRow>(
  `select * from workflow_steps where run_id = ? order by coalesce(started_at, finished_at), path`,
)
const upsertStep = statement(`
  insert into workflow_steps (${stepColumns.join(', ')}) values (${stepColumns.map(() => '?').join(', ')})
  on conflict (run_id, path) do update set
    ${stepColumns
      .slice(4)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}
`)
const selectStepsBelow = statement<StepPlace>(`
  with recursive tree (id) as (
    select id from sessions where id = ? and scope = ?
    union select sessions.id from sessions join tree on sessions.parent_id = tree.id
  )
  select steps.run_id, steps.path from workflow_steps as steps join runs on runs.id = steps.task_run_id
  where runs.session_id in (select id from tree) and steps.status = 'running' order by steps.run_id
`)
const updateLost = statement(`
  update workflow_steps set status = 'failed', error = ?, finished_at = ?
  where run_id = ? and path = ? and status = 'running'
`)
const selectByToken = statement<WorkflowStepRow>(`select * from workflow_steps where token = ?`)
const selectByTask = statement<WorkflowStepRow>(`select * from workflow_steps where task_run_id = ?`)
