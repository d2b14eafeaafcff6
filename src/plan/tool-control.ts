import { callerOf, oncePerCall } from '../documents/tool-call.ts'
import { invalidRequest, ParleyError } from '../protocol/error.ts'
import { describeIssues } from '../protocol/issues.ts'
import type { StoreOperations } from '../store/store.ts'
import type { PlanControl } from '../tools/plan.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { Scene, StoredActionType } from './actions/action.ts'
import { actionTypes } from './actions/catalogue.ts'
import type { PlanDeps } from './deps.ts'
import { findUnkept } from './reply.ts'
import { startPlanRun } from './start-run.ts'

/** The actions of plans as one tool. A session about a plan has them by its answers and is bound by its plan here too. */
export function createPlanControl(deps: PlanDeps): PlanControl {
  // tools of their own are no actions here, and a session that is not about a plan is not bound to one
  const types = actionTypes.filter(
    (type): type is StoredActionType =>
      'perform' in type && type.name !== 'bind_plan' && type.name !== 'help',
  )
  return {
    actions: types.map(({ name, description, effect }) => ({ name, description, effect })),

    async act({ action, planId: named, parameters }, context) {
      const type = types.find(({ name }) => name === action)!
      const { planId: own } = await deps.store.requireSession(context.scope, context.sessionId)
      if (own !== undefined && named !== undefined && named !== own)
        throw new ParleyError('forbidden', `This session is about the plan ${own} and no other.`)
      const planId = named ?? own
      if (type.needsPlan && planId === undefined)
        throw invalidRequest('Say which plan is meant: give its "plan_id".')
      const unkept = findUnkept(parameters)
      if (unkept !== undefined) throw invalidRequest(`parameters: ${unkept}`)
      const read = type.parameters.safeParse(parameters)
      if (!read.success) throw invalidRequest(`parameters: ${describeIssues(read.error, parameters)}`)
      return oncePerCall(deps.store, context, async (tx) => {
        if (planId !== undefined && type.needsPlan) await tx.lockPlan(context.scope, planId)
        const events: Parameters<StoreOperations['recordEvent']>[1][] = []
        const outcome = await type.perform(
          sceneOf(deps, tx, context, planId, (event) => events.push(event)),
          read.data,
        )
        for (const event of events) await tx.recordEvent(context.scope, event)
        const { message, result, runId } = outcome
        return {
          message,
          ...(result !== undefined && { result }),
          ...(runId !== undefined && { run_id: runId }),
        }
      })
    },
  }
}

function sceneOf(
  deps: PlanDeps,
  tx: StoreOperations,
  context: ToolContext,
  planId: string | undefined,
  tell: (event: { type: string; sessionId: string; data: Record<string, unknown> }) => void,
): Scene {
  const { scope, sessionId, runId } = context
  return {
    tx,
    deps,
    caller: callerOf(context),
    planId,
    now: deps.clock.now(),
    bind: async () => {},
    tell: (type, data) => tell({ type, sessionId, data }),
    async startRun(request) {
      const parentRun = await tx.getRun(scope, runId)
      const origin = { parentSessionId: sessionId, parentRun, chatSessionId: sessionId }
      return (await startPlanRun(tx, deps, request, origin)).run.id
    },
  }
}
