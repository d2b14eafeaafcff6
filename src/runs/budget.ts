import type { BudgetLimits } from '../store/queries/budgets.ts'
import type { Run } from '../store/queries/runs.ts'
import type { StoreOperations } from '../store/store.ts'

/** Prices of a model, per million tokens. */
export interface Price {
  input: number
  output: number
  cacheRead?: number
}
export type Prices = Readonly<Record<string, Price>>

export interface SpentTokens {
  inputTokens?: number
  outputTokens?: number
  cacheReadTokens?: number
}

/** Which budget a run spends from: its own, or that of the nearest run above that has one. */
export const budgetIdOf = (run: Pick<Run, 'budget'>): string | undefined =>
  (run.budget as { id?: string } | undefined)?.id

/** Why the next model call must not be made; undefined when it may. */
export async function overBudget(
  store: StoreOperations,
  run: Run,
  next: { tokens: number; cost: number },
): Promise<string | undefined> {
  const id = budgetIdOf(run)
  const budget = id === undefined ? undefined : await store.getBudget(id)
  if (!budget) return undefined
  const { used, reserved } = budget
  const checks: [keyof BudgetLimits, number][] = [
    ['tokens', used.tokens + reserved.tokens + next.tokens],
    ['cost', used.cost + reserved.cost + next.cost],
  ]
  for (const [kind, sum] of checks)
    if (budget[kind] !== undefined && sum > budget[kind])
      return `The next call would bring the ${kind} to about ${round(sum)} of ${budget[kind]}.`
  return undefined
}

export async function spend(
  tx: StoreOperations,
  run: Run,
  usage: SpentTokens,
  price: Price | undefined,
): Promise<void> {
  const id = budgetIdOf(run)
  if (id === undefined) return
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  await tx.spendBudget(id, { tokens, cost: costOf(usage, price) })
}

export function costOf(usage: SpentTokens, price: Price | undefined): number {
  if (!price) return 0
  const cached = usage.cacheReadTokens ?? 0
  const fresh = Math.max(0, (usage.inputTokens ?? 0) - cached)
  const sum =
    fresh * price.input + cached * (price.cacheRead ?? price.input) + (usage.outputTokens ?? 0) * price.output
  return sum / 1_000_000
}

const round = (value: number) => Math.round(value * 10_000) / 10_000
