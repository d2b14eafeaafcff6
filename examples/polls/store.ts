import type { QueryContext, StoreSlice } from 'parley/extension'
import { pollFacets } from './facets.ts'

export interface StoredPoll {
  id: string
  scope: string
  question: string
  choices: string[]
  /** The session in which it is discussed; undefined once that was deleted. */
  sessionId?: string
  /** The run that closes it by time. */
  closingRunId?: string
  closesAt?: number
  closedAt?: number
  /** Number of turns about it. */
  discussed: number
  createdAt: number
}

export interface Vote {
  voter: string
  choice: string
}

interface PollQueries {
  createPoll(poll: Omit<StoredPoll, 'discussed' | 'createdAt'>): Promise<void>
  getPoll(scope: string, id: string): Promise<StoredPoll | undefined>
  /** Newest first. */
  listPolls(scope: string, limit: number): Promise<StoredPoll[]>
  /** False if it was already closed. */
  closePoll(scope: string, id: string): Promise<boolean>
  countOpenPolls(): Promise<number>
  addDiscussion(scope: string, id: string): Promise<void>
  /** One per voter: a later vote replaces the earlier one. */
  putVote(pollId: string, vote: Vote): Promise<void>
  listVotes(pollId: string): Promise<Vote[]>
}

interface PollRow {
  id: string
  scope: string
  question: string
  choices: string
  session_id: string | null
  closing_run_id: string | null
  closes_at: number | null
  closed_at: number | null
  discussed: number
  created_at: number
}

interface PollTables {
  polls: PollRow
  poll_votes: { poll_id: string; voter: string; choice: string }
}

declare module 'parley/extension' {
  interface ExtensionQueries extends PollQueries {}
  interface ExtensionTables extends PollTables {}
}

/** SQL that both databases understand. A published migration is never changed: add one with the next number. */
export const pollStore: StoreSlice = {
  name: 'polls',
  facets: pollFacets,
  migrations: [
    {
      number: 1,
      name: 'polls',
      statements: [
        `create table polls (
           id text primary key,
           scope text not null references scopes (name),
           question text not null,
           choices text not null,
           session_id text references sessions (id) on delete set null,
           closing_run_id text,
           closes_at bigint,
           closed_at bigint,
           discussed bigint not null default 0,
           created_at bigint not null
         )`,
        `create index polls_newest on polls (scope, created_at, id)`,
        `create table poll_votes (
           poll_id text not null references polls (id) on delete cascade,
           voter text not null,
           choice text not null,
           primary key (poll_id, voter)
         )`,
      ],
    },
  ],
  queries: [pollQueries],
  sessionReferences: { polls: 'session_id' },
  // an imported session is not bound to a poll that does not exist here
  async sessionImported(tx, scope, { pollId }) {
    const isHere = pollId !== undefined && (await pollQueries(tx).getPoll(scope, pollId)) !== undefined
    return isHere ? {} : { pollId: undefined }
  },
}

function pollQueries({ db, clock }: QueryContext): PollQueries {
  return {
    async createPoll({ id, scope, question, choices, sessionId, closingRunId, closesAt, closedAt }) {
      await db
        .insertInto('polls')
        .values({
          id,
          scope,
          question,
          choices: JSON.stringify(choices),
          session_id: sessionId ?? null,
          closing_run_id: closingRunId ?? null,
          closes_at: closesAt ?? null,
          closed_at: closedAt ?? null,
          discussed: 0,
          created_at: clock.now(),
        })
        .execute()
    },

    async getPoll(scope, id) {
      const row = await db
        .selectFrom('polls')
        .selectAll()
        .where('scope', '=', scope)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async listPolls(scope, limit) {
      const rows = await db
        .selectFrom('polls')
        .selectAll()
        .where('scope', '=', scope)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },

    async closePoll(scope, id) {
      const closed = await db
        .updateTable('polls')
        .set({ closed_at: clock.now() })
        .where('scope', '=', scope)
        .where('id', '=', id)
        .where('closed_at', 'is', null)
        .returning('id')
        .execute()
      return closed.length > 0
    },

    async countOpenPolls() {
      const { open } = await db
        .selectFrom('polls')
        .select(({ fn }) => fn.countAll().as('open'))
        .where('closed_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(open)
    },

    async addDiscussion(scope, id) {
      await db
        .updateTable('polls')
        .set(({ eb }) => ({ discussed: eb('discussed', '+', 1) }))
        .where('scope', '=', scope)
        .where('id', '=', id)
        .execute()
    },

    async putVote(pollId, { voter, choice }) {
      await db
        .insertInto('poll_votes')
        .values({ poll_id: pollId, voter, choice })
        .onConflict((conflict) => conflict.columns(['poll_id', 'voter']).doUpdateSet({ choice }))
        .execute()
    },

    listVotes: (pollId) =>
      db
        .selectFrom('poll_votes')
        .select(['voter', 'choice'])
        .where('poll_id', '=', pollId)
        .orderBy('voter')
        .execute(),
  }
}

const fromRow = (row: PollRow): StoredPoll => ({
  id: row.id,
  scope: row.scope,
  question: row.question,
  choices: JSON.parse(row.choices) as string[],
  sessionId: row.session_id ?? undefined,
  closingRunId: row.closing_run_id ?? undefined,
  closesAt: row.closes_at ?? undefined,
  closedAt: row.closed_at ?? undefined,
  discussed: row.discussed,
  createdAt: row.created_at,
})
