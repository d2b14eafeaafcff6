import { setImmediate as others } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { invalidRequest, quote } from '../../protocol/error.ts'
import type { Message } from '../../protocol/message.ts'
import type { Backend } from '../backend.ts'
import type { QueryContext } from '../query-context.ts'
import { toSearchTerms, type SearchTerm } from '../search-words.ts'
import { statement } from '../statement.ts'
import type { MessageRow } from '../tables/sessions.ts'
import { toMessage } from './messages.ts'
import { titleSeq } from './search-index.ts'

/** A message that was found, where it is, and what is shown of it. */
export interface SearchHit<Shown> {
  sessionId: string
  title: string
  messageId: string
  seq: number
  shown: Shown
}

export interface SearchQueries {
  /** Messages of one session that hold all the words, newest first; only what is in the index. */
  searchMessages(
    scope: string,
    sessionId: string,
    query: { text: string; before?: number; limit: number },
  ): Promise<Message[]>
  /**
   * Messages of a whole scope that hold all the words, those first that were taken into the index last. A message that
   * several variants of a session share is found once. Of long ones there is never more than one in memory: `show` takes
   * what is wanted of each.
   */
  searchScope<Shown>(
    scope: string,
    query: { text: string; limit: number },
    show: (message: Message) => Shown,
  ): Promise<SearchHit<Shown>[]>
}

export function searchQueries(context: QueryContext): SearchQueries {
  return {
    async searchMessages(scope, sessionId, { text, before = Number.MAX_SAFE_INTEGER, limit }) {
      const terms = requireTerms(text)
      const rows = await context.db
        .selectFrom('messages')
        .innerJoin('sessions', 'sessions.id', 'messages.session_id')
        .selectAll('messages')
        .where('messages.session_id', '=', sessionId)
        .where('sessions.scope', '=', scope)
        .where('seq', '<', before)
        .where('seq', 'in', placesWith(context.backend, sessionId, terms))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toMessage)
    },

    async searchScope<Shown>(
      scope: string,
      { text, limit }: { text: string; limit: number },
      show: (message: Message) => Shown,
    ) {
      const terms = requireTerms(text)
      const found = new Map<string, SearchHit<Shown>>()
      for (let beforeId = Number.MAX_SAFE_INTEGER; found.size < limit;) {
        const rows = await findEntries(context, scope, terms, beforeId, limit)
        for (const row of rows) {
          const key = `${row.family ?? row.session_id} ${row.id}`
          if (found.has(key) || found.size === limit) continue
          const message = await readFound(context, row)
          if (!message) continue
          const { session_id: sessionId, title, id: messageId, seq } = row
          found.set(key, { sessionId, title, messageId, seq, shown: show(message) })
        }
        if (rows.length < limit) break
        beforeId = rows.at(-1)!.entry_id
      }
      return [...found.values()]
    },
  }
}

/** The parts of a long message are left out. */
type FoundRow = Omit<MessageRow, 'parts'> & {
  parts: string | null
  title: string
  family: string | null
  entry_id: number
}

// bytes; a page of such messages is read in one go
const longMessage = 100_000

/** A long message is read by itself, with a turn for others before it; undefined when it is gone by then. */
async function readFound(context: QueryContext, { parts, ...row }: FoundRow): Promise<Message | undefined> {
  if (parts !== null) return toMessage({ ...row, parts })
  await others()
  const [whole] = await selectWhole(context, [row.session_id, row.seq])
  return whole && toMessage(whole)
}

const selectWhole = statement<MessageRow>(`select * from messages where session_id = ? and seq = ?`)

/**
 * A long message is several entries of the index (rows of `search_documents`), and each is found. The newest are picked before any message is read; the cross
 * join keeps SQLite from scanning all sessions of the scope.
 */
async function findEntries(
  { db, backend }: QueryContext,
  scope: string,
  terms: SearchTerm[],
  beforeId: number,
  limit: number,
): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select messages.session_id, messages.seq, messages.id, messages.role, messages.metadata, messages.context,
      messages.created_at, found.title, found.family, found.entry_id,
      case when octet_length(messages.parts) <= ${sql.lit(longMessage)} then messages.parts end as parts
    from (
      select search_documents.id as entry_id, search_documents.session_id, search_documents.seq,
        sessions.title, sessions.family
      from search_documents cross join sessions
      where sessions.id = search_documents.session_id and sessions.scope = ${scope} and ${backend.holdsTerms(terms)}
        and search_documents.seq > ${sql.lit(titleSeq)} and search_documents.id < ${beforeId}
      order by search_documents.id desc limit ${limit}
    ) as found
    join messages on messages.session_id = found.session_id and messages.seq = found.seq
    order by found.entry_id desc
  `.execute(db)
  return rows
}

/** The ids of sessions that have an entry of the index with all the terms. */
export const sessionsWith = (backend: Backend, terms: SearchTerm[]): RawBuilder<string> =>
  sql<string>`(select session_id from search_documents where ${backend.holdsTerms(terms)})`

const placesWith = (backend: Backend, sessionId: string, terms: SearchTerm[]) =>
  sql<number>`(select seq from search_documents
    where session_id = ${sessionId} and ${backend.holdsTerms(terms)})`

export function requireTerms(text: string): SearchTerm[] {
  const terms = toSearchTerms(text)
  if (terms.length === 0)
    throw invalidRequest(`The search ${quote(text)} has no letters or digits to look for.`)
  return terms
}
