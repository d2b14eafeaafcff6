import type { TurnInput } from '../../core/chat/turn-input.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { toItemPage, type ItemList, type ItemPage, type LogItem } from './item-page.ts'
import { toAnswerItems, toLogItems, toOutputItem } from './log-items.ts'
import { isCallOfCaller } from './response-items.ts'
import type { FoundResponse } from './response.ts'

// as many as a request may have
const maxMessages = 10_000

/** What the request of a response had sent: messages, or the results of calls. */
export async function listInputItems(
  store: StoreOperations,
  found: FoundResponse,
  page: ItemPage,
): Promise<ItemList> {
  const { stepsBefore, steps } = found
  const items =
    stepsBefore > 0
      ? steps[stepsBefore - 1]!.parts.filter(isCallOfCaller).flatMap(toOutputItem)
      : await readInput(store, found)
  return toItemPage(items, page)
}

async function readInput(store: StoreOperations, { run }: FoundResponse): Promise<LogItem[]> {
  const { scope, sessionId } = run
  const { message, priorParts = [] } = run.input as TurnInput
  const stored = await store.getMessage(scope, sessionId, message.id)
  const before = stored && (await store.getRunBefore(run))
  const reply = before && (await store.getMessage(scope, sessionId, replyId(before)))
  const history = stored
    ? await store.listMessages(scope, sessionId, {
        after: reply?.seq ?? 0,
        before: stored.seq,
        limit: maxMessages,
      })
    : []
  return [
    ...history.flatMap(toLogItems),
    ...toLogItems({ id: message.id, role: 'user', parts: message.parts }),
    ...toAnswerItems(`${message.id}_prior`, priorParts),
  ]
}
