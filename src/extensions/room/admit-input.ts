import { defaultHuman } from '../agents/protocol/reserved-names.ts'
import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import type { RoomInput } from './facets.ts'
import type { RoomMessageMetadata } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isRoom, isSeat } from './protocol/session-kinds.ts'
import type { BusyPolicy } from '../../core/runs/busy-policy.ts'
import { requireMaySpeak, requirePerson, withoutSpeaker } from './speakers.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { AdmittedInput } from '../../core/chat/session-types.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'

/** Refuses what is for rooms in other sessions; a seat is talked to by its room alone. */
export function refuseOutside(session: Session, { seat, room }: TurnInput & { room?: RoomInput }): void {
  if (isSeat(session) && !seat)
    throw conflict(
      `The session ${quote(session.id)} is that of an agent in a room; talk to the room instead.`,
      {
        sessionId: session.parentId,
      },
    )
  if (!room || isRoom(session)) return
  const field = room.replyTo === undefined ? 'from' : 'replyTo'
  throw invalidRequest(`"${field}" is for rooms: this session has no agents.`)
}

/** In a room a person speaks and all agents receive the message. `keyName` is the name of the key that sends it. */
export async function admitToRoom(
  tx: StoreOperations,
  session: Session,
  input: TurnInput,
  { policy, keyName }: { policy: BusyPolicy; keyName?: string },
): Promise<AdmittedInput> {
  const { message, room } = input
  const from = requirePerson(session, room?.from, keyName)
  if (!room?.advance && !input.isWake) requireMaySpeak(session, from)
  const attributed: TurnInput = {
    ...input,
    message: { ...message, metadata: { ...withoutSpeaker(message.metadata), from } },
    room: { ...room, from },
  }
  return {
    kind: 'room',
    input: room?.replyTo === undefined ? attributed : await withReply(tx, session, attributed, room.replyTo),
    // several agents answer, so there is no single turn to steer
    policy: policy === 'steer' ? 'enqueue' : policy,
    isSilent: room?.advance !== undefined,
  }
}

// enough to know which one is meant
const maxQuote = 500

/** Quotes the message that it replies to as it is now, so that agents see the same text if that message changes. */
async function withReply(
  tx: StoreOperations,
  { scope, id: sessionId }: Session,
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
