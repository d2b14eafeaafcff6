import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { PlanRunRow, PlanStepRow } from './tables.ts'
import type { RunRow } from '../../../core/store/tables/runs.ts'
import { claimQueries } from '../../../core/store/queries/claims.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import { keepable } from './plan-nodes.ts'
import { fromRow as toRun, type Run } from '../../../core/store/queries/run-row.ts'

/** What a run of kind `plan` is, beside being a run. */
export interface PlanRunRecord {
  runId: string
  scope: string
  type: PlanRunRow['type']
  /** Of actions that make a plan: known when they have. */
  planId?: string
  sessionId: string
  /** The conversation whose answer started it, and the answer. */
  chatSessionId?: string
  messageId?: string
  /** The run that waits for this one, and with which step. */
  parentRunId?: string
  parentStep?: number
  /** How many answers in a row were made by results alone. */
  round: number
  createdAt: number
}

/** An action, a node that is done, or a node that is taken apart. */
export interface PlanStepRecord {
  number: number
  type: PlanStepRow['type']
  nodeId?: number
  status: PlanStepRow['status']
  attempts: number
  details: Record<string, unknown>
  /** What came of it, in a sentence. */
  message?: string
  result?: unknown
  error?: string
  /** When it has to be checked again at the latest. */
  wakeAt?: number
  sessionId?: string
  /** The run of that session, or the plan run that it started. */
  taskRunId?: string
  startedAt?: number
  finishedAt?: number
}

export interface ListedPlanRun {
  record: PlanRunRecord
  run: Run
  /** It waits for a person. */
  isPaused: boolean
}

export interface PlanRunQueries {
  createPlanRun(record: Omit<PlanRunRecord, 'createdAt'>): Promise<void>
  setPlanOfRun(runId: string, planId: string): Promise<void>
  getPlanRun(scope: string, runId: string): Promise<ListedPlanRun | undefined>
  /** Newest first. */
  listPlanRuns(
    scope: string,
    filter: {
      planId?: string
      chatSessionId?: string
      type?: PlanRunRow['type']
      limit: number
      cursor?: string
    },
  ): Promise<Page<ListedPlanRun>>
  /** Those that work on these plans now, oldest first. */
  listOpenPlanRuns(
    ...planIds: string[]
  ): Promise<{ planId: string; runId: string; type: PlanRunRow['type'] }[]>
  /** Ended runs that were stored before a time. */
  listOldPlanRuns(before: number, limit: number): Promise<{ scope: string; sessionId: string }[]>
  /** By number; all, or those with a status. */
  listPlanSteps(runId: string, filter?: { status: PlanStepRow['status'] }): Promise<PlanStepRecord[]>
  /** Whether a step has one of these. */
  hasPlanStep(runId: string, statuses: readonly PlanStepRow['status'][]): Promise<boolean>
  /** The highest number that a step of the run has. */
  getLastPlanStep(runId: string): Promise<number>
  findPlanStepOfNode(runId: string, nodeId: number): Promise<PlanStepRecord | undefined>
  putPlanSteps(runId: string, steps: readonly PlanStepRecord[]): Promise<void>
  findPlanStepOfTask(taskRunId: string): Promise<{ runId: string; step: PlanStepRecord } | undefined>
  /** Ended actions of a conversation, newest first. */
  listRecentActions(chatSessionId: string, limit: number): Promise<PlanStepRecord[]>
}

export function planRunQueries(context: QueryContext): PlanRunQueries {
  const { db, clock } = context

  const selectRuns = () =>
    db
      .selectFrom('plan_runs')
      .innerJoin('runs', 'runs.id', 'plan_runs.run_id')
      .selectAll('runs')
      .select([
        'plan_runs.run_id',
        'plan_runs.type',
        'plan_runs.plan_id',
        'plan_runs.chat_session_id',
        'plan_runs.message_id',
        'plan_runs.parent_run_id',
        'plan_runs.parent_step',
        'plan_runs.round',
        'plan_runs.created_at as listed_at',
        isPaused.as('is_paused'),
      ])

  return {
    async createPlanRun(record) {
      await insertRun(context, [
        record.runId,
        record.scope,
        record.type,
        record.planId ?? null,
        record.sessionId,
        record.chatSessionId ?? null,
        record.messageId ?? null,
        record.parentRunId ?? null,
        record.parentStep ?? null,
        record.round,
        clock.now(),
      ])
    },

    async setPlanOfRun(runId, planId) {
      await updatePlan(context, [planId, runId])
    },

    async getPlanRun(scope, runId) {
      const row = await selectRuns()
        .where('plan_runs.run_id', '=', runId)
        .where('plan_runs.scope', '=', scope)
        .executeTakeFirst()
      return row && toListed(row)
    },

    async listPlanRuns(scope, { planId, chatSessionId, type, limit, cursor }) {
      const rows = await selectRuns()
        .where('plan_runs.scope', '=', scope)
        .$if(planId !== undefined, (query) => query.where('plan_runs.plan_id', '=', planId!))
        .$if(chatSessionId !== undefined, (query) =>
          query.where('plan_runs.chat_session_id', '=', chatSessionId!),
        )
        .$if(type !== undefined, (query) => query.where('plan_runs.type', '=', type!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('plan_runs.created_at', cursor!)))
        .orderBy('plan_runs.created_at', 'desc')
        .orderBy('plan_runs.run_id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.listed_at, toListed)
    },

    async listOpenPlanRuns(...planIds) {
      if (planIds.length === 0) return []
      const rows = await db
        .selectFrom('plan_runs')
        .innerJoin('runs', 'runs.id', 'plan_runs.run_id')
        .select(['plan_runs.plan_id', 'plan_runs.run_id', 'plan_runs.type'])
        .where('plan_runs.plan_id', 'in', planIds)
        .where('runs.status', 'in', ['queued', 'running'])
        .orderBy('plan_runs.created_at')
        .orderBy('plan_runs.run_id')
        .execute()
      return rows.map((row) => ({ planId: row.plan_id!, runId: row.run_id, type: row.type }))
    },

    async listOldPlanRuns(before, limit) {
      const rows = await db
        .selectFrom('plan_runs')
        .innerJoin('runs', 'runs.id', 'plan_runs.run_id')
        .select(['plan_runs.scope', 'plan_runs.session_id'])
        .where('plan_runs.created_at', '<', before)
        .where('runs.finished_at', '<', before)
        .limit(limit)
        .execute()
      return rows.map((row) => ({ scope: row.scope, sessionId: row.session_id }))
    },

    async listPlanSteps(runId, filter) {
      const rows = filter
        ? await selectStepsWith(context, [runId, filter.status])
        : await selectSteps(context, [runId])
      return rows.map(toStep)
    },

    async hasPlanStep(runId, statuses) {
      for (const status of statuses)
        if ((await selectOneWith(context, [runId, status])).length > 0) return true
      return false
    },

    async getLastPlanStep(runId) {
      const [row] = await selectLastStep(context, [runId])
      return row?.number ?? 0
    },

    async findPlanStepOfNode(runId, nodeId) {
      const [row] = await selectOfNode(context, [runId, nodeId])
      return row && toStep(row)
    },

    async putPlanSteps(runId, steps) {
      for (const step of steps) await upsertStep(context, toStepValues(runId, step))
    },

    async findPlanStepOfTask(taskRunId) {
      const [row] = await selectByTask(context, [taskRunId])
      return row && { runId: row.run_id, step: toStep(row) }
    },

    async listRecentActions(chatSessionId, limit) {
      return (await selectRecent(context, [chatSessionId, limit])).map(toStep)
    },
  }
}

type StepPlace = Pick<PlanStepRow, 'run_id' | 'number'>

/** The steps that are done in a session or below it. */
export const listPlanStepsBelow = (
  context: QueryContext,
  scope: string,
  sessionId: string,
): Promise<StepPlace[]> => selectStepsBelow(context, [sessionId, scope])

/** Fails steps whose sessions are gone: their runs would wait for ever. */
export async function failPlanSteps(context: QueryContext, steps: StepPlace[]): Promise<void> {
  for (const { run_id: runId } of steps) await claimQueries(context).wakeRun(runId)
  const outcome = JSON.stringify({ status: 'failed', output: '', error: 'Its session was deleted.' })
  for (const { run_id: runId, number } of steps) await updateLost(context, [outcome, runId, number])
}

const isPaused = sql<boolean>`(exists (
  select 1 from plan_steps as asked where asked.run_id = plan_runs.run_id and asked.status = 'paused'
))`

type RunColumns = Omit<PlanRunRow, 'scope' | 'session_id' | 'created_at'>

function toListed(
  row: RunRow & RunColumns & { is_paused: boolean | number; listed_at: number },
): ListedPlanRun {
  return {
    record: {
      runId: row.run_id,
      scope: row.scope,
      type: row.type,
      planId: row.plan_id ?? undefined,
      sessionId: row.session_id,
      chatSessionId: row.chat_session_id ?? undefined,
      messageId: row.message_id ?? undefined,
      parentRunId: row.parent_run_id ?? undefined,
      parentStep: row.parent_step ?? undefined,
      round: row.round,
      createdAt: row.listed_at,
    },
    run: toRun(row),
    isPaused: Boolean(row.is_paused) && row.status === 'running',
  }
}

const parse = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text))

const toStep = (row: PlanStepRow): PlanStepRecord => ({
  number: row.number,
  type: row.type,
  nodeId: row.node_id ?? undefined,
  status: row.status,
  attempts: row.attempts,
  details: JSON.parse(row.details) as Record<string, unknown>,
  message: row.message ?? undefined,
  result: parse(row.result),
  error: row.error ?? undefined,
  wakeAt: row.wake_at ?? undefined,
  sessionId: row.session_id ?? undefined,
  taskRunId: row.task_run_id ?? undefined,
  startedAt: row.started_at ?? undefined,
  finishedAt: row.finished_at ?? undefined,
})

const stepColumns = [
  'run_id',
  'number',
  'type',
  'node_id',
  'status',
  'attempts',
  'details',
  'message',
  'result',
  'error',
  'wake_at',
  'session_id',
  'task_run_id',
  'started_at',
  'finished_at',
] as const

const toStepValues = (runId: string, step: PlanStepRecord): (string | number | null)[] => [
  runId,
  step.number,
  step.type,
  step.nodeId ?? null,
  step.status,
  step.attempts,
  JSON.stringify(step.details),
  keepable(step.message),
  step.result === undefined ? null : JSON.stringify(step.result),
  keepable(step.error),
  step.wakeAt ?? null,
  step.sessionId ?? null,
  step.taskRunId ?? null,
  step.startedAt ?? null,
  step.finishedAt ?? null,
]

const insertRun = statement(`
  insert into plan_runs (run_id, scope, type, plan_id, session_id, chat_session_id, message_id, parent_run_id,
    parent_step, round, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const updatePlan = statement(`update plan_runs set plan_id = ? where run_id = ?`)
const selectSteps = statement<PlanStepRow>(`select * from plan_steps where run_id = ? order by number`)
const selectStepsWith = statement<PlanStepRow>(
  `select * from plan_steps where run_id = ? and status = ? order by number`,
)
const selectOneWith = statement<Pick<PlanStepRow, 'number'>>(
  `select number from plan_steps where run_id = ? and status = ? limit 1`,
)
const selectLastStep = statement<{ number: number | null }>(
  `select max(number) as number from plan_steps where run_id = ?`,
)
const selectOfNode = statement<PlanStepRow>(
  `select * from plan_steps where run_id = ? and node_id = ? order by number limit 1`,
)
const upsertStep = statement(`
  insert into plan_steps (${stepColumns.join(', ')}) values (${stepColumns.map(() => '?').join(', ')})
  on conflict (run_id, number) do update set
    ${stepColumns
      .slice(3)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}
`)
const selectByTask = statement<PlanStepRow>(`select * from plan_steps where task_run_id = ?`)
const selectRecent = statement<PlanStepRow>(`
  select steps.* from plan_steps as steps join plan_runs as listed on listed.run_id = steps.run_id
  where listed.chat_session_id = ? and steps.type = 'action' and steps.status in ('completed', 'failed')
  order by listed.created_at desc, listed.run_id desc, steps.number desc limit ?
`)
const selectStepsBelow = statement<StepPlace>(`
  with recursive tree (id) as (
    select id from sessions where id = ? and scope = ?
    union select sessions.id from sessions join tree on sessions.parent_id = tree.id
  )
  select steps.run_id, steps.number from plan_steps as steps join runs on runs.id = steps.task_run_id
  where runs.session_id in (select id from tree) and steps.status = 'running' order by steps.run_id
`)
const updateLost = statement(`
  update plan_steps set result = ? where run_id = ? and number = ? and status = 'running' and result is null
`)
