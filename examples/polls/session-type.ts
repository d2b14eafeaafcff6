import { interactiveRecipe, invalidRequest, type ExtensionHooks, type SessionType } from 'parley/extension'
import { requirePoll, vote } from './verbs.ts'

const flags = { skipSlashCommands: true }

/** A session in which a poll is discussed; whatever is not defined here works as in any other session. */
export const pollSession: SessionType = {
  name: 'poll',
  appliesTo: ({ pollId }) => pollId !== undefined,
  recipe: interactiveRecipe,
  flags,
  /** In the transaction that admits the input: a vote for an unknown choice is rejected. */
  async admit(tx, { scope, pollId }, input, { policy, keyName: voter = 'somebody' }) {
    if (input.vote !== undefined) await vote(tx, scope, pollId!, { voter, choice: input.vote })
    return { input: { ...input, ...flags }, policy }
  },
}

export const pollHooks: ExtensionHooks = {
  checkInput(session, input) {
    if (input.vote !== undefined && session.pollId === undefined)
      throw invalidRequest('vote: the session is about no poll.')
  },

  /** In the transaction that ends a turn. */
  async onEnd(tx, { session, status }) {
    if (session.pollId !== undefined && status === 'completed')
      await tx.addDiscussion(session.scope, session.pollId)
  },

  /** Called when a session about a poll is created, or a session is bound to one: the poll must exist. */
  async createSession(tx, caller, input, proceed) {
    if (input.pollId !== undefined) await requirePoll(tx, caller.scope, input.pollId)
    return proceed(tx, caller, input)
  },
  async checkPatch(tx, { scope }, _id, { pollId }) {
    if (pollId) await requirePoll(tx, scope, pollId)
  },
}
