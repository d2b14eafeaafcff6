import type { TaskResult } from '../../core/protocol/background.ts'
import type { NodeCheck, NodeEvidence, NodeResult } from './protocol/plan-node.ts'
import { budgetIdOf, type SpentTokens } from '../../core/runs/budget.ts'
import { costIn } from '../../core/runs/cost.ts'
import type { NodeRecord } from './store/plans.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { RunStep } from '../../core/store/queries/run-steps.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { runChecks } from './acceptance-checks.ts'
import type { ActivePlanRun, Advanced } from './active-run.ts'
import { beginTask, Crowded, Outdated } from './begin-task.ts'
import { blockNodes } from './block-nodes.ts'
import type { PlanDeps } from './plan-service.ts'
import { endEarly, findEarlyEnd } from './ended-early.ts'
import { readEvidence } from './evidence.ts'
import { codeOf } from './final-errors.ts'
import { findReady, waitsForOthers } from './find-ready.ts'
import { judgeNode } from './judge-node.ts'
import { nextNodes, subtreeOf } from './next-nodes.ts'
import { describeNode, handingIn } from './node-prompt.ts'
import { oneLine } from './outline.ts'
import { stoppedByBudget } from './run-budget.ts'
import type { PlanRunEnd } from './settle-run.ts'
import { isFinished, isUndone, outcomeOf, toSteps, undoneStatuses, type Step } from './plan-step.ts'
import { describeTally, tallyOf } from './count-statuses.ts'
import { emitNode, stepTable } from './step-table.ts'
import { unblock, wakeOthers } from './unblock.ts'

type Execution = ActivePlanRun<'execute'>

/** Advances the nodes of a plan: stores the results of finished ones, and starts those that are ready. */
export async function executeNodes(deps: PlanDeps, active: Execution): Promise<Advanced> {
  const { store, limits } = deps
  const { run, input } = active
  const running = toSteps(await store.listPlanSteps(run.id, { status: 'running' }))
  let hasSettled = false
  for (const step of running)
    if (outcomeOf(step)) {
      await settleNode(deps, active, step, outcomeOf(step)!)
      hasSettled = true
    }
  if (hasSettled) return 'more'

  const isSpent = await isOutOfMeans(store, run)
  const isStopping =
    isSpent || (input.onFailure === 'stop' && (await store.hasPlanStep(run.id, undoneStatuses)))
  // all runs of a plan share its slots
  const most = input.maxParallel ?? limits.maxParallel
  const free = most - (await store.countRunningNodes(input.planId))
  const ready = isStopping ? [] : await findReady(deps, active, Math.max(free, 1))
  let begun = 0
  for (const id of ready.slice(0, Math.max(free, 0))) {
    const outcome = await beginNode(deps, active, id, most)
    if (outcome === 'full') return 'full'
    if (outcome === 'crowded') break
    begun++
  }
  if (begun > 0) return 'more'
  if (running.length > 0) return {}
  if (isSpent) return { end: stoppedByBudget((await endOf(deps, active)).end) }
  if (isStopping) return endOf(deps, active)
  // for slots or nodes of another run, which wakes this one when they are free or done
  if (ready.length > 0 || (await waitsForOthers(deps, active))) return {}
  return advanceAll(deps, active)
}

/** Whether a node had to end because the budget of the run is used up. Those are few, and a run without a budget has none. */
async function isOutOfMeans(store: StoreOperations, run: Run): Promise<boolean> {
  if (budgetIdOf(run) === undefined) return false
  const ended = toSteps(await store.listPlanSteps(run.id, { status: 'cancelled' }))
  return ended.some(({ details }) => details.endedBy === 'budget')
}

/** When nothing can be started any more, reads the whole plan once to find what is left and why. */
async function advanceAll(deps: PlanDeps, active: Execution): Promise<Advanced> {
  const { store } = deps
  const { run, input } = active
  const states = await store.listLinks(input.planId)
  const wanted = wantedOf(input, states)
  const next = nextNodes(states, (id) => wanted.has(id))
  if (next.ready.length > 0) {
    await store.transaction(async (tx) => {
      if (await tx.lockPlanIfThere(run.scope, input.planId)) await tx.forgetWaits(input.planId, next.ready)
    })
    return 'more'
  }
  // another run wakes this one when its nodes end
  const isBeingDone = states.some(({ id, status }) => status === 'running' && wanted.has(id))
  if (next.waiting > 0 || isBeingDone) return {}
  return (await blockNodes(deps, active, next.blocked)) ? endOf(deps, active) : 'more'
}

function wantedOf(
  { nodeIds, rootId, lastNode }: Execution['input'],
  states: Parameters<typeof subtreeOf>[0],
): { has(id: number): boolean } {
  if (nodeIds) return new Set(nodeIds)
  const within = rootId === undefined ? undefined : subtreeOf(states, rootId)
  return { has: (id) => id <= (lastNode ?? id) && (within?.has(id) ?? true) }
}

async function beginNode(
  deps: PlanDeps,
  active: Execution,
  nodeId: number,
  most: number,
): Promise<'begun' | 'full' | 'crowded'> {
  const { store } = deps
  const { run, input } = active
  const plan = await store.getPlan(run.scope, input.planId)
  const node = await store.getNode(input.planId, nodeId)
  if (!plan || node?.status !== 'pending') return 'begun'
  const step = (await findStep(store, run.id, nodeId)) ?? newStep(await store.getLastPlanStep(run.id), node)
  const request = {
    prompt: node.instruction.trim() === '' ? node.name : node.instruction,
    label: node.name.slice(0, 500),
    model: input.model,
  }
  const wish = {
    request,
    title: `${plan.title}: ${node.name}`.slice(0, 500),
    plan: [await describeNode(store, plan, node, step.details.problem), handingIn].join('\n\n'),
  }
  try {
    const keep = async (tx: StoreOperations, task: Run) => {
      const current = await tx.getNode(input.planId, nodeId)
      if (current?.status !== 'pending') throw new Outdated()
      if ((await tx.countRunningNodes(input.planId)) >= most) throw new Crowded()
      const next: NodeRecord = {
        ...current,
        status: 'running',
        reason: undefined,
        sessionId: task.sessionId,
        runId: task.id,
        updatedAt: deps.clock.now(),
      }
      await tx.putNodeState(input.planId, next)
      await emitNode(tx, run.scope, input.planId, next)
    }
    const begun = await beginTask(deps, active, step, wish, { planId: input.planId, keep })
    if (begun === 'full') return 'full'
    if ('refused' in begun) await failNode(deps, active, step, node, begun.refused)
    return 'begun'
  } catch (error) {
    if (error instanceof Outdated) return 'begun'
    if (error instanceof Crowded) return 'crowded'
    throw error
  }
}

const findStep = (store: StoreOperations, runId: string, nodeId: number): Promise<Step | undefined> =>
  store.findPlanStepOfNode(runId, nodeId) as Promise<Step | undefined>

const newStep = (last: number, { id, name }: NodeRecord): Step => ({
  number: last + 1,
  type: 'node',
  nodeId: id,
  status: 'pending',
  attempts: 0,
  details: { title: name },
})

/** The result of a session becomes that of its node, after the checks. */
async function settleNode(deps: PlanDeps, active: Execution, step: Step, outcome: TaskResult): Promise<void> {
  const { store, limits } = deps
  const { run, input } = active
  const node = await store.getNode(input.planId, step.nodeId!)
  const task = step.taskRunId === undefined ? undefined : await store.getRun(run.scope, step.taskRunId)
  const calls = task ? await store.listRunSteps(task.id) : []
  await deps.prices?.load?.()
  const spent = spentBy(deps, step, calls)
  const checks = node && hasWork(outcome) ? await checkResult(deps, active, node, step, outcome) : []
  const { status, reason: problem, mayPass } = judgeNode(outcome, checks, codeOf(task))
  const endedBy = status === 'completed' ? undefined : await findEarlyEnd(deps, active, step, node, outcome)
  if (endedBy) return endEarly(deps, active, { ...step, details: { ...step.details, ...spent } }, endedBy)
  const mayRetry = mayPass && step.attempts <= (input.maxRetries ?? limits.nodeRetries)
  const evidence = await readEvidence(store, step.sessionId, calls, outcome.output, step.details.files)
  const result = toResult(outcome, checks, evidence, step.attempts, spent)
  const isFinal = status !== 'completed' && !mayPass
  // the next attempt builds on what there is then
  const details = { ...step.details, ...spent, problem, stale: undefined, ...(isFinal && { isFinal }) }
  const settled: Step = mayRetry
    ? {
        ...step,
        status: 'pending',
        result: undefined,
        details: { ...details, files: evidence.files },
        taskRunId: undefined,
      }
    : {
        ...step,
        status,
        message: status === 'completed' ? firstWords(outcome.output) : undefined,
        result: undefined,
        error: problem,
        details,
        finishedAt: deps.clock.now(),
      }
  await store.transaction(async (tx) => {
    const isThere = await tx.lockPlanIfThere(run.scope, input.planId)
    await tx.holdRun(active.lease)
    const stale = mayRetry ? undefined : (await findStep(tx, run.id, step.nodeId!))?.details.stale
    await tx.putPlanSteps(run.id, [settled])
    if (isThere)
      await putOutcome(tx, deps, active, step, {
        status: mayRetry ? 'pending' : status,
        reason: problem,
        result: { ...result, ...(stale && { stale }) },
        cost: spent.cost,
      })
    await stepTable.emit(tx, run, settled)
  })
}

/** The node may be gone, or be somebody else's by now. */
async function putOutcome(
  tx: StoreOperations,
  deps: PlanDeps,
  { run, input }: Execution,
  { nodeId, taskRunId }: Step,
  facts: Pick<NodeRecord, 'status' | 'reason' | 'result' | 'cost'>,
): Promise<void> {
  const node = await tx.getNode(input.planId, nodeId!)
  if (node?.status !== 'running' || node.runId !== taskRunId) return
  const next: NodeRecord = { ...node, ...facts, updatedAt: deps.clock.now() }
  await tx.putNodeState(input.planId, next)
  // its slot is free, also when it is retried
  await wakeOthers(tx, input.planId, run.id)
  if (facts.status === 'completed') await unblock(tx, run.scope, input.planId, [node.id])
  await emitNode(tx, run.scope, input.planId, next)
}

/** Fails a node that cannot be started. */
async function failNode(
  deps: PlanDeps,
  active: Execution,
  step: Step,
  node: NodeRecord,
  reason: string,
): Promise<void> {
  const { run, input } = active
  const now = deps.clock.now()
  const failed: Step = {
    ...step,
    status: 'failed',
    attempts: step.attempts + 1,
    error: reason,
    details: { ...step.details, isFinal: true },
    startedAt: now,
    finishedAt: now,
  }
  await deps.store.transaction(async (tx) => {
    await tx.lockPlan(run.scope, input.planId)
    await tx.holdRun(active.lease)
    await tx.putPlanSteps(run.id, [failed])
    const current = await tx.getNode(input.planId, node.id)
    if (current?.status === 'pending') {
      const next: NodeRecord = { ...current, status: 'failed', reason, updatedAt: now }
      await tx.putNodeState(input.planId, next)
      await emitNode(tx, run.scope, input.planId, next)
    }
    await stepTable.emit(tx, run, failed)
  })
}

const hasWork = ({ status }: TaskResult) => status === 'success' || status === 'partial'

async function checkResult(
  deps: PlanDeps,
  { run }: Execution,
  { acceptance = [] }: NodeRecord,
  { sessionId }: Step,
  outcome: TaskResult,
): Promise<NodeCheck[]> {
  if (acceptance.length === 0) return []
  const session = await deps.store.getSession(run.scope, sessionId ?? '')
  if (!session) return acceptance.map((check) => ({ check, passed: false, message: 'Its session is gone.' }))
  const workspaces = await deps.readWorkspaces(session)
  return runChecks(acceptance, { workspaces, result: outcome })
}

function toResult(
  { status, output, structuredData, artifacts, source, degraded, error, durationMs }: TaskResult,
  checks: NodeCheck[],
  evidence: NodeEvidence,
  attempts: number,
  { tokens }: Pick<Step['details'], 'tokens'>,
): NodeResult {
  return {
    status,
    output,
    ...(structuredData !== undefined && { structuredData }),
    ...(artifacts && { artifacts }),
    source,
    degraded,
    ...(error !== undefined && { error }),
    ...(checks.length > 0 && { checks }),
    evidence,
    ...(tokens && { inputTokens: tokens.input, outputTokens: tokens.output }),
    attempts,
    durationMs,
  }
}

/** Usage of this attempt and those before it. */
function spentBy(
  { prices }: PlanDeps,
  { details }: Step,
  calls: readonly RunStep[],
): Pick<Step['details'], 'cost' | 'tokens'> {
  const tokens = { ...(details.tokens ?? { input: 0, output: 0 }) }
  let { cost } = details
  for (const call of calls) {
    const { model, usage } = call.prompt as { model: string; usage: SpentTokens }
    tokens.input += usage.inputTokens ?? 0
    tokens.output += usage.outputTokens ?? 0
    const price = costIn(prices, model, usage)
    if (price !== undefined) cost = (cost ?? 0) + price
  }
  return { cost, tokens }
}

const firstWords = (text: string) => oneLine(text).slice(0, 160).toWellFormed()

/** The outcome of all nodes that the run has started. */
async function endOf({ store }: PlanDeps, { run }: Execution): Promise<Extract<Advanced, { end: unknown }>> {
  const over = toSteps(await store.listPlanSteps(run.id)).filter(isFinished)
  const tally = tallyOf(over)
  const summary = describeTally(tally)
  // what a person has skipped or done themselves is not missing
  const isDone = over.every(({ status, details }) => status === 'completed' || details.endedBy === 'person')
  const end: PlanRunEnd = {
    status: isDone ? 'completed' : 'failed',
    summary,
    ...(!isDone && { error: summary }),
    result: tally,
    ...(over.some((step) => isUndone(step) && step.details.isFinal) && { isFinal: true }),
  }
  return { end }
}
