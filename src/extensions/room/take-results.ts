import { readSteering } from '../../core/chat/steering.ts'
import { renderTaskResult } from '../../core/chat/render-task-result.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import type { Message } from '../../core/protocol/message.ts'
import { resultsFrom } from '../agents/protocol/reserved-names.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { Store } from '../../core/store/store.ts'

/** Puts results that wait for a room itself into its log, once; undefined when there are none. */
export async function takeResults(
  store: Store,
  { scope, sessionId, input }: Run,
): Promise<Message | undefined> {
  const id = `${(input as TurnInput).message.id}-results`
  const known = await store.getMessage(scope, sessionId, id)
  if (known || (await store.listInbox(sessionId)).length === 0) return known
  return store.transaction(async (tx) => {
    // an owner that was thought dead may be about to write the same
    await tx.lockSession(scope, sessionId)
    const written = await tx.getMessage(scope, sessionId, id)
    if (written) return written
    const { itemIds, parts } = await readSteering(tx, sessionId)
    const isResult = (index: number) => parts[index]!.type === 'data-task-result'
    const results = parts.filter((_, index) => isResult(index))
    if (results.length === 0) return undefined
    const text = results.map(({ data }) => renderTaskResult(data as TaskResult)).join('\n\n')
    const [message] = await tx.appendMessages(scope, sessionId, [
      { id, role: 'user', parts: [{ type: 'text', text }], metadata: { from: resultsFrom } },
    ])
    await tx.takeInbox(
      sessionId,
      itemIds.filter((_, index) => isResult(index)),
    )
    return message
  })
}
