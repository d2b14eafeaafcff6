import { callerOf, oncePerCall } from '../documents/tool-call.ts'
import { invalidRequest, ParleyError } from '../../core/protocol/error.ts'
import { misfit } from '../../core/protocol/issues.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanCall, PlanControl } from './plan-tool.ts'
import type { ToolContext } from '../../core/tools/tool.ts'
import type { Scene, StoredActionType } from './actions/action.ts'
import { actionTypes } from './actions/catalogue.ts'
import type { PlanDeps } from './plan-service.ts'
import { requireNamed } from './require-named.ts'
import { findUnkept } from './read-reply.ts'
import { startPlanRun } from './start-run.ts'

type Place = Pick<ToolContext, 'scope' | 'sessionId'>

/** The actions of plans as one tool. A session about a plan has them by its answers and is bound by its plan here too. */
export function createPlanControl(deps: PlanDeps): PlanControl {
  // tools of their own are no actions here, and a session that is not about a plan is not bound to one
  const types = actionTypes.filter(
    (type): type is StoredActionType =>
      'perform' in type && type.name !== 'bind_plan' && type.name !== 'help',
  )
  /** The action, its plan and its parameters, or what is wrong with them. */
  const read = async (
    store: StoreOperations,
    { action, planId: named, parameters }: PlanCall,
    { scope, sessionId }: Place,
  ) => {
    const type = types.find(({ name }) => name === action)!
    const { planId: own } = await store.requireSession(scope, sessionId)
    if (own !== undefined && named !== undefined && named !== own)
      throw new ParleyError('forbidden', `This session is about the plan ${own} and no other.`)
    const planId = named ?? own
    if (type.needsPlan && planId === undefined)
      throw invalidRequest('Say which plan is meant: give its "plan_id".')
    const unkept = findUnkept(parameters)
    if (unkept !== undefined) throw invalidRequest(`parameters: ${unkept}`)
    const parsed = type.parameters.safeParse(parameters)
    if (!parsed.success)
      throw misfit(parsed.error, parameters, { before: 'parameters:', within: ['parameters'] })
    return { type, planId, given: parsed.data }
  }

  return {
    async check(tx, call, place) {
      const { type, planId, given } = await read(tx, call, place)
      if (!type.needsPlan || planId === undefined) return
      await tx.requirePlan(place.scope, planId)
      await requireNamed(tx, planId, given)
    },

    actions: types.map(({ name, description, effect }) => ({ name, description, effect })),

    async preview({ action, planId: named, parameters }, { scope, sessionId }) {
      const { preview, parameters: schema } = types.find(({ name }) => name === action) ?? {}
      const parsed = schema?.safeParse(parameters)
      const planId = named ?? (await deps.store.requireSession(scope, sessionId)).planId
      // invalid parameters are reported by the call
      if (!preview || !parsed?.success || planId === undefined) return undefined
      return preview({ store: deps.store, deps, scope, planId }, parsed.data)
    },

    async act(call, context) {
      const { type, planId, given } = await read(deps.store, call, context)
      const baseVersion = call.baseVersion ?? (await findSeenVersion(deps.store, context.runId, planId))
      return oncePerCall(deps.store, context, async (tx) => {
        if (planId !== undefined && type.needsPlan) await tx.lockPlan(context.scope, planId)
        const events: Parameters<StoreOperations['recordEvent']>[1][] = []
        const scene = sceneOf(deps, tx, context, planId, (event) => events.push(event))
        const base =
          planId === undefined || baseVersion === undefined ? undefined : { planId, version: baseVersion }
        const outcome = await type.perform({ ...scene, base }, given)
        const plan = planId === undefined ? undefined : await tx.getPlan(context.scope, planId)
        for (const event of events) await tx.recordEvent(context.scope, event)
        const { message, result, runId, conflict } = outcome
        return {
          message,
          ...(conflict && { conflict: conflict.message }),
          ...(plan && { version: plan.version }),
          ...(result !== undefined && { result }),
          ...(runId !== undefined && { run_id: runId }),
        }
      })
    },
  }
}

const readingActions = ['show_tasks', 'request_subgraph']
const maxSteps = 100

/** The version of a plan that the model saw last in this turn; its own changes show it nothing of others. */
async function findSeenVersion(
  store: StoreOperations,
  runId: string,
  planId: string | undefined,
): Promise<number | undefined> {
  for (const { parts } of await store.listNewestSteps(runId, maxSteps)) {
    const look = parts.findLast(
      ({ toolName, state, input }) =>
        toolName === 'plan' &&
        state === 'output-available' &&
        readingActions.includes((input as { action: string }).action) &&
        ((input as { plan_id?: string }).plan_id ?? planId) === planId,
    )
    if (look) return (look.output as { version?: number }).version
  }
  return undefined
}

function sceneOf(
  deps: PlanDeps,
  tx: StoreOperations,
  context: ToolContext,
  planId: string | undefined,
  emit: (event: { type: string; sessionId: string; data: Record<string, unknown> }) => void,
): Scene {
  const { scope, sessionId, runId } = context
  return {
    tx,
    deps,
    caller: callerOf(context),
    agreed: context.agreed?.planRun,
    planId,
    now: deps.clock.now(),
    bind: async () => {},
    emit: (type, data) => emit({ type, sessionId, data }),
    async startRun(request) {
      const parentRun = await tx.getRun(scope, runId)
      const origin = { parentSessionId: sessionId, parentRun, chatSessionId: sessionId }
      return (await startPlanRun(tx, deps, request, origin)).run.id
    },
  }
}
