import { conflict, notFound, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type {
  DecomposePlan,
  ExecutePlan,
  PlanRun,
  PlanRunListQuery,
  PlanRunPage,
  PlanRunSummary,
  PlanStep,
  PlanTurn,
  RunNode,
} from './protocol/plan-run.ts'
import { budgetIdOf } from '../../core/runs/budget.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { ListedPlanRun } from './store/plan-runs.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { createPlanAdvance } from './advance-run.ts'
import type { PlanDeps } from './plan-service.ts'
import { showRun, type PlanRunEnd } from './settle-run.ts'
import { startDecomposition } from './start-decomposition.ts'
import { startExecution, startNode, type StartRun } from './start-execution.ts'
import type { NodeRef } from './change-plan.ts'
import { startPlanRun, type PlanRunInput } from './start-run.ts'
import { isFinished, toSteps, type Step } from './plan-step.ts'

type InCall<Wish> = Omit<Wish, 'scope'>
type Start = (tx: StoreOperations, startRun: StartRun) => Promise<string>

/** Starts a run in a transaction of its own, and returns the stored run. */
function start(store: StoreOperations, deps: PlanDeps, scope: string, work: Start): Promise<PlanRun> {
  return store.transaction(async (tx) => {
    const id = await work(tx, async (request) => (await startPlanRun(tx, deps, request, {})).run.id)
    return requirePlanRun(tx, scope, id)
  })
}

export const executePlan = (
  store: StoreOperations,
  deps: PlanDeps,
  { scope }: Pick<Caller, 'scope'>,
  planId: string,
  wish: InCall<ExecutePlan>,
): Promise<PlanRun> =>
  start(store, deps, scope, (tx, startRun) => startExecution(tx, deps, { scope, planId }, wish, startRun))

export const runNode = (
  store: StoreOperations,
  deps: PlanDeps,
  { scope }: Pick<Caller, 'scope'>,
  { planId, nodeId }: NodeRef,
  wish: InCall<RunNode>,
): Promise<PlanRun> =>
  start(store, deps, scope, (tx, startRun) =>
    startNode(tx, deps, { scope, planId, nodeId }, wish, { startRun }),
  )

export const decomposePlan = (
  store: StoreOperations,
  deps: PlanDeps,
  { scope }: Pick<Caller, 'scope'>,
  planId: string,
  wish: InCall<DecomposePlan>,
): Promise<PlanRun> =>
  start(store, deps, scope, (tx, startRun) =>
    startDecomposition(tx, deps, { scope, planId }, wish, { startRun }),
  )

export async function listPlanRuns(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { plan, session, type, limit, cursor }: InCall<PlanRunListQuery>,
): Promise<PlanRunPage> {
  const page = await store.listPlanRuns(scope, {
    planId: plan,
    chatSessionId: session,
    type,
    limit: requireLimit(pages, limit),
    cursor,
  })
  return { ...page, items: page.items.map(toSummary) }
}

export async function requirePlanRun(store: StoreOperations, scope: string, id: string): Promise<PlanRun> {
  const listed = await store.getPlanRun(scope, id)
  if (!listed) throw notFound('plan run', id)
  const { report } = (listed.run.outcome ?? {}) as Partial<PlanRunEnd>
  const budget = await readBudget(store, listed.run)
  return {
    ...toSummary(listed),
    ...(report !== undefined && { report }),
    ...(budget && { budget }),
    steps: toSteps(await store.listPlanSteps(id)).map(toStep),
  }
}

/** Of a run that has one of its own. */
async function readBudget(store: StoreOperations, run: Run): Promise<PlanRun['budget']> {
  if (budgetIdOf(run) !== run.id) return undefined
  const budget = await store.getBudget(run.id)
  if (!budget) return undefined
  const { tokens, cost, used } = budget
  return {
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost }),
    usedTokens: used.tokens,
    usedCost: used.cost,
  }
}

export async function cancelPlanRun(
  deps: PlanDeps,
  { scope }: Pick<Caller, 'scope'>,
  id: string,
): Promise<PlanRun> {
  await createPlanAdvance(deps).cancelById(scope, id)
  return requirePlanRun(deps.store, scope, id)
}

/** Repeats the actions that were not done as a new run; what was done stays done. */
export function retryPlanRun(
  store: StoreOperations,
  deps: PlanDeps,
  { scope }: Pick<Caller, 'scope'>,
  id: string,
): Promise<PlanRun> {
  return store.transaction(async (tx) => {
    const listed = await tx.getPlanRun(scope, id)
    if (!listed) throw notFound('plan run', id)
    const { record, run } = listed
    if (record.type !== 'actions')
      throw conflict('Only actions are repeated like this: execute the plan or its node again.')
    if (run.status === 'queued' || run.status === 'running')
      throw conflict(`The run ${quote(id)} goes on.`, { status: run.status })
    await requireNotRepeated(tx, record)
    const left = toSteps(await tx.listPlanSteps(id)).filter(({ status }) => status !== 'completed')
    if (left.length === 0) throw conflict(`Everything of the run ${quote(id)} was done.`)
    const session = await tx.requireSession(scope, record.chatSessionId ?? record.sessionId)
    const steps = left.map(({ type, details: { title, action } }, index): Step => ({
      number: index + 1,
      type,
      status: 'pending',
      attempts: 0,
      details: { title, action },
    }))
    const { run: again } = await startPlanRun(
      tx,
      deps,
      {
        scope,
        planId: session.planId,
        title: `Actions: ${session.title || session.id}`.slice(0, 500),
        input: { ...(run.input as Extract<PlanRunInput, { type: 'actions' }>), isRepeated: true },
        steps: steps,
      },
      { parentSessionId: session.id, chatSessionId: record.chatSessionId, messageId: record.messageId },
    )
    await showRun(tx, record, { runId: again.id, status: 'pending', steps })
    return requirePlanRun(tx, scope, again.id)
  })
}

/** The answer shows the run that repeats another one: what that left open is done once. */
async function requireNotRepeated(
  tx: StoreOperations,
  { scope, chatSessionId, messageId, runId }: ListedPlanRun['record'],
): Promise<void> {
  if (chatSessionId === undefined || messageId === undefined) return
  // concurrent callers see each other
  await tx.lockSession(scope, chatSessionId)
  const message = await tx.getMessage(scope, chatSessionId, messageId)
  const shown = message?.parts.findLast(({ type }) => type === 'data-plan')?.data as PlanTurn | undefined
  if (shown?.runId !== undefined && shown.runId !== runId)
    throw conflict(`The run ${quote(runId)} is repeated by ${quote(shown.runId)}: repeat that one.`, {
      runId: shown.runId,
    })
}

function toSummary({ record, run, isPaused }: ListedPlanRun): PlanRunSummary {
  const { summary, error, reason } = (run.outcome ?? {}) as Partial<PlanRunEnd>
  return {
    id: run.id,
    scope: run.scope,
    type: record.type,
    sessionId: run.sessionId,
    ...(record.planId !== undefined && { planId: record.planId }),
    ...(record.chatSessionId !== undefined && { chatSessionId: record.chatSessionId }),
    ...(record.messageId !== undefined && { messageId: record.messageId }),
    ...(record.parentRunId !== undefined && { parentRunId: record.parentRunId }),
    status: run.status === 'queued' ? 'pending' : isPaused ? 'paused' : run.status,
    ...(error !== undefined && { error }),
    ...(summary !== undefined && { summary }),
    ...(reason !== undefined && { reason }),
    createdAt: toTimestamp(run.createdAt),
    ...(run.startedAt !== undefined && { startedAt: toTimestamp(run.startedAt) }),
    ...(run.finishedAt !== undefined && { finishedAt: toTimestamp(run.finishedAt) }),
  }
}

function toStep(step: Step): PlanStep {
  const { details, taskRunId, wakeAt, startedAt, finishedAt, result, message, error, ...rest } = step
  const { title, action, approvalId } = details
  return {
    number: rest.number,
    type: rest.type,
    title,
    status: rest.status,
    attempts: rest.attempts,
    ...(rest.nodeId !== undefined && { nodeId: rest.nodeId }),
    ...(action && {
      kind: action.kind,
      name: action.name,
      parameters: action.parameters,
      blocking: action.blocking,
    }),
    ...(message !== undefined && { message }),
    ...(error !== undefined && { error }),
    // a result that a session has just submitted is processed first
    ...(isFinished(step) && result !== undefined && { result }),
    ...(rest.status === 'paused' && approvalId !== undefined && { approvalId }),
    ...(rest.sessionId !== undefined && { sessionId: rest.sessionId }),
    ...(taskRunId !== undefined && { runId: taskRunId }),
    ...(rest.status === 'pending' && wakeAt !== undefined && { retryAt: toTimestamp(wakeAt) }),
    ...(startedAt !== undefined && { startedAt: toTimestamp(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: toTimestamp(finishedAt) }),
  }
}
