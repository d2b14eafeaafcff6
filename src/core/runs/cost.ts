import type { Run } from '../store/queries/run-row.ts'
import type { ModelCall } from '../store/queries/usage.ts'
import { costOf, type PriceList, type SpentTokens } from './budget.ts'

/** What one model call of a run used. It is counted in the transaction that stores its step for the first time. */
export const toModelCall = (
  { scope, sessionId, kind }: Run,
  { step, model, usage }: { step: number; model: string; usage: SpentTokens },
  prices: PriceList | undefined,
): ModelCall => ({
  scope,
  sessionId,
  model,
  kind,
  inputTokens: usage.inputTokens,
  outputTokens: usage.outputTokens,
  cacheReadTokens: usage.cacheReadTokens,
  cost: costIn(prices, model, usage),
  beginsRun: step === 1,
  showsWindow: true,
})

/** Undefined when the model has no price: that is not the same as nothing. */
export function costIn(prices: PriceList | undefined, model: string, usage: SpentTokens): number | undefined {
  const price = prices?.priceOf(model)
  return price && costOf(usage, price)
}
