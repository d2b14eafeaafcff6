import { deliver } from '../../core/tasks/deliver-result.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import type { PlanTurn } from './protocol/plan-run.ts'
import { budgetIdOf } from '../../core/runs/budget.ts'
import { cut } from '../../core/shared/text.ts'
import type { PlanRunRecord } from './store/plan-runs.ts'
import type { FinalStatus, Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { findAction } from './actions/catalogue.ts'
import type { PlanDeps } from './plan-service.ts'
import { writeReport } from './report.ts'
import { settleStep } from './step-table.ts'
import type { PlanRunInput } from './start-run.ts'
import { isFinished, toSteps, type Step } from './plan-step.ts'
import { readSuggestionFacts, suggest } from './suggestions.ts'
import { summarise } from './summary.ts'
import { wakeOthers } from './unblock.ts'

export interface PlanRunEnd {
  status: FinalStatus
  /** In a line. */
  summary: string
  error?: string
  /** What stopped it. */
  reason?: 'budget'
  result?: unknown
  /** A retry could not do all of it, and would repeat what a person has to check. */
  isFinal?: boolean
  /** Of an execution: its report, for people and models. */
  report?: string
}

/** Everything that belongs to the end of a run, in its transaction. */
export async function onPlanRunEnd(
  tx: StoreOperations,
  deps: PlanDeps,
  run: Run,
  record: PlanRunRecord,
  given: PlanRunEnd,
): Promise<void> {
  if (budgetIdOf(run) === run.id) await tx.closeBudget(run.id)
  const steps = await endSteps(tx, deps, run.id)
  if (record.planId !== undefined) {
    await giveBack(tx, deps, record.planId, steps)
    await wakeOthers(tx, record.planId, run.id)
  }
  const end = await withReport(tx, deps, { run, record, steps, end: given })
  if (record.parentRunId !== undefined) await settleStep(tx, run.id, end)
  const unanswered = await tx.cancelApprovals(run.id)
  await notifyConversation(tx, deps, { run, record, steps, end })
  for (const { id, sessionId, runId, toolName, action, status } of unanswered)
    await tx.recordEvent(run.scope, {
      type: 'approval-settled',
      sessionId,
      data: { approvalId: id, runId, toolName, action, status },
    })
  await tx.recordAudit(run.scope, {
    actor: { type: 'system', id: 'plan' },
    action: `plan.${end.status}`,
    resourceType: 'plan_run',
    resourceId: run.id,
    sessionId: record.chatSessionId ?? run.sessionId,
    result: end.status === 'completed' ? 'success' : 'error',
    detail: { planId: record.planId, type: record.type, summary: cut(end.summary, 500) },
  })
  await tx.recordEvent(run.scope, {
    type: 'plan-run-finished',
    sessionId: record.chatSessionId ?? run.sessionId,
    data: {
      runId: run.id,
      planId: record.planId,
      type: record.type,
      status: end.status,
      summary: cut(end.summary, 500),
    },
  })
}

interface EndedRun {
  run: Run
  record: PlanRunRecord
  steps: readonly Step[]
  end: PlanRunEnd
}

/** The report of an execution that has begun something, stored with its run. */
async function withReport(
  tx: StoreOperations,
  { limits }: PlanDeps,
  { run: { id, scope, input }, record: { type, planId }, steps, end }: EndedRun,
): Promise<PlanRunEnd> {
  const plan =
    type === 'execute' && planId !== undefined && steps.length > 0
      ? await tx.getPlan(scope, planId)
      : undefined
  if (!plan) return end
  const { nodeIds, rootId } = input as Extract<PlanRunInput, { type: 'execute' }>
  const isWhole = nodeIds === undefined && rootId === undefined
  const report = await writeReport(tx, { plan, steps, isWhole, maxTokens: limits.resultTokens })
  await tx.amendOutcome(id, { report })
  return { ...end, report }
}

/** Cancels open steps: they cannot finish any more. */
async function endSteps(tx: StoreOperations, { clock }: PlanDeps, runId: string): Promise<Step[]> {
  const now = clock.now()
  const steps = toSteps(await tx.listPlanSteps(runId)).map((step): Step =>
    isFinished(step) ? step : { ...step, status: 'cancelled', result: undefined, finishedAt: now },
  )
  await tx.putPlanSteps(
    runId,
    steps.filter(({ status, finishedAt }) => status === 'cancelled' && finishedAt === now),
  )
  return steps
}

/** Resets running nodes, so that other runs can do them. */
async function giveBack(
  tx: StoreOperations,
  { clock }: PlanDeps,
  planId: string,
  steps: readonly Step[],
): Promise<void> {
  for (const { type, status, nodeId, taskRunId } of steps) {
    if (type !== 'node' || status !== 'cancelled' || nodeId === undefined) continue
    const node = await tx.getNode(planId, nodeId)
    if (node?.status === 'running' && node.runId === taskRunId)
      await tx.putNodeState(planId, {
        ...node,
        status: 'pending',
        reason: 'It was cancelled.',
        updatedAt: clock.now(),
      })
  }
}

/** Updates the answer that started the run; a result worth reporting gets an answer of its own. */
async function notifyConversation(
  tx: StoreOperations,
  deps: PlanDeps,
  { run, record, steps, end }: EndedRun,
): Promise<void> {
  const { chatSessionId, scope, type, planId } = record
  if (chatSessionId === undefined) return
  await showRun(tx, record, { runId: run.id, status: end.status, steps })
  if (record.parentRunId !== undefined || end.status === 'cancelled') return
  const isWorthWords = type !== 'actions' || end.status !== 'completed' || steps.some(isReported)
  if (!isWorthWords || record.round >= deps.limits.maxFollowUps) return
  const delivered = steps.map((step) => ({ ...step, details: { ...step.details, isDelivered: true } }))
  if (type === 'actions') await tx.putPlanSteps(run.id, delivered)
  const result: TaskResult = {
    taskId: run.sessionId,
    runId: run.id,
    label: type === 'actions' ? 'actions' : `${type} ${planId}`,
    status: end.status === 'completed' ? 'success' : end.status,
    output: type === 'actions' ? summarise(steps, { withResults: true }) : (end.report ?? end.summary),
    source: 'tool',
    degraded: end.status !== 'completed',
    ...(end.error !== undefined && type !== 'actions' && { error: end.error }),
    durationMs: run.startedAt === undefined ? 0 : Math.max(0, deps.clock.now() - run.startedAt),
  }
  await deliver(tx, { scope, runId: run.id, targetId: chatSessionId, wake: true }, result, deps)
}

const isReported = ({ details: { action }, status }: Step) =>
  status === 'failed' || (action !== undefined && findAction(action)?.isReported === true)

/** Updates the answer that started a run with its state, or with that of the run that repeats it. */
export async function showRun(
  tx: StoreOperations,
  { scope, chatSessionId, messageId, runId, planId }: PlanRunRecord,
  shown: { runId: string; status: PlanTurn['status']; steps: readonly Step[] },
): Promise<void> {
  if (chatSessionId === undefined || messageId === undefined) return
  const message = await tx.getMessage(scope, chatSessionId, messageId)
  if (!message) return
  const plan = planId === undefined ? undefined : await tx.getPlan(scope, planId)
  const facts = await readSuggestionFacts(tx, plan?.id)
  const { steps, ...rest } = shown
  const parts = message.parts.map((part) => {
    const turn = part.type === 'data-plan' ? (part.data as PlanTurn) : undefined
    if (turn?.runId !== runId) return part
    const data: PlanTurn = {
      ...turn,
      ...rest,
      planId: plan?.id,
      actions: steps.map(toAction),
      summary: summarise(steps),
      suggestions: suggest({ ...facts, language: turn.language }),
    }
    return { ...part, data }
  })
  await tx.setMessageParts(chatSessionId, messageId, parts)
}

const toAction = ({
  number,
  status,
  message,
  error,
  details: { action },
}: Step): PlanTurn['actions'][number] => ({
  number,
  kind: action?.kind,
  name: action?.name,
  parameters: action?.parameters,
  status,
  ...((message ?? error) !== undefined && { message: cut((message ?? error)!, 500) }),
})
