import { deliver } from '../../core/tasks/deliver-result.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import { recordApprovalEvents } from '../../core/runs/approval-events.ts'
import { cut } from '../../core/shared/text.ts'
import type { FinalStatus, Run } from '../../core/store/queries/run-row.ts'
import type { WorkflowRunRecord } from './store/workflow-runs.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import type { Definition } from './named-steps.ts'
import { settleStepOf } from './step-table.ts'
import type { WorkflowInput } from './start-run.ts'

export interface RunEnd {
  status: FinalStatus
  output?: string
  data?: unknown
  error?: string
  failedSteps: string[]
}

export const toOutcome = ({ output, data, error, failedSteps }: RunEnd): Record<string, unknown> => ({
  ...(output !== undefined && { output }),
  ...(data !== undefined && { data }),
  ...(error !== undefined && { error }),
  ...(failedSteps.length > 0 && { failedSteps }),
})

/** Everything that belongs to the end of a run, in its transaction. */
export async function onRunEnd(
  tx: StoreOperations,
  deps: WorkflowDeps,
  run: Run,
  end: RunEnd,
): Promise<void> {
  const now = deps.clock.now()
  const open = await tx.listOpenWorkflowSteps(run.id)
  await tx.putWorkflowSteps(
    run.id,
    open.map((state) => ({ ...state, status: 'cancelled', finishedAt: now })),
  )
  const unanswered = await tx.cancelApprovals(run.id)
  const { record } = (await tx.getWorkflowRun(run.scope, run.id))!
  const result = toResult(record, run, end, now)
  if (record.parentRunId !== undefined) await settleStepOf(tx, deps, run.scope, result)
  for (const notifySettled of deps.onSettled ?? []) await notifySettled(tx, record, end)
  const { scope, deliverTo: targetId, source } = record
  const isPaced = source === 'cron' || source === 'api'
  if (targetId !== undefined)
    await deliver(tx, { scope, runId: run.id, targetId, wake: true, isPaced }, result, deps)
  await recordEnd(tx, record, end)
  for (const approval of unanswered) await recordApprovalEvents(tx, 'approval-settled', approval)
  await notify(tx, record, deps.definitions.tryRead((run.input as WorkflowInput).text)?.config, end)
}

const maxNotified = 500

/** The event last: others wait for the row of the scope. */
async function recordEnd(tx: StoreOperations, record: WorkflowRunRecord, end: RunEnd): Promise<void> {
  const { runId, scope, sessionId, workflowId, parentRunId, name } = record
  const { status } = end
  const error = end.error === undefined ? {} : { error: cut(end.error, maxNotified) }
  await tx.recordAudit(scope, {
    actor: { type: 'system', id: 'workflow' },
    action: `workflow.${status}`,
    resourceType: 'workflow_run',
    resourceId: runId,
    sessionId,
    result: status === 'completed' ? 'success' : 'error',
    detail: { name, ...error },
  })
  await tx.recordEvent(scope, {
    type: `workflow-${status === 'completed' || status === 'cancelled' ? status : 'failed'}`,
    sessionId,
    data: { runId, workflowId, parentRunId, name, status, ...error },
  })
}

async function notify(
  tx: StoreOperations,
  { runId, scope, sessionId, name }: WorkflowRunRecord,
  config: Definition['config'],
  { status, output, error }: RunEnd,
): Promise<void> {
  const isCompleted = status === 'completed'
  const isWanted = isCompleted ? config?.notifyOnComplete : config?.notifyOnFail
  if (!isWanted || status === 'cancelled') return
  await tx.recordEvent(scope, {
    type: 'notification',
    sessionId,
    data: {
      title: name,
      body: cut((isCompleted ? output : error) ?? status, maxNotified),
      level: isCompleted ? 'info' : 'error',
      runId,
    },
  })
}

function toResult(record: WorkflowRunRecord, run: Run, end: RunEnd, now: number): TaskResult {
  return {
    taskId: record.sessionId,
    runId: run.id,
    label: record.name,
    status: end.status === 'completed' ? 'success' : end.status,
    output: end.output ?? end.error ?? '',
    ...(end.data !== undefined && { structuredData: end.data }),
    source: end.status === 'completed' ? 'tool' : 'none',
    degraded: end.status !== 'completed' || end.failedSteps.length > 0,
    ...(end.error !== undefined && { error: end.error }),
    durationMs: run.startedAt === undefined ? 0 : Math.max(0, now - run.startedAt),
  }
}
