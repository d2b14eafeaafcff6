import { ParleyError } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { AppendedWords } from '../../core/sessions/append.ts'
import { requireHeard, requirePerson, withoutSpeaker } from './speakers.ts'

/** Those who are out of the game are not heard; a key that has a name adds words of its person and of nobody else. */
export function appendWords(
  session: Session,
  said: AppendedWords,
  keyName: string | undefined,
): AppendedWords {
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
