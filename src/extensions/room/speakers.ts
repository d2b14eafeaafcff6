import { defaultHuman } from '../agents/protocol/reserved-names.ts'
import { conflict, invalidRequest, ParleyError, quote } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import { foldName } from '../../core/shared/fold-name.ts'

type InRoom = Pick<Session, 'room'>

/**
 * Who somebody is in a room: the person they name, else the first. A key that has a name is the person of that name and nobody
 * else; where a room names no people, whoever comes is the operator.
 */
export function requirePerson({ room }: InRoom, given: string | undefined, keyName?: string): string {
  const names = peopleOf({ room })
  if (keyName !== undefined && room?.humans?.length) return requireOwn(names, given, keyName)
  if (given === undefined) return names[0]!
  if (!names.includes(given))
    throw invalidRequest(`The room knows nobody called ${quote(given)}; people in it are ${listed(names)}.`)
  return given
}

/** The person whose key it is; undefined when the room does not know them. */
export const findPerson = (session: InRoom, keyName: string): string | undefined =>
  peopleOf(session).find((name) => foldName(name) === foldName(keyName))

/** Whether the mode of a room silences this person now, by the `silent` field of its public state. */
export function isSilent({ modeState }: Pick<Session, 'modeState'>, person: string): boolean {
  const { silent } = (modeState ?? {}) as { silent?: unknown }
  return Array.isArray(silent) && silent.includes(person)
}

export function requireMaySpeak(session: Pick<Session, 'modeState'>, person: string): void {
  if (isSilent(session, person))
    throw conflict(`${quote(person)} is out of the game and cannot speak until it has ended.`)
}

const peopleOf = ({ room }: InRoom): string[] =>
  room?.humans?.length ? room.humans.map(({ name }) => name) : [defaultHuman]

function requireOwn(names: string[], given: string | undefined, keyName: string): string {
  const own = names.find((name) => foldName(name) === foldName(keyName))
  if (own === undefined)
    throw new ParleyError(
      'forbidden',
      `This key is for ${quote(keyName)}, who is not in the room; people in it are ${listed(names)}.`,
    )
  if (given !== undefined && given !== own)
    throw new ParleyError(
      'forbidden',
      `This key is for ${quote(own)}: it does not speak, act or see as ${quote(given)}.`,
    )
  return own
}

const listed = (names: readonly string[]) => names.map((name) => quote(name)).join(', ')

/** Metadata without the fields about the speaker, which the room sets itself. */
export const withoutSpeaker = (metadata: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(metadata).filter(([key]) => !['agent', 'room', 'round', 'from', 'replyTo'].includes(key)),
  )
