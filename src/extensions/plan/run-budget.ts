import { invalidRequest } from '../../core/protocol/error.ts'
import type { RunPreview } from './protocol/run-preview.ts'
import { budgetIdOf } from '../../core/runs/budget.ts'
import type { Amount } from '../../core/store/queries/budgets.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './plan-service.ts'

/** The limits that the caller sets for a run. */
export interface WantedLimits {
  maxTokens?: number
  maxCost?: number
}

/** What a run may use: the requested limits, capped by the settings. */
export function limitsFor(
  { limits, prices }: Pick<PlanDeps, 'limits' | 'prices'>,
  { maxTokens, maxCost }: WantedLimits,
): RunPreview['limit'] {
  const tokens = lower(maxTokens, limits.maxRunTokens)
  const cost = lower(maxCost, limits.maxRunCost)
  if (cost !== undefined && !prices?.hasPrices)
    throw invalidRequest('A limit of cost needs prices of models (setting "prices").')
  return { ...(tokens !== undefined && { tokens }), ...(cost !== undefined && { cost }) }
}

/** The limits of another try of an action: one yes is for one limit, and what was used of it is used. */
export function lessSpent<Wish extends WantedLimits>(
  deps: Pick<PlanDeps, 'limits' | 'prices'>,
  wish: Wish,
  spent: Amount | undefined,
): Wish {
  if (!spent) return wish
  const { tokens, cost } = limitsFor(deps, wish)
  return {
    ...wish,
    ...(tokens !== undefined && { maxTokens: Math.max(0, tokens - spent.tokens) }),
    ...(cost !== undefined && { maxCost: Math.max(0, cost - spent.cost) }),
  }
}

/** What an action has used of its limit with this run of it; undefined where that has none. */
export async function addSpent(
  store: StoreOperations,
  before: Amount | undefined,
  runId: string,
): Promise<Amount | undefined> {
  const { used } = (await store.getBudget(runId)) ?? {}
  if (!used) return before
  return { tokens: (before?.tokens ?? 0) + used.tokens, cost: (before?.cost ?? 0) + used.cost }
}

const lower = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

/** Whether a task of a run ended because the budget that it spends from is used up. */
export async function isOutOfBudget(
  store: StoreOperations,
  run: Run,
  taskRunId: string | undefined,
): Promise<boolean> {
  const id = budgetIdOf(run)
  if (id === undefined || taskRunId === undefined) return false
  const task = await store.getRun(run.scope, taskRunId)
  return (task?.outcome as { budgetId?: string } | undefined)?.budgetId === id
}

export const budgetWords = 'The budget of the run is used up.'

/** The end of a run that had to stop there; what it has not done waits. To try it again would spend the same once more. */
export function stoppedByBudget<End extends { summary: string }>(end: End) {
  const summary = `${end.summary}; stopped: ${budgetWords}`
  const [status, reason] = ['failed', 'budget'] as const
  return { ...end, status, reason, summary, error: summary, isFinal: true }
}
