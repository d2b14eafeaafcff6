import { sql, type RawBuilder } from 'kysely'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { messageText } from '../../protocol/message-text.ts'
import type { Message, Part } from '../../protocol/message.ts'
import { roomSeatSource } from '../../protocol/session-kinds.ts'
import type { Backend, Db } from '../backend.ts'
import type { QueryContext } from '../context.ts'
import { toSearchTerms, toWords, type SearchTerm } from '../search-words.ts'
import type { MessageRow, SessionRow } from '../tables/sessions.ts'
import { toMessage } from './messages.ts'

/** A message that was found, and where it is. */
export interface SearchHit {
  sessionId: string
  title: string
  message: Message
}

export interface SearchQueries {
  /**
   * Takes messages that are not in the search index yet into it, one session at a time; false when none was
   * left. The index is behind by design: it costs a turn nothing, and a crash only leaves more to catch up.
   */
  indexNextSession(scope?: string): Promise<boolean>
  /** Messages of one session that hold all the words, newest first; only what is in the index. */
  searchMessages(
    scope: string,
    sessionId: string,
    query: { text: string; before?: number; limit: number },
  ): Promise<Message[]>
  /**
   * Messages of a whole scope that hold all the words, those first that were taken into the index last. A message that
   * several variants of a session share is found once.
   */
  searchScope(scope: string, query: { text: string; limit: number }): Promise<SearchHit[]>
}

// keeps one transaction short when a long log was imported
const messagesPerRound = 500
// a tsvector holds positions up to 16,383; a long text becomes several documents
const wordsPerDocument = 8_000
const titleSeq = 0

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

    async searchScope(scope, { text, limit }) {
      const terms = requireTerms(text)
      const found = new Map<string, SearchHit>()
      for (let beforeId = Number.MAX_SAFE_INTEGER; found.size < limit;) {
        const rows = await findDocuments(context, scope, terms, beforeId, limit)
        for (const row of rows) {
          const key = `${row.family ?? row.session_id} ${row.id}`
          if (!found.has(key) && found.size < limit)
            found.set(key, { sessionId: row.session_id, title: row.title, message: toMessage(row) })
        }
        if (rows.length < limit) break
        beforeId = rows.at(-1)!.document_id
      }
      return [...found.values()]
    },

    indexNextSession: (scope) =>
      context.transaction(async ({ db, backend }) => {
        const inScope = scope === undefined ? sql`` : sql`and scope = ${scope}`
        const { rows } = await sql<IndexedRow>`
          select id, kind, facets, indexed_seq, last_seq from sessions where indexed_seq < last_seq ${inScope} limit 1 ${backend.forUpdate}
        `.execute(db)
        const session = rows[0]
        if (!session) return false
        if (isSeatRow(session)) {
          await setIndexed(db, session.id, session.last_seq)
          return true
        }
        const messages = await db
          .selectFrom('messages')
          .select(['seq', 'parts'])
          .where('session_id', '=', session.id)
          .where('seq', '>', session.indexed_seq)
          .orderBy('seq')
          .limit(messagesPerRound)
          .execute()
        for (const message of messages) await indexText(backend, db, session.id, message.seq, textOf(message))
        await setIndexed(db, session.id, messages.at(-1)?.seq ?? session.indexed_seq)
        return true
      }),
  }
}

type IndexedRow = Pick<SessionRow, 'id' | 'kind' | 'facets' | 'indexed_seq' | 'last_seq'>

/** What an agent of a room is told is in the log of the room, or is for nobody else. */
const isSeatRow = ({ kind, facets }: IndexedRow) =>
  kind === 'tool' && facets.includes(`"source":"${roomSeatSource}"`)

async function setIndexed(db: Db, sessionId: string, indexedSeq: number): Promise<void> {
  await db.updateTable('sessions').set({ indexed_seq: indexedSeq }).where('id', '=', sessionId).execute()
}

type FoundRow = MessageRow & { title: string; family: string | null; document_id: number }

/**
 * A long message is several documents, and each is found. The newest are picked before any message is read; the cross
 * join keeps SQLite from going through all sessions of the scope.
 */
async function findDocuments(
  { db, backend }: QueryContext,
  scope: string,
  terms: SearchTerm[],
  beforeId: number,
  limit: number,
): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select messages.*, found.title, found.family, found.document_id from (
      select search_documents.id as document_id, search_documents.session_id, search_documents.seq,
        sessions.title, sessions.family
      from search_documents cross join sessions
      where sessions.id = search_documents.session_id and sessions.scope = ${scope} and ${backend.holdsTerms(terms)}
        and search_documents.seq > ${sql.lit(titleSeq)} and search_documents.id < ${beforeId}
      order by search_documents.id desc limit ${limit}
    ) as found
    join messages on messages.session_id = found.session_id and messages.seq = found.seq
    order by found.document_id desc
  `.execute(db)
  return rows
}

/** The ids of sessions that have a document with all the terms. */
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

/** The title is short and changes seldom, so it is indexed with the change itself. */
export async function indexTitle(backend: Backend, db: Db, sessionId: string, title: string): Promise<void> {
  await db
    .deleteFrom('search_documents')
    .where('session_id', '=', sessionId)
    .where('seq', '=', titleSeq)
    .execute()
  await indexText(backend, db, sessionId, titleSeq, title)
}

async function indexText(
  backend: Backend,
  db: Db,
  sessionId: string,
  seq: number,
  text: string,
): Promise<void> {
  const words = toWords(text)
  for (let start = 0; start < words.length; start += wordsPerDocument)
    await backend.indexWords(db, sessionId, seq, words.slice(start, start + wordsPerDocument))
}

/** A damaged message is left out; it must not stop the index for all that came after it. */
function textOf(row: Pick<MessageRow, 'parts'>): string {
  try {
    return searchedText(JSON.parse(row.parts) as Part[])
  } catch {
    return ''
  }
}

/** What of a message is found: what was said, and how tool calls begin. */
export const searchedText = (parts: Part[]): string =>
  [messageText({ parts }), ...parts.flatMap((part) => toolText(part) ?? [])].join('\n')

// what a tool answered is found by how it begins; whole files would drown what people said
const maxToolText = 2_000

function toolText(part: Part): string | undefined {
  if (part.toolCallId === undefined) return undefined
  const outcome = part.output ?? part.errorText ?? ''
  const text = typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
  return `${JSON.stringify(part.input ?? {}).slice(0, maxToolText)} ${text.slice(0, maxToolText)}`
}
