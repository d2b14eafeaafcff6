import { z } from 'zod'
import { conflict, invalidRequest, quote } from '../../../core/protocol/error.ts'
import { idOf, mergeMetadata } from '../change-plan.ts'
import { changesOfOthers, requireUntouched } from '../changed-since.ts'
import { oneLine, listPlanLines } from '../outline.ts'
import { auditPlan, removePlan } from '../plans.ts'
import { previewRun } from '../run-preview.ts'
import { startDecomposition } from '../start-decomposition.ts'
import { chooseNodes, startExecution } from '../start-execution.ts'
import {
  defineStored,
  limitFields,
  nameSchema,
  planIdSchema,
  requirePlanId,
  yesSchema,
  type ActionType,
  type Scene,
} from './action.ts'

const kind = 'plan_operation'
const maxListed = 10
const maxGoal = 80

const createPlan = defineStored({
  kind,
  name: 'create_plan',
  description:
    'title (or goal), description?, metadata?, decompose? (default: yes, unless tasks are created in the same reply): makes a plan and binds this session to it',
  parameters: z.strictObject({
    title: nameSchema.optional(),
    goal: z.string().trim().min(1).max(20_000).optional(),
    description: z.string().max(20_000).optional(),
    owner: z.string().max(200).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    decompose: yesSchema.optional(),
  }),
  needsPlan: false,
  effect: 'write',
  async perform(scene, { title, goal, description, owner, metadata, decompose }) {
    const { tx, deps, caller } = scene
    await tx.ensureScope(caller.scope)
    const plan = await tx.createPlan({
      scope: caller.scope,
      title: title ?? (oneLine(goal?.slice(0, maxGoal) ?? '').toWellFormed() || 'Plan'),
      description: description ?? (title !== undefined && goal !== undefined ? goal : ''),
      metadata: mergeMetadata({ ...metadata }, owner === undefined ? {} : { owner }),
    })
    await scene.bind(plan.id)
    await auditPlan(tx, caller, 'create', plan)
    scene.emit('plan-created', { planId: plan.id, title: plan.title, version: plan.version })
    const message = `Created the plan ${quote(plan.title)} (${plan.id}).`
    if (!(decompose ?? deps.limits.autoDecompose)) return { message, result: { plan_id: plan.id } }
    const runId = await startDecomposition(tx, deps, { scope: caller.scope, planId: plan.id }, {}, scene)
    return { message, result: { plan_id: plan.id }, runId }
  },
})

const listPlans = defineStored({
  kind,
  name: 'list_plans',
  description: 'no parameters: the plans of the workspace',
  parameters: z.strictObject({}),
  needsPlan: false,
  effect: 'read',
  isReported: true,
  async perform({ tx, caller }) {
    const { lines, hasMore } = await listPlanLines(tx, caller.scope, maxListed)
    return {
      message:
        lines.length === 0 ? 'There are no plans.' : `${lines.length} plans${hasMore ? ' and more' : ''}.`,
      result: lines.join('\n') || '(no existing plans)',
    }
  },
})

const bindPlan = defineStored({
  kind,
  name: 'bind_plan',
  description: 'plan_id: makes this session about a plan that is there',
  parameters: z.strictObject({ plan_id: planIdSchema }),
  needsPlan: false,
  effect: 'write',
  async perform({ tx, caller, planId, bind }, { plan_id: wanted }) {
    const plan = await tx.requirePlan(caller.scope, wanted)
    if (planId !== undefined && planId !== plan.id)
      throw conflict(`The session is bound to the plan ${quote(planId)} already.`)
    await bind(plan.id)
    return { message: `The session is about ${quote(plan.title)} now.`, result: { plan_id: plan.id } }
  },
})

const executePlan = defineStored({
  kind,
  name: 'execute_plan',
  description:
    'rerun? (also what is completed), on_failure? ("continue" or "stop"), max_tokens?, max_cost? (where it stops): has all tasks that are not completed done, dependencies first; the owner is asked first',
  parameters: z.strictObject({
    plan_id: planIdSchema.optional(),
    rerun: yesSchema.optional(),
    on_failure: z.enum(['continue', 'stop']).optional(),
    ...limitFields,
  }),
  needsPlan: true,
  effect: 'run',
  isReported: true,
  async perform(
    scene,
    { plan_id: named, rerun, on_failure: onFailure, max_tokens: maxTokens, max_cost: maxCost },
  ) {
    const { tx, deps, caller, agreed, startRun } = scene
    const planId = requireOwn(requirePlanId(scene), named)
    // what a person has done meanwhile is not done again
    if (rerun) await requireAllUntouched(scene, planId, ['status', 'result'])
    const wish = { rerun, onFailure, maxTokens, maxCost, lastNode: agreed?.lastNode }
    const runId = await startExecution(tx, deps, { scope: caller.scope, planId }, wish, startRun)
    return { message: 'The plan is being executed.', runId }
  },
  async preview({ store, deps, scope, planId: own }, given) {
    const { plan_id: named, rerun, max_tokens: maxTokens, max_cost: maxCost } = given
    const planId = requireOwn(own, named)
    const plan = await store.requirePlan(scope, planId)
    const ids = chooseNodes(await store.listLinks(planId), { rerun })
    return previewRun(store, deps, plan, ids, { maxTokens, maxCost })
  },
})

const deletePlan = defineStored({
  kind,
  name: 'delete_plan',
  description: 'plan_id?: deletes the plan of this session with all its tasks; the owner is asked first',
  parameters: z.strictObject({ plan_id: planIdSchema.optional() }),
  needsPlan: true,
  effect: 'delete',
  async perform(scene, { plan_id: named }) {
    const { tx, caller, bind } = scene
    const planId = requireOwn(requirePlanId(scene), named)
    const plan = await tx.lockPlan(caller.scope, planId)
    await requireAllUntouched(scene, planId, everything)
    const open = await tx.listOpenPlanRuns(planId)
    if (open.some(({ type }) => type !== 'actions'))
      throw conflict('The plan is being worked on: cancel that first.')
    await bind(null)
    await removePlan(tx, caller, plan)
    return { message: `Deleted the plan ${quote(plan.title)}.` }
  },
})

const everything = [
  'name',
  'instruction',
  'dependencies',
  'acceptance',
  'context',
  'place',
  'status',
  'result',
] as const

/** Refuses where others have changed something of the plan. */
async function requireAllUntouched(
  scene: Scene,
  planId: string,
  fields: Parameters<typeof requireUntouched>[2],
): Promise<void> {
  const others = await changesOfOthers(scene, await scene.tx.requirePlan(scene.caller.scope, planId))
  requireUntouched(others, [...new Set(others.flatMap(({ changes }) => changes.map(idOf)))], fields)
}

/** A session may only act on its own plan. */
function requireOwn(planId: string, named: string | undefined): string {
  if (named !== undefined && named !== planId)
    throw invalidRequest(`The session is bound to the plan ${quote(planId)}; ${quote(named)} is another one.`)
  return planId
}

export const planOperations: readonly ActionType[] = [
  createPlan,
  listPlans,
  bindPlan,
  executePlan,
  deletePlan,
]
