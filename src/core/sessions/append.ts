import { toParts, type AppendMessage, type Message } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** Role and metadata of an added message. */
export type AppendedWords = Pick<AppendMessage, 'role' | 'metadata'>

/** Adds a message of another conversation to the log, without a turn. */
export async function appendMessage(
  store: StoreOperations,
  caller: Caller,
  sessionId: string,
  { id, role, metadata, ...body }: AppendMessage,
  check: (session: Session, said: AppendedWords, keyName: string | undefined) => AppendedWords = (_, said) =>
    said,
): Promise<Message> {
  const session = await store.requireSession(caller.scope, sessionId)
  const said = check(session, { role, metadata }, caller.keyName)
  const [message] = await store.appendMessages(caller.scope, sessionId, [
    { id, parts: toParts(body), ...said },
  ])
  return message!
}
