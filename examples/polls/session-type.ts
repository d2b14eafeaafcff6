import { interactiveRecipe, type ExtensionHooks, type Session, type SessionType } from 'parley/extension'
import { requirePoll } from './verbs.ts'

/** The session in which a poll is discussed; what it leaves out is as in any other session. */
export const pollSession: SessionType = {
  name: 'poll',
  appliesTo: (session) => pollIdOf(session) !== undefined,
  recipe: interactiveRecipe,
  flags: { skipSlashCommands: true },
}

export function pollIdOf({ mode, modeState }: Partial<Session>): string | undefined {
  return mode === 'poll' && typeof modeState?.pollId === 'string' ? modeState.pollId : undefined
}

/** In the transaction that ends a turn. */
export const recordDiscussion: ExtensionHooks['onEnd'] = async (tx, { session, status }) => {
  const id = pollIdOf(session)
  if (id !== undefined && status === 'completed') await tx.addDiscussion(session.scope, id)
}

/** Somebody opens another session about a poll: there has to be one. */
export const createPollSession: ExtensionHooks['createSession'] = async (tx, caller, input, proceed) => {
  if (input.mode === 'poll') await requirePoll(tx, caller.scope, pollIdOf(input) ?? 'none')
  return proceed(tx, caller, input)
}
