import type { PlanFacts } from './facets.ts'
import type { Session } from '../../core/protocol/session.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { describeCatalogue, findAction } from './actions/catalogue.ts'
import type { PlanDeps } from './plan-service.ts'
import { guidelinesFor } from './guidelines.ts'
import { outlineOf, listPlanLines } from './outline.ts'
import { toSteps } from './plan-step.ts'
import { reportOf, toText } from './summary.ts'
import { replyFormat } from './reply-actions.ts'

const maxPlans = 10
const maxResults = 5
const maxResult = 800
// those that are worth showing are among the last ones
const maxRecent = 25

/** What the prompt of a session contains about its plan. */
export async function readPlanFacts(
  { store, hasTool }: Pick<PlanDeps, 'store' | 'hasTool'>,
  session: Session,
): Promise<PlanFacts> {
  const { scope, planId } = session
  // one that was deleted since counts as none
  const plan = planId === undefined ? undefined : await store.getPlan(scope, planId)
  const isBound = plan !== undefined
  return {
    id: plan?.id,
    version: plan?.version,
    reply: {
      binding: plan
        ? `This conversation is about the plan ${plan.id}. Stay within it: the ids of tasks are those of its outline, which comes with the messages when it has changed.`
        : 'This conversation has no plan yet. Do not speak of tasks as if they were there; ask what is wanted, or create or bind a plan when the user asks for it.',
      schema: JSON.stringify(replyFormat().schema),
      actions: describeCatalogue(isBound, hasTool),
      guidelines: guidelinesFor(isBound),
    },
    outline: plan && (await outlineOf(store, plan)),
    list: isBound
      ? undefined
      : (await listPlanLines(store, scope, maxPlans)).lines.join('\n') || '(no existing plans)',
    results: await recentResults(store, session.id),
  }
}

/** What was done since and not reported in an answer of its own. */
async function recentResults(store: StoreOperations, sessionId: string): Promise<string | undefined> {
  const steps = toSteps(await store.listRecentActions(sessionId, maxRecent))
    .filter(({ details }) => !details.isDelivered && details.action)
    .filter(({ status, details }) => status === 'failed' || findAction(details.action!)?.isReported)
    .slice(0, maxResults)
  if (steps.length === 0) return undefined
  // one report has room, the newest
  const newest = steps.findIndex(({ result }) => reportOf(result) !== undefined)
  return steps
    .map(({ details: { action }, error, message, result }, index) => {
      const { kind, name, parameters } = action!
      const text = error ?? (result === undefined ? (message ?? '') : toText(result))
      const report = index === newest ? reportOf(result) : undefined
      return `${kind}/${name} ${cut(JSON.stringify(parameters), 200)}: ${report ?? cut(text, maxResult)}`
    })
    .join('\n\n')
}
