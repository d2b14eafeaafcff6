import { conflict, invalidRequest, notFound, type Core, type StoreOperations } from 'parley/extension'
import type { CreatePoll, Poll } from './operations.ts'
import type { StoredPoll, Vote } from './store.ts'

export interface PollLimits {
  /** Maximum number of choices of a poll. */
  maxChoices: number
}

export const defaultLimits: PollLimits = { maxChoices: 20 }

export interface PollDeps extends Pick<Core, 'clock' | 'ids'> {
  limits: PollLimits
}

/** Creates the poll with a session to discuss it in and, if it closes by time, a run that closes it. */
export async function createPoll(
  tx: StoreOperations,
  { clock, ids, limits }: PollDeps,
  scope: string,
  { question, choices, closesAt }: Omit<CreatePoll, 'scope'>,
): Promise<Poll> {
  if (new Set(choices).size < choices.length) throw invalidRequest('Two choices of the poll are the same.')
  if (choices.length > limits.maxChoices)
    throw invalidRequest(`The poll has ${choices.length} choices; the most is ${limits.maxChoices}.`)
  const time = closesAt === undefined ? undefined : Date.parse(closesAt)
  if (time !== undefined && time <= clock.now()) throw invalidRequest('The poll would be closed already.')
  await tx.ensureScope(scope)
  const id = ids.next('poll')
  const session = await tx.createSession({
    id: ids.next('ses'),
    scope,
    kind: 'interactive',
    title: question,
    pollId: id,
  })
  const closing = time === undefined ? undefined : await createClosingRun(tx, { ids }, scope, id)
  await tx.createPoll({
    id,
    scope,
    question,
    choices,
    sessionId: session.id,
    closingRunId: closing,
    closesAt: time,
  })
  return readPoll(tx, scope, id)
}

async function createClosingRun(
  tx: StoreOperations,
  { ids }: Pick<PollDeps, 'ids'>,
  scope: string,
  pollId: string,
): Promise<string> {
  // a run needs a session; in the discussion it would keep other runs waiting
  const session = await tx.createSession({
    id: ids.next('ses'),
    scope,
    kind: 'tool',
    title: 'Closing a poll',
    toolMeta: { source: 'polls' },
  })
  const run = await tx.createRun({ scope, sessionId: session.id, kind: 'poll-closing', input: { pollId } })
  return run.id
}

export async function vote(
  tx: StoreOperations,
  scope: string,
  id: string,
  { voter, choice }: Vote,
): Promise<Poll> {
  const { choices, closedAt } = await requirePoll(tx, scope, id)
  if (closedAt !== undefined) throw conflict(`The poll ${id} is closed.`)
  if (!choices.includes(choice))
    throw invalidRequest(`"${choice}" is no choice. Choices: ${choices.join(', ')}`)
  await tx.putVote(id, { voter, choice })
  return readPoll(tx, scope, id)
}

export async function closePoll(tx: StoreOperations, scope: string, id: string): Promise<Poll> {
  if (!(await closeIfOpen(tx, await requirePoll(tx, scope, id))))
    throw conflict(`The poll ${id} is closed already.`)
  return readPoll(tx, scope, id)
}

export async function closeIfOpen(
  tx: StoreOperations,
  { id, scope, closingRunId }: StoredPoll,
): Promise<boolean> {
  if (!(await tx.closePoll(scope, id))) return false
  // the run has nothing left to wait for
  if (closingRunId !== undefined) await tx.wakeRun(closingRunId)
  await tx.recordEvent(scope, { type: 'poll-closed', data: { pollId: id } })
  return true
}

export async function readPoll(tx: StoreOperations, scope: string, id: string): Promise<Poll> {
  return toPoll(await requirePoll(tx, scope, id), await tx.listVotes(id))
}

export async function listPolls(tx: StoreOperations, scope: string, limit: number): Promise<Poll[]> {
  const stored = await tx.listPolls(scope, limit)
  return Promise.all(stored.map(async (poll) => toPoll(poll, await tx.listVotes(poll.id))))
}

export async function requirePoll(tx: StoreOperations, scope: string, id: string): Promise<StoredPoll> {
  const poll = await tx.getPoll(scope, id)
  if (!poll) throw notFound('poll', id)
  return poll
}

function toPoll(poll: StoredPoll, votes: readonly Vote[]): Poll {
  const { id, question, sessionId, closesAt, closedAt, discussed } = poll
  return {
    id,
    question,
    choices: poll.choices.map((text) => ({
      text,
      votes: votes.filter(({ choice }) => choice === text).length,
    })),
    isOpen: closedAt === undefined,
    ...(sessionId !== undefined && { sessionId }),
    ...(closesAt !== undefined && { closesAt: new Date(closesAt).toISOString() }),
    discussed,
  }
}
