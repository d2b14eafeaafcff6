import type { TaskResult } from '../protocol/background.ts'
import type { NodeCheck, NodeResult } from '../protocol/plan-node.ts'
import type { SpentTokens } from '../runs/budget.ts'
import { costIn } from '../runs/usage.ts'
import type { NodeRecord } from '../store/queries/plans.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { passed, runChecks } from './acceptance.ts'
import type { Going, Look } from './going.ts'
import { beginTask, Outdated } from './begin-task.ts'
import type { PlanDeps } from './deps.ts'
import { nextNodes, subtreeOf } from './next-nodes.ts'
import { describeNode } from './node-prompt.ts'
import { oneLine } from './one-line.ts'
import { isOver, outcomeOf, toSteps, type Step } from './step.ts'
import { tellNode, tellStep } from './tell.ts'
import { unblock, wakeOthers } from './unblock.ts'

// no place among those that wait: looked at again after this
const fullWaitMs = 1_000

type Execution = Going<'execute'>

/** Looks at the nodes of a plan: takes in what was done, and begins what can be. */
export async function executeNodes(deps: PlanDeps, going: Execution): Promise<Look> {
  const { store, limits } = deps
  const { run, input } = going
  const steps = toSteps(await store.listPlanSteps(run.id))
  let hasSettled = false
  for (const step of steps)
    if (outcomeOf(step)) {
      await settleNode(deps, going, step, outcomeOf(step)!)
      hasSettled = true
    }
  if (hasSettled) return 'more'

  const states = await store.listLinks(input.planId)
  const wanted = wantedOf(input, states)
  const next = nextNodes(states, (id) => wanted.has(id))
  const running = steps.filter(({ status }) => status === 'running').length
  const hasFailed = steps.some(({ status }) => status === 'failed')
  const isStopping = input.onFailure === 'stop' && hasFailed
  const room = (input.maxParallel ?? limits.maxParallel) - running
  let begun = 0
  if (!isStopping)
    for (const id of next.ready.slice(0, Math.max(0, room))) {
      const outcome = await beginNode(deps, going, steps, id)
      if (outcome === 'full') return { wakeAt: deps.clock.now() + fullWaitMs }
      begun++
    }
  if (begun > 0) return 'more'
  if (running > 0) return {}
  // for nodes of another run, which tells this one when they are done
  if (next.waiting > 0 && !isStopping) return {}
  return { end: await endOf(deps, going, steps, isStopping ? new Map() : next.blocked) }
}

function wantedOf(
  { nodeIds, rootId }: Execution['input'],
  states: Parameters<typeof subtreeOf>[0],
): { has(id: number): boolean } {
  if (nodeIds) return new Set(nodeIds)
  return rootId === undefined ? { has: () => true } : subtreeOf(states, rootId)
}

async function beginNode(
  deps: PlanDeps,
  going: Execution,
  steps: Step[],
  nodeId: number,
): Promise<'begun' | 'full'> {
  const { store } = deps
  const { run, input } = going
  const plan = await store.getPlan(run.scope, input.planId)
  const node = await store.getNode(input.planId, nodeId)
  if (!plan || node?.status !== 'pending') return 'begun'
  const known = steps.find((step) => step.nodeId === nodeId)
  const step = known ?? newStep(steps, node)
  // the next one gets another number
  if (!known) steps.push(step)
  const request = {
    prompt: node.instruction.trim() === '' ? node.name : node.instruction,
    label: node.name.slice(0, 500),
    model: input.model,
  }
  const wish = {
    request,
    title: `${plan.title}: ${node.name}`.slice(0, 500),
    plan: await describeNode(store, plan, node, step.details.problem),
  }
  try {
    const keep = async (tx: StoreOperations, task: Run) => {
      const current = await tx.getNode(input.planId, nodeId)
      if (current?.status !== 'pending') throw new Outdated()
      const next: NodeRecord = {
        ...current,
        status: 'running',
        reason: undefined,
        sessionId: task.sessionId,
        runId: task.id,
        updatedAt: deps.clock.now(),
      }
      await tx.putNode(input.planId, next)
      await tellNode(tx, run.scope, input.planId, next)
    }
    const begun = await beginTask(deps, going, step, wish, { planId: input.planId, keep })
    if (begun === 'full') return 'full'
    if ('refused' in begun) await failNode(deps, going, step, node, begun.refused)
    return 'begun'
  } catch (error) {
    if (error instanceof Outdated) return 'begun'
    throw error
  }
}

const newStep = (steps: readonly Step[], { id, name }: NodeRecord): Step => ({
  number: Math.max(0, ...steps.map(({ number }) => number)) + 1,
  type: 'node',
  nodeId: id,
  status: 'pending',
  attempts: 0,
  details: { title: name },
})

/** What a session came to becomes what came of its node, once it was checked. */
async function settleNode(deps: PlanDeps, going: Execution, step: Step, outcome: TaskResult): Promise<void> {
  const { store, limits } = deps
  const { run, input } = going
  const node = await store.getNode(input.planId, step.nodeId!)
  const spent = await spentBy(deps, step)
  const checks = node && isSuccess(outcome) ? await checkResult(deps, going, node, step, outcome) : []
  const isDone = isSuccess(outcome) && passed(checks)
  const problem = isDone ? undefined : problemOf(outcome, checks)
  const maxRetries = input.maxRetries ?? limits.nodeRetries
  const mayRetry = !isDone && outcome.status !== 'cancelled' && step.attempts <= maxRetries
  const result = toResult(outcome, checks, step.attempts, spent)
  const details = { ...step.details, ...spent, problem }
  const settled: Step = mayRetry
    ? { ...step, status: 'pending', result: undefined, details, taskRunId: undefined }
    : {
        ...step,
        status: isDone ? 'completed' : 'failed',
        message: isDone ? firstWords(outcome.output) : undefined,
        result: undefined,
        error: problem,
        details,
        finishedAt: deps.clock.now(),
      }
  await store.transaction(async (tx) => {
    const isThere = await tx.lockPlanIfThere(run.scope, input.planId)
    await tx.holdRun(going.lease)
    await tx.putPlanSteps(run.id, [settled])
    if (isThere)
      await putOutcome(tx, deps, going, step, {
        status: mayRetry ? 'pending' : isDone ? 'completed' : 'failed',
        reason: problem,
        result,
        cost: spent.cost,
      })
    await tellStep(tx, run, settled)
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
  await tx.putNode(input.planId, next)
  if (facts.status === 'completed' || facts.status === 'failed') await wakeOthers(tx, input.planId, run.id)
  if (facts.status === 'completed') await unblock(tx, run.scope, input.planId, [node.id])
  await tellNode(tx, run.scope, input.planId, next)
}

/** What cannot even be begun. */
async function failNode(
  deps: PlanDeps,
  going: Execution,
  step: Step,
  node: NodeRecord,
  reason: string,
): Promise<void> {
  const { run, input } = going
  const now = deps.clock.now()
  const failed: Step = {
    ...step,
    status: 'failed',
    attempts: step.attempts + 1,
    error: reason,
    startedAt: now,
    finishedAt: now,
  }
  await deps.store.transaction(async (tx) => {
    await tx.lockPlan(run.scope, input.planId)
    await tx.holdRun(going.lease)
    await tx.putPlanSteps(run.id, [failed])
    const current = await tx.getNode(input.planId, node.id)
    if (current?.status === 'pending') {
      const next: NodeRecord = { ...current, status: 'failed', reason, updatedAt: now }
      await tx.putNode(input.planId, next)
      await tellNode(tx, run.scope, input.planId, next)
    }
    await tellStep(tx, run, failed)
  })
}

const isSuccess = ({ status }: TaskResult) => status === 'success' || status === 'partial'

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

const problemOf = ({ status, output, error }: TaskResult, checks: readonly NodeCheck[]): string => {
  const failed = checks.filter((check) => !check.passed && !check.warning)
  if (failed.length > 0)
    return `Not accepted: ${failed.map(({ check, message }) => `${check}: ${message}`).join('; ')}`
  return error ?? (output.trim() === '' ? `It ended as ${status}, without a result.` : output)
}

function toResult(
  { status, output, structuredData, artifacts, source, degraded, error, durationMs }: TaskResult,
  checks: NodeCheck[],
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
    ...(tokens && { inputTokens: tokens.input, outputTokens: tokens.output }),
    attempts,
    durationMs,
  }
}

/** What this try used, and those before it. */
async function spentBy(
  { store, prices }: PlanDeps,
  { taskRunId, details }: Step,
): Promise<Pick<Step['details'], 'cost' | 'tokens'>> {
  const calls = taskRunId === undefined ? [] : await store.listRunSteps(taskRunId)
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

/** What cannot be done before something else changes says so, and is tried again when it has. */
async function endOf(
  deps: PlanDeps,
  going: Execution,
  steps: readonly Step[],
  blocked: ReadonlyMap<number, string>,
): Promise<Extract<Look, { end: unknown }>['end']> {
  const { run, lease, input } = going
  const now = deps.clock.now()
  const isLeft = blocked.size > 0
  if (isLeft)
    await deps.store.transaction(async (tx) => {
      if (!(await tx.lockPlanIfThere(run.scope, input.planId))) return
      await tx.holdRun(lease)
      let number = Math.max(0, ...steps.map((step) => step.number))
      for (const [id, reason] of blocked) {
        const node = await tx.getNode(input.planId, id)
        if (node?.status !== 'pending') continue
        const next: NodeRecord = { ...node, status: 'blocked', reason, updatedAt: now }
        await tx.putNode(input.planId, next)
        await tx.putPlanSteps(run.id, [
          {
            number: ++number,
            type: 'node',
            nodeId: id,
            status: 'skipped',
            attempts: 0,
            details: { title: node.name },
            message: reason,
            finishedAt: now,
          },
        ])
        await tellNode(tx, run.scope, input.planId, next)
      }
    })
  const over = toSteps(await deps.store.listPlanSteps(run.id)).filter(isOver)
  const idsWith = (status: Step['status']) =>
    over.flatMap((step) => (step.status === status && step.nodeId !== undefined ? [step.nodeId] : []))
  const [executed, failed, skipped] = [idsWith('completed'), idsWith('failed'), idsWith('skipped')]
  const summary = [
    `${executed.length} done${listed(executed)}`,
    `${failed.length} failed${listed(failed)}`,
    `${skipped.length} blocked${listed(skipped)}`,
  ].join('; ')
  const isDone = failed.length === 0 && skipped.length === 0
  return {
    status: isDone ? 'completed' : 'failed',
    summary,
    ...(!isDone && { error: summary }),
    result: { executed, failed, skipped },
  }
}

const maxListed = 50
const listed = (ids: readonly number[]) =>
  ids.length === 0 ? '' : ` (${ids.slice(0, maxListed).join(', ')}${ids.length > maxListed ? ', …' : ''})`
