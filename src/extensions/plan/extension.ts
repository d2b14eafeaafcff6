import { defineExtension } from '../../core/extension.ts'
import { amount, count, flag, optionGroup, positiveCount } from '../../core/protocol/options.ts'
import type { BackgroundLimits } from '../../core/tasks/task-limits.ts'
import { documents } from '../documents/extension.ts'
import { knowledge } from '../knowledge/extension.ts'
import { readScopeSettings } from '../../core/sessions/scope-settings.ts'
import { createPlanAdvance } from './advance-run.ts'
import { chatMessageRoutes } from './chat-message-routes.ts'
import { readPlanPart } from './demo-plan.ts'
import { defaultPlanLimits, type PlanDeps, type PlanLimits, planRunRetention } from './plan-service.ts'
import { planOperations } from './operations.ts'
import { mostParallel, requireParallel } from './parallel.ts'
import { createPlanTool } from './plan-tool.ts'
import { remindNode, planChat, planNode, planRun, planSource } from './session-types.ts'
import { settlePlanTask } from './step-table.ts'
import { createPlanControl } from './tool-control.ts'
import { startActions } from './reply-actions.ts'
import { planStore } from './store/slice.ts'

interface PlanOptions {
  /** Limits of plans; each has a default. */
  plans?: Partial<PlanLimits>
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends PlanOptions {}
}

/** Plans: trees of tasks, their versions and runs. */
export const plan = defineExtension<PlanDeps>({
  name: 'plan',
  store: planStore,
  retention: ({ plans }) => planRunRetention(plans?.runsKeptDays),
  toolNames: ['plan'],
  needs: [documents, knowledge],
  options: {
    plans: optionGroup<PlanLimits>({
      maxParallel: positiveCount,
      nodeRetries: count,
      nodeTimeoutMs: positiveCount,
      runTimeoutMs: positiveCount,
      maxRunTokens: count,
      maxRunCost: amount,
      maxFollowUps: count,
      resultTokens: count,
      runsKeptDays: amount,
      autoDecompose: flag,
    }),
  },
  demo: readPlanPart,
  create(core, { options }) {
    const { store, clock, ids, types, tasks, taskLimits, requireModel, readWorkspaces, toolCaller } = core
    const { readGroups, findDenial } = core.rights
    const service: PlanDeps = {
      store,
      clock,
      ids,
      types,
      requireModel,
      maxWakes: taskLimits.maxWakes,
      background: tasks,
      limits: planLimits(taskLimits, options.plans),
      slots: taskLimits,
      prices: core.knownModels,
      readWorkspaces,
      async findDenial(tx, place, call) {
        const session = await tx.requireSession(place.scope, place.sessionId)
        const settings = await readScopeSettings(tx, session.scope)
        if ((await readGroups(session, settings)).plan === false)
          return 'The session does not have the group "plan".'
        return findDenial(tx, session, call)
      },
      ...toolCaller,
    }
    return {
      service,
      operations: { plans: { operations: planOperations, deps: service } },
      tools: [createPlanTool(createPlanControl(service))],
      prompt: [planSource(service)],
      routes: chatMessageRoutes,
      sessionTypes: [planChat(service), planNode, planRun],
      runKinds: { plan: createPlanAdvance(service) },
      on: {
        nudge: remindNode,
        onEnd: (tx, ended) => startActions(tx, service, ended),
        taskSettled: settlePlanTask,
        async createSession(tx, caller, input, proceed) {
          if (input.planId !== undefined) await tx.requirePlan(caller.scope, input.planId)
          return proceed(tx, caller, input)
        },
        async checkPatch(tx, { scope }, _id, { planId }) {
          if (planId) await tx.requirePlan(scope, planId)
        },
      },
    }
  },
})

/** More parallel nodes than the background allows are rejected where they are requested. */
function planLimits(slots: BackgroundLimits, given: PlanOptions['plans']): PlanLimits {
  requireParallel(slots, given?.maxParallel, 'plans.maxParallel')
  const maxParallel = Math.min(defaultPlanLimits.maxParallel, mostParallel(slots).most)
  return { ...defaultPlanLimits, maxParallel, ...given }
}
