import { toParts, type AppendMessage, type Message } from '../protocol/message.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** Adds to the log without a turn: for what was said elsewhere. */
export async function appendMessage(
  store: StoreOperations,
  { scope }: Caller,
  sessionId: string,
  { id, role, metadata, ...body }: AppendMessage,
): Promise<Message> {
  const [message] = await store.appendMessages(scope, sessionId, [
    { id, role, parts: toParts(body), metadata },
  ])
  return message!
}
