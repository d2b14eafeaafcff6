import { lastWords } from '../protocol/last-words.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { Session, TaskProgress } from '../protocol/session.ts'
import { cut } from '../shared/text.ts'
import type { StoreOperations } from '../store/store.ts'

const maxWords = 500
// a model that calls tools often writes no text for a while
const stepsRead = 10
const maxAsks = 20

/** How far a background session has come that is not over, and whom it waits for; undefined of every other. */
export async function readProgress(
  store: StoreOperations,
  { id, scope, kind, bgStatus }: Session,
): Promise<TaskProgress | undefined> {
  if (kind !== 'background' || (bgStatus !== 'pending' && bgStatus !== 'running')) return undefined
  const run = (await store.listOpenRuns(id)).find((open) => open.kind === 'background')
  if (!run) return undefined
  const steps = await store.listNewestSteps(run.id, stepsRead)
  const words = lastWords(steps.toReversed().flatMap(({ parts }) => [{ type: 'step-start' }, ...parts]))
  const { inputTokens = 0, outputTokens = 0 } = (await store.getSessionUsage(id)) ?? {}
  const asks = await store.listApprovals(scope, { sessionId: id, status: 'pending', limit: maxAsks })
  const waitsFor = asks.items
    .filter(({ sessionId }) => sessionId === id)
    .map((ask) => ({
      approvalId: ask.id,
      toolName: ask.toolName,
      action: ask.action,
      since: ask.createdAt,
    }))
  return {
    since: toTimestamp(run.startedAt ?? run.createdAt),
    steps: steps[0]?.step ?? 0,
    ...(words !== '' && { lastWords: cut(words, maxWords) }),
    inputTokens,
    outputTokens,
    ...(waitsFor.length > 0 && { waitsFor }),
  }
}
