import { z, type Store, type Tool } from 'parley/extension'
import { createPollSchema } from './operations.ts'
import { createPoll, listPolls, vote, type PollDeps } from './verbs.ts'

const input = z.discriminatedUnion('action', [
  createPollSchema.omit({ scope: true }).extend({ action: z.literal('create') }),
  z.strictObject({ action: z.literal('vote'), id: z.string(), choice: z.string() }),
  z.strictObject({ action: z.literal('list') }),
])

/** What models can do with polls. Permissions are checked against `access`. */
export const createPollTool = (store: Store, deps: PollDeps): Tool<z.infer<typeof input>> => ({
  name: 'poll',
  group: 'polls',
  description: 'Creates a poll, votes in one, or lists those there are.',
  input,
  access: (call) => ({
    action: call.action,
    effect: call.action === 'list' ? 'read' : 'write',
    resources: [`poll:${'id' in call ? call.id : '*'}`],
  }),
  execute: (call, { scope, sessionId }) =>
    store.transaction(async (tx) => {
      if (call.action === 'list') return { polls: await listPolls(tx, scope, 20) }
      if (call.action === 'vote') return vote(tx, scope, call.id, { voter: sessionId, choice: call.choice })
      const { action: _, ...poll } = call
      return createPoll(tx, deps, scope, poll)
    }),
})
