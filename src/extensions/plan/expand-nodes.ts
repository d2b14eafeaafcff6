import { z } from 'zod'
import { isRefused, putSteps } from '../../core/orchestrator/steps.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import type { DecomposePlan } from './protocol/plan-run.ts'
import { maxInstruction } from './protocol/plan-node.ts'
import { cut } from '../../core/shared/text.ts'
import { nameSchema } from './actions/action.ts'
import type { ActivePlanRun, Advanced } from './active-run.ts'
import { beginTask } from './begin-task.ts'
import { changePlan } from './change-plan.ts'
import type { PlanDeps } from './plan-service.ts'
import { codeOf, isFinalCode } from './final-errors.ts'
import { describeNode } from './node-prompt.ts'
import { addNode, updateNode } from './nodes.ts'
import { findUnkept } from './read-reply.ts'
import { budgetWords, isOutOfBudget, stoppedByBudget } from './run-budget.ts'
import { outlineOf } from './outline.ts'
import { outcomeOf, toSteps, type Step } from './plan-step.ts'
import { stepTable } from './step-table.ts'

// the first attempt and one more
const maxAttempts = 2

type Decomposition = ActivePlanRun<'decompose'>

interface Bounds {
  expandDepth: number
  minChildren: number
  maxChildren: number
  nodeBudget: number
  allowExistingChildren: boolean
}

const boundsOf = ({
  expandDepth = 2,
  minChildren = 2,
  maxChildren = 5,
  nodeBudget = 50,
  allowExistingChildren = false,
}: Omit<DecomposePlan, 'scope'>): Bounds => ({
  expandDepth,
  minChildren: Math.min(minChildren, maxChildren),
  maxChildren,
  nodeBudget,
  allowExistingChildren,
})

const childSchema = z.object({
  name: nameSchema,
  instruction: z.string().max(maxInstruction).default(''),
  dependencies: z.array(z.number()).default([]),
  leaf: z.boolean().default(false),
  context: z
    .object({
      combined: z.string().max(200_000).optional(),
      sections: z
        .array(z.object({ title: z.string().max(500), content: z.string().max(200_000) }))
        .optional(),
    })
    .optional(),
})
const answerSchema = z.object({
  should_stop: z.boolean().default(false),
  reason: z.string().optional(),
  children: z.array(childSchema).default([]),
})
type Child = z.infer<typeof childSchema>

/** The result that a session has to submit when it decomposes a node. */
const outputSchemaFor = ({ maxChildren }: Bounds) => ({
  type: 'object',
  properties: {
    should_stop: { type: 'boolean', description: 'true when it is small enough to be done as it is' },
    reason: { type: 'string' },
    children: {
      type: 'array',
      description: `at most ${maxChildren}; more are left out`,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 500 },
          instruction: { type: 'string', description: 'what is to be done, so that it can be done alone' },
          dependencies: {
            type: 'array',
            items: { type: 'integer' },
            description: 'numbers, from 1, of the tasks of this list that have to be done before',
          },
          leaf: { type: 'boolean', description: 'true when it is small enough to be done as it is' },
        },
        required: ['name', 'instruction'],
      },
    },
  },
  required: ['children'],
})

/** Decomposes level by level, until everything is small enough or the budget is used up. */
export async function expandNodes(deps: PlanDeps, active: Decomposition): Promise<Advanced> {
  const { store, limits } = deps
  const steps = toSteps(await store.listPlanSteps(active.run.id))
  const settled = steps.find((step) => outcomeOf(step))
  if (settled) {
    await takeChildren(deps, active, steps, settled)
    return 'more'
  }
  const running = steps.filter(({ status }) => status === 'running')
  const pending = steps.filter(({ status }) => status === 'pending')
  const isSpent = steps.some(({ details }) => details.endedBy === 'budget')
  if (isSpent) return running.length > 0 ? {} : { end: stoppedByBudget(endOf(steps)) }
  const level = Math.min(...[...running, ...pending].map(({ details }) => details.depth ?? 0))
  const room = limits.maxParallel - running.length
  const next = pending.filter(({ details }) => details.depth === level).slice(0, Math.max(0, room))
  for (const step of next) {
    const begun = await beginExpansion(deps, active, step)
    if (begun === 'full') return 'full'
  }
  if (next.length > 0) return 'more'
  if (running.length > 0) return {}
  return { end: endOf(steps) }
}

async function beginExpansion(deps: PlanDeps, active: Decomposition, step: Step): Promise<'begun' | 'full'> {
  const { store } = deps
  const { run, input } = active
  const bounds = boundsOf(input)
  const plan = await store.requirePlan(run.scope, input.planId)
  const node = step.nodeId === undefined ? undefined : await store.getNode(plan.id, step.nodeId)
  const skip = async (message: string) => {
    await put(deps, active, { ...step, status: 'skipped', message, finishedAt: deps.clock.now() })
    return 'begun' as const
  }
  if (step.nodeId !== undefined && !node) return skip('The task is gone.')
  const left = bounds.nodeBudget - createdSoFar(toSteps(await store.listPlanSteps(run.id)))
  if (left <= 0) return skip(`The budget of ${bounds.nodeBudget} tasks is used up.`)
  const children = await store.listChildren(plan.id, step.nodeId ?? 0, { limit: 1 })
  if (children.length > 0 && !bounds.allowExistingChildren) return skip('It has tasks below it already.')
  const subject = node ? `the task ${node.id}, "${node.name}"` : `the plan "${plan.title}"`
  const about = node ? node.instruction : plan.description
  const count = Math.min(bounds.maxChildren, left)
  const request = {
    prompt: [
      `Take ${subject} apart into ${Math.min(bounds.minChildren, count)} to ${count} smaller tasks that together do it.`,
      about && `What it is about: ${about}`,
      'Each task has a short name and an instruction that can be followed by somebody who sees nothing else. Name what has to be done before by the number of its place in your list. Do not do any of the tasks now.',
      'If it is small enough to be done as it is, answer with should_stop and no children.',
    ]
      .filter(Boolean)
      .join('\n\n'),
    label: `decompose ${node?.id ?? 'plan'}`,
    model: input.model,
    outputSchema: outputSchemaFor({ ...bounds, maxChildren: count }),
  }
  const described = node
    ? await describeNode(store, plan, node, step.details.problem)
    : [`plan: ${plan.title}`, step.details.problem, await outlineOf(store, plan)].filter(Boolean).join('\n\n')
  const wish = { request, title: `${plan.title}: ${request.label}`.slice(0, 500), plan: described }
  const begun = await beginTask(deps, active, step, wish, { planId: plan.id })
  if (begun === 'full') return 'full'
  if ('refused' in begun)
    await put(deps, active, {
      ...step,
      status: 'failed',
      error: begun.refused,
      finishedAt: deps.clock.now(),
    })
  return 'begun'
}

const createdOf = ({ result, status }: Step): number[] =>
  status === 'completed' ? ((result as { created?: number[] } | undefined)?.created ?? []) : []
const createdSoFar = (steps: readonly Step[]) => steps.reduce((sum, step) => sum + createdOf(step).length, 0)

/** Turns the result of a session into nodes, in the transaction that stores the result. */
async function takeChildren(
  deps: PlanDeps,
  active: Decomposition,
  steps: readonly Step[],
  step: Step,
): Promise<void> {
  const { store, clock } = deps
  const { run, lease, input } = active
  const bounds = boundsOf(input)
  const left = bounds.nodeBudget - createdSoFar(steps)
  const read = readAnswer(outcomeOf(step)!, { ...bounds, left })
  const task = step.taskRunId === undefined ? undefined : await store.getRun(run.scope, step.taskRunId)
  const isFinal = isFinalCode(codeOf(task))
  const now = clock.now()
  const refuse = (problem: string, mayRetry: boolean) =>
    put(deps, active, {
      ...step,
      status: mayRetry ? 'pending' : 'failed',
      result: undefined,
      error: problem,
      details: { ...step.details, problem, ...(isFinal && { isFinal }) },
      taskRunId: mayRetry ? undefined : step.taskRunId,
      ...(!mayRetry && { finishedAt: now }),
    })
  if ('problem' in read && (await isOutOfBudget(store, run, step.taskRunId)))
    return put(deps, active, {
      ...step,
      status: 'failed',
      result: undefined,
      error: budgetWords,
      details: { ...step.details, endedBy: 'budget' },
      finishedAt: now,
    })
  if ('problem' in read) return refuse(read.problem, step.attempts < maxAttempts && !isFinal)
  const taken = store.transaction(async (tx) => {
    const caller = {
      scope: run.scope,
      actor: { type: 'system', id: 'plan' } as const,
      sessionId: step.sessionId,
    }
    const { answer: created } = await changePlan(
      tx,
      caller,
      input.planId,
      { action: 'decompose', now },
      async (edit) => {
        await tx.holdRun(lease)
        if (step.nodeId !== undefined && !(await tx.getNode(input.planId, step.nodeId))) return []
        const ids: number[] = []
        for (const { name, instruction, context } of read.children) {
          const node = await addNode(
            edit,
            { name, instruction, ...(context && { context }) },
            { parentId: step.nodeId ?? 0 },
            now,
          )
          ids.push(node.id)
        }
        for (const [index, { dependencies }] of read.children.entries()) {
          const on = dependencies.map((place) => ids[place - 1]!)
          if (on.length > 0) await updateNode(edit, ids[index]!, { dependencies: on }, now)
        }
        return ids
      },
    )
    const finished: Step = {
      ...step,
      status: 'completed',
      message: created.length === 0 ? (read.reason ?? 'Small enough as it is.') : `${created.length} tasks`,
      result: { created },
      error: undefined,
      finishedAt: now,
    }
    const next = [finished, ...followers(steps, step, created, read.children, bounds)]
    await stepTable.put(tx, run.id, next)
    for (const one of next) await stepTable.emit(tx, run, one)
  })
  await taken.catch((error: unknown) => {
    if (!isRefused(error)) throw error
    // the plan has no room for them
    return refuse(error.message, false)
  })
}

/** The nodes to decompose next. */
function followers(
  steps: readonly Step[],
  { details }: Step,
  created: readonly number[],
  children: readonly Child[],
  { expandDepth }: Bounds,
): Step[] {
  const depth = (details.depth ?? 0) + 1
  if (depth >= expandDepth) return []
  const last = Math.max(...steps.map(({ number }) => number))
  return created
    .filter((_, index) => !children[index]!.leaf)
    .map((nodeId, index) => ({
      number: last + 1 + index,
      type: 'expand',
      nodeId,
      status: 'pending',
      attempts: 0,
      details: { title: children[created.indexOf(nodeId)]!.name, depth },
    }))
}

/** Model output is data: what does not match the schema is a problem, and invalid references are dropped. */
function readAnswer(
  { status, structuredData, error, output }: TaskResult,
  { minChildren, maxChildren, left }: Bounds & { left: number },
): { children: Child[]; reason?: string } | { problem: string } {
  if (status !== 'success' && status !== 'partial')
    return { problem: error ?? (output || `It ended as ${status}.`) }
  const unkept = findUnkept(structuredData)
  if (unkept !== undefined) return { problem: unkept }
  const result = answerSchema.safeParse(structuredData)
  if (!result.success) return { problem: describeIssues(result.error, structuredData) }
  const { should_stop: shouldStop, reason, children } = result.data
  if (shouldStop) return { children: [], reason: reason === undefined ? undefined : cut(reason, 500) }
  if (children.length < Math.min(minChildren, left))
    return {
      problem: `At least ${minChildren} tasks are wanted, or should_stop; there were ${children.length}.`,
    }
  const taken = children.slice(0, Math.min(maxChildren, left))
  return { children: withoutCircles(taken) }
}

/** Drops a dependency that does not exist, or that would close a cycle with those before it. */
const withoutCircles = (children: readonly Child[]): Child[] => {
  const waits = new Map<number, Set<number>>()
  return children.map((child, index) => {
    const place = index + 1
    const own = new Set<number>()
    for (const on of child.dependencies)
      if (
        Number.isInteger(on) &&
        on >= 1 &&
        on <= children.length &&
        on !== place &&
        !reaches(waits, on, place)
      )
        own.add(on)
    waits.set(place, own)
    return { ...child, dependencies: [...own] }
  })
}

function reaches(waits: ReadonlyMap<number, ReadonlySet<number>>, from: number, to: number): boolean {
  const seen = new Set<number>()
  const open = [from]
  while (open.length > 0) {
    const place = open.pop()!
    if (place === to) return true
    if (seen.has(place)) continue
    seen.add(place)
    open.push(...(waits.get(place) ?? []))
  }
  return false
}

const put = ({ store }: PlanDeps, active: Decomposition, step: Step): Promise<void> =>
  putSteps(store, stepTable, active, [step])

function endOf(steps: readonly Step[]): Extract<Advanced, { end: unknown }>['end'] {
  const created = steps.flatMap(createdOf)
  const failed = steps.filter(({ status }) => status === 'failed')
  const skipped = steps.filter(({ status }) => status === 'skipped')
  const summary = [
    `${created.length} tasks created`,
    failed.length > 0 && `${failed.length} could not be taken apart`,
    skipped.length > 0 && `${skipped.length} left as they are`,
  ]
    .filter(Boolean)
    .join('; ')
  const error = failed[0]?.error
  const result = {
    created_tasks: created,
    processed_nodes: steps.flatMap(({ status, nodeId }) => (status === 'completed' ? [nodeId ?? 0] : [])),
    failed_nodes: failed.map(({ nodeId }) => nodeId ?? 0),
    ...(skipped[0]?.message !== undefined && { stopped_reason: skipped[0].message }),
  }
  return failed.length > 0 && created.length === 0
    ? {
        status: 'failed',
        summary,
        error: error ?? summary,
        result,
        ...(failed.every(({ details }) => details.isFinal) && { isFinal: true }),
      }
    : { status: 'completed', summary, result }
}
