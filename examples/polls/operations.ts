import { idSchema, inScopeSchema, operationsOf, z, type Calls } from 'parley/extension'
import { closePoll, createPoll, listPolls, readPoll, vote, type PollDeps } from './verbs.ts'

const text = z.string().trim().min(1).max(500)

export const createPollSchema = inScopeSchema.extend({
  question: text,
  choices: z.array(text).min(2),
  closesAt: z.iso.datetime().optional().meta({ description: 'When it closes by itself' }),
})
export type CreatePoll = z.infer<typeof createPollSchema>

const pollSchema = z
  .object({
    id: idSchema,
    question: z.string(),
    choices: z.array(z.object({ text: z.string(), votes: z.int() })),
    isOpen: z.boolean(),
    sessionId: idSchema.optional().meta({ description: 'Where it is discussed' }),
    closesAt: z.iso.datetime().optional(),
    discussed: z.int().meta({ description: 'How many turns were about it' }),
  })
  .meta({ id: 'Poll' })
export type Poll = z.infer<typeof pollSchema>

const maxListed = 100
const polls = operationsOf<PollDeps>('polls')

/** Each is a route with an OpenAPI entry and a library call: `parley.polls.vote(id, { choice })`. */
export const pollOperations = {
  list: polls.read('/api/polls', {
    summary: 'The newest polls of a scope',
    output: z.object({ items: z.array(pollSchema) }).meta({ id: 'PollList' }),
    returns: 'Polls, newest first',
    run: async ({ tx, caller }) => ({ items: await listPolls(tx, caller.scope, maxListed) }),
  }),
  get: polls.read('/api/polls/{id}', {
    summary: 'A poll and how it stands',
    output: pollSchema,
    returns: 'The poll',
    run: ({ tx, caller }, { id }) => readPoll(tx, caller.scope, id),
  }),
  create: polls.write('POST', '/api/polls', {
    summary: 'Ask a question with choices',
    input: createPollSchema,
    output: pollSchema,
    status: 201,
    returns: 'The poll',
    run: ({ tx, deps, caller }, _, input) =>
      tx.transaction((inner) => createPoll(inner, deps, caller.scope, input)),
  }),
  vote: polls.write('POST', '/api/polls/{id}/vote', {
    summary: 'Vote; a later vote of the same voter counts',
    input: inScopeSchema.extend({
      choice: text,
      voter: text.optional().meta({ description: 'Default: who calls' }),
    }),
    output: pollSchema,
    returns: 'The poll',
    run: ({ tx, caller }, { id }, { choice, voter = caller.actor.id ?? 'somebody' }) =>
      tx.transaction((inner) => vote(inner, caller.scope, id, { voter, choice })),
  }),
  close: polls.write('POST', '/api/polls/{id}/close', {
    summary: 'Take no more votes',
    output: pollSchema,
    returns: 'The poll',
    run: ({ tx, caller }, { id }) => tx.transaction((inner) => closePoll(inner, caller.scope, id)),
  }),
}

export type Polls = Calls<typeof pollOperations>
