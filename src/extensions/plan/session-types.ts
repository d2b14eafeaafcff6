import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { SessionType } from '../../core/chat/session-types.ts'
import { env } from '../../core/prompt/fragments/env.ts'
import { rules } from '../../core/prompt/fragments/rules.ts'
import { inputTail, taskRecipeWith } from '../../core/prompt/recipe.ts'
import { isAboutPlan, planRunSource } from './protocol/session-kinds.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { PlanDeps } from './plan-service.ts'
import { readPlanFacts } from './read-prompt-facts.ts'
import {
  identityPlan,
  planBinding,
  planContext,
  planList,
  planOutline,
  planReply,
  planResults,
} from './fragments.ts'
import { readPlanForm } from './reply-actions.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { needsReminder, unsubmitted } from '../../core/tasks/require-result.ts'

/** Sessions that talk about a plan: they answer with words and actions. */
export const planChat = (deps: PlanDeps): SessionType => ({
  name: 'plan_chat',
  appliesTo: isAboutPlan,
  // the plan itself comes with each input, so little of what was said about it has to
  window: { preset: 'last-10' },
  recipe: {
    sessionStatic: [identityPlan, rules, env, planBinding, planReply],
    acceptCallerPreamble: false,
    perTurnDynamic: [planOutline, planList, planResults, ...inputTail],
  },
  replyForm: (session, input, seen) => readPlanForm(deps, session, input, seen),
})

/** The session of a run of a plan. */
export const planRun: SessionType = {
  name: 'plan_run',
  appliesTo: ({ kind, toolMeta }) => kind === 'tool' && toolMeta?.source === planRunSource,
  isOfRun: true,
}

const isNode = ({ kind, bgMeta }: Partial<Session>) => kind === 'background' && bgMeta?.source === 'plan'

/** Background sessions that do a node of a plan. */
export const planNode: SessionType = {
  name: 'background_plan_node',
  appliesTo: isNode,
  recipe: taskRecipeWith(planContext),
  isStep: true,
}

export const planSource = (deps: PlanDeps): PromptSource => ({
  name: 'plan',
  appliesTo: (session) => isAboutPlan(session) || isNode(session),
  load: async (session, input) =>
    isNode(session) ? { planNode: input.plan } : { plan: await readPlanFacts(deps, session) },
  identity: ({ plan }) => plan?.reply.binding,
})

/** Reminds a node that stops without a result to submit one with its status. */
export function remindNode(run: Run, parts: readonly Part[]): string | undefined {
  const { plan, task } = run.input as TurnInput
  if (plan === undefined || task?.outputSchema || !needsReminder(run, parts)) return undefined
  return `${unsubmitted} your result and its status: "success", "partial", "failed", or "refused" when you will not do it.`
}
