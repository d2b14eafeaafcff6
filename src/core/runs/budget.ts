import type { ModelPrice } from '../protocol/models.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'

/** Prices of a model, per million tokens. */
export type Price = ModelPrice
export type Prices = Readonly<Record<string, Price>>

export interface SpentTokens {
  inputTokens?: number
  outputTokens?: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
}

/** What models cost. */
export interface PriceList {
  /** Reads the list that comes with Parley, once; undefined when that is done. */
  load?(): Promise<void> | undefined
  /** Undefined when a model has no price: that is not the same as nothing. */
  priceOf(model: string): Price | undefined
  /** Whether any model that can be used has one. */
  readonly hasPrices: boolean
}

/** Which budget a run spends from: its own, or that of the nearest run above that has one. */
export const budgetIdOf = (run: Pick<Run, 'budget'>): string | undefined =>
  (run.budget as { id?: string } | undefined)?.id

/** Sets aside what the next model call will use at least; answers why it must not be made. */
export async function holdNext(
  store: StoreOperations,
  run: Run,
  next: { tokens: number; cost: number },
): Promise<string | undefined> {
  const id = budgetIdOf(run)
  return id === undefined ? undefined : store.holdBudget(id, run.id, next)
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
  await tx.spendBudget(id, run.id, { tokens, cost: costOf(usage, price) })
}

export function costOf(usage: SpentTokens, price: Price | undefined): number {
  if (!price) return 0
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const {
    input,
    output,
    cacheRead = input,
    cacheWrite = input,
  } = price.tiers?.findLast(({ above }) => inputTokens > above) ?? price
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const sum =
    fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output
  return sum / 1_000_000
}
