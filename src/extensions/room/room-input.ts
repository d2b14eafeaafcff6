import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import { defaultHuman, type RoomMessageMetadata } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isRoom, isSeat } from '../../core/protocol/session-kinds.ts'
import type { BusyPolicy } from '../../core/runs/ledger.ts'
import { requireHeard, requirePerson, withoutSpeaker } from '../../core/sessions/people.ts'
import { cut } from '../../core/shared/cut.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { flagsOf } from '../../core/chat/session-flags.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'

/**
 * What an input is to its session. In a room somebody says it, and all agents hear it; a seat is talked to by its room
 * alone. `keyName` is that of the key with which it is said.
 */
export function toSessionInput(
  session: Session,
  input: TurnInput,
  policy: BusyPolicy,
  keyName?: string,
): { kind: 'turn' | 'room'; input: TurnInput; policy: BusyPolicy } {
  if (isSeat(session) && !input.seat)
    throw conflict(
      `The session ${quote(session.id)} is that of an agent in a room; talk to the room instead.`,
      {
        sessionId: session.parentId,
      },
    )
  if (!isRoom(session)) {
    if (input.room) {
      const field = input.room.replyTo === undefined ? 'from' : 'replyTo'
      throw invalidRequest(`"${field}" is for rooms: this session has no agents.`)
    }
    return { kind: 'turn', input: { ...input, ...flagsOf(session) }, policy }
  }
  const from = requirePerson(session, input.room?.from, keyName)
  const { message } = input
  if (!input.room?.advance && !input.isWake) requireHeard(session, from)
  return {
    kind: 'room',
    input: {
      ...input,
      message: { ...message, metadata: { ...withoutSpeaker(message.metadata), from } },
      room: { ...input.room, from },
    },
    // several agents answer: there is no one turn that could take it in on its way
    policy: policy === 'steer' ? 'enqueue' : policy,
  }
}

// enough to know which one is meant
const maxQuote = 500

/** With what it replies to as that is now: agents are told the same whatever becomes of that message. */
export async function withReply(
  tx: StoreOperations,
  { scope, sessionId }: { scope: string; sessionId: string },
  input: TurnInput,
  messageId: string,
): Promise<TurnInput> {
  const replied = await tx.getMessage(scope, sessionId, messageId)
  if (!replied) throw notFound('message', messageId)
  const { agent, from = defaultHuman } = (replied.metadata ?? {}) as RoomMessageMetadata
  const speaker = replied.role === 'user' ? { from } : agent === undefined ? {} : { agent }
  const replyTo: RoomMessageMetadata['replyTo'] = {
    id: messageId,
    ...speaker,
    text: cut(messageText(replied).trim(), maxQuote),
  }
  const { message } = input
  return { ...input, message: { ...message, metadata: { ...message.metadata, replyTo } } }
}
