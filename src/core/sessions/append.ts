import { ParleyError } from '../protocol/error.ts'
import { toParts, type AppendMessage, type Message } from '../protocol/message.ts'
import { isRoom } from '../protocol/session-kinds.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { requireHeard, requirePerson, withoutSpeaker } from './people.ts'

/** Adds to the log without a turn: for what was said elsewhere. */
export async function appendMessage(
  store: StoreOperations,
  caller: Caller,
  sessionId: string,
  { id, role, metadata, ...body }: AppendMessage,
): Promise<Message> {
  const said = await ownWords(store, caller, sessionId, { role, metadata })
  const [message] = await store.appendMessages(caller.scope, sessionId, [
    { id, parts: toParts(body), ...said },
  ])
  return message!
}

/** In a room, those who are out of the game are not heard; a key that has a name adds words of its person and of nobody else. */
async function ownWords(
  store: StoreOperations,
  { scope, keyName }: Caller,
  sessionId: string,
  said: Pick<AppendMessage, 'role' | 'metadata'>,
): Promise<Pick<AppendMessage, 'role' | 'metadata'>> {
  const session = await store.requireSession(scope, sessionId)
  if (!isRoom(session)) return said
  const { from: given } = said.metadata ?? {}
  const named = typeof given === 'string' ? given : undefined
  if (keyName === undefined) {
    // words without a name are those of the first
    if (said.role === 'user') requireHeard(session, named ?? requirePerson(session, undefined))
    return said
  }
  const from = requirePerson(session, named, keyName)
  requireHeard(session, from)
  if (said.role !== 'user')
    throw new ParleyError(
      'forbidden',
      `This key is for a person: it adds no words of the role "${said.role}" to a room.`,
    )
  return { role: said.role, metadata: { ...withoutSpeaker(said.metadata), from } }
}
