import type { ModelAdapter, Usage } from '../../core/models/adapter.ts'
import { costIn } from '../../core/runs/cost.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { askForObject } from './ask-model.ts'
import type { MemoryDeps } from './memory-service.ts'
import { keepLearned, type Kept, type Learned } from './store-learned.ts'
import { afterExtract } from './memory-hooks.ts'

/** The model that learns from a turn; undefined where none answered, or one that only plays. */
export async function findLearner(deps: MemoryDeps, run: Run): Promise<ModelAdapter | undefined> {
  const steps = await deps.store.listRunSteps(run.id)
  const answered = (steps.at(-1)?.prompt as { model?: string } | undefined)?.model
  if (answered === undefined) return undefined
  const adapter = deps.requireModel(deps.settings.model ?? answered)
  return adapter.id.startsWith('demo/') ? undefined : adapter
}

export const ask = (
  { store, prices }: MemoryDeps,
  adapter: ModelAdapter,
  { scope, sessionId }: Run,
  question: { system: string; content: unknown; signal: AbortSignal },
): Promise<Record<string, unknown>> =>
  askForObject(adapter, {
    ...question,
    sessionId,
    async onAnswer(model, usage: Usage) {
      await prices?.load?.()
      const cost = costIn(prices, model, usage)
      await store.recordUsage({ scope, sessionId, model, kind: 'memory', ...pick(usage), cost })
    },
  })

const pick = ({ inputTokens, outputTokens, cacheReadTokens }: Usage) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
})

/** What may be kept: a hook can say of some that they are never to be stored. */
export const withoutExcluded = async (
  { hooks, logger }: MemoryDeps,
  { scope, sessionId, id: runId }: Run,
  learned: readonly Learned[],
  signal: AbortSignal,
): Promise<readonly Learned[]> =>
  hooks
    ? afterExtract(logger, hooks.of('PostMemoryExtract'), { scope, sessionId, runId }, learned, signal)
    : learned

/** Within a transaction: stores what was learned, and records the event. */
export async function storeLearned(
  tx: StoreOperations,
  run: Run,
  messageId: string,
  learned: readonly Learned[],
  maxPerLayer: number,
): Promise<Kept> {
  const kept = await keepLearned(tx, learned, maxPerLayer)
  await recordLearned(tx, run, messageId, kept)
  return kept
}

/** Last in its transaction: others wait for the row of the scope. */
export async function recordLearned(
  tx: StoreOperations,
  { scope, sessionId, id: runId }: Run,
  messageId: string,
  kept: Kept,
): Promise<void> {
  if (kept.made.length + kept.changed.length + (kept.removed?.length ?? 0) === 0) return
  await tx.recordAudit(scope, {
    actor: { type: 'system', id: 'memory' },
    action: 'learn',
    resourceType: 'memory',
    resourceId: messageId,
    sessionId,
    detail: { ...kept },
  })
  const { made: ids, changed, removed } = kept
  const data = { messageId, runId, ids, changed, ...(removed && { removed }) }
  await tx.recordEvent(scope, { type: 'memories-made', sessionId, data })
}
