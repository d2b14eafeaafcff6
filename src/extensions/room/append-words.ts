import { ParleyError } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { AppendedWords } from '../../core/sessions/append.ts'
import { requireMaySpeak, requirePerson, withoutSpeaker } from './speakers.ts'

/** Players who are out of the game cannot speak; a named key appends messages of its own person only. */
export function appendWords(
  session: Session,
  appended: AppendedWords,
  keyName: string | undefined,
): AppendedWords {
  const { from: claimed } = appended.metadata ?? {}
  const named = typeof claimed === 'string' ? claimed : undefined
  if (keyName === undefined) {
    // words without a name are those of the first
    if (appended.role === 'user') requireMaySpeak(session, named ?? requirePerson(session, undefined))
    return appended
  }
  const from = requirePerson(session, named, keyName)
  requireMaySpeak(session, from)
  if (appended.role !== 'user')
    throw new ParleyError(
      'forbidden',
      `This key is for a person: it adds no words of the role "${appended.role}" to a room.`,
    )
  return { role: appended.role, metadata: { ...withoutSpeaker(appended.metadata), from } }
}
