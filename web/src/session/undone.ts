import type { Message } from '../../../src/client/index.ts'
import type { CheckpointList } from '../../../src/core/protocol/rollback.ts'

/** What going back to before a message takes away. */
export interface Undone {
  checkpointId: string
  message: Message
  messageCount: number
  /** Of all the turns that go; the same file may be among them more than once. */
  changes: number
}

/** Undefined where there is no checkpoint. */
export function toUndone(
  message: Message,
  checkpoints: CheckpointList['items'],
  messages: readonly Message[],
): Undone | undefined {
  const place = message.seq - 1
  const checkpoint = checkpoints.findLast(({ messageSeq }) => messageSeq === place)
  if (!checkpoint) return undefined
  const gone = checkpoints.filter(({ messageSeq }) => messageSeq >= place)
  return {
    checkpointId: checkpoint.id,
    message,
    messageCount: messages.filter(({ seq }) => seq > place).length,
    changes: gone.reduce((sum, { changes }) => sum + changes, 0),
  }
}
