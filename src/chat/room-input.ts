import { conflict, invalidRequest, quote } from '../protocol/error.ts'
import { defaultHuman } from '../protocol/room.ts'
import type { Session } from '../protocol/session.ts'
import { isRoom, isSeat } from '../protocol/session-kinds.ts'
import type { BusyPolicy } from '../runs/ledger.ts'
import type { TurnInput } from './turn-input.ts'

/**
 * What an input is to its session. In a room somebody says it, and all agents hear it; a seat is talked to by its room
 * alone.
 */
export function toSessionInput(
  session: Session,
  input: TurnInput,
  policy: BusyPolicy,
): { kind: 'turn' | 'room'; input: TurnInput; policy: BusyPolicy } {
  if (isSeat(session) && !input.seat)
    throw conflict(
      `The session ${quote(session.id)} is that of an agent in a room; talk to the room instead.`,
      {
        sessionId: session.parentId,
      },
    )
  if (!isRoom(session)) {
    if (input.room) throw invalidRequest('"from" is for rooms: this session has no agents.')
    return { kind: 'turn', input, policy }
  }
  const from = requireHuman(session, input.room?.from)
  const { message } = input
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

/** Who speaks is for the room to say: words of a person are never those of an agent, or of the room itself. */
const withoutSpeaker = (metadata: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(metadata).filter(([key]) => key !== 'agent' && key !== 'room' && key !== 'round'),
  )

/** Who says it; the first of those that the room knows, when nobody says. */
export function requireHuman({ room }: Pick<Session, 'room'>, name: string | undefined): string {
  const names = room?.humans?.map((human) => human.name) ?? []
  if (names.length === 0) names.push(defaultHuman)
  if (name === undefined) return names[0]!
  if (!names.includes(name))
    throw invalidRequest(
      `The room knows nobody called ${quote(name)}; people in it are ${names.map((known) => quote(known)).join(', ')}.`,
    )
  return name
}
