import { setImmediate as others } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { messageText } from '../../protocol/message-text.ts'
import type { Message, Part } from '../../protocol/message.ts'
import type { Backend, Db } from '../backend.ts'
import type { QueryContext } from '../query-context.ts'
import { toSearchTerms, toWords, type SearchTerm } from '../search-words.ts'
import type { StoreSlice } from '../store-slice.ts'
import { statement } from '../statement.ts'
import type { MessageRow, SessionRow } from '../tables/sessions.ts'
import { toMessage } from './messages.ts'

/** A message that was found, where it is, and what is shown of it. */
export interface SearchHit<Shown> {
  sessionId: string
  title: string
  messageId: string
  seq: number
  shown: Shown
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
   * several variants of a session share is found once. Of long ones there is never more than one in memory: `show` takes
   * what is wanted of each.
   */
  searchScope<Shown>(
    scope: string,
    query: { text: string; limit: number },
    show: (message: Message) => Shown,
  ): Promise<SearchHit<Shown>[]>
}

// keeps one transaction short when a long log was imported
const messagesPerRound = 500
const charactersPerRound = 1_000_000
const messagesPerRead = 50
// a tsvector holds positions up to 16,383; a long text becomes several entries of the index
const wordsPerEntry = 8_000
// splitting takes some 10 ms
const charactersPerPiece = 50_000
const titleSeq = 0

export function searchQueries(context: QueryContext, slices: readonly StoreSlice[]): SearchQueries {
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

    indexNextSession: (scope) =>
      context.transaction(async ({ db, backend }) => {
        const inScope = scope === undefined ? sql`` : sql`and scope = ${scope}`
        const { rows } = await sql<IndexedRow>`
          select id, kind, facets, indexed_seq, last_seq from sessions where indexed_seq < last_seq ${inScope} limit 1 ${backend.forUpdate}
        `.execute(db)
        const session = rows[0]
        if (!session) return false
        if (isHidden(session, slices)) {
          await setIndexed(db, session.id, session.last_seq)
          return true
        }
        let indexed = session.indexed_seq
        for (let size = 0; size < charactersPerRound && indexed < session.indexed_seq + messagesPerRound;) {
          const messages = await db
            .selectFrom('messages')
            .select(['seq', 'parts'])
            .where('session_id', '=', session.id)
            .where('seq', '>', indexed)
            .orderBy('seq')
            .limit(messagesPerRead)
            .execute()
          for (const message of messages) {
            await indexText(backend, db, session.id, message.seq, textOf(message))
            size += message.parts.length
          }
          if (messages.length === 0) break
          indexed = messages.at(-1)!.seq
          await others()
        }
        await setIndexed(db, session.id, indexed)
        return true
      }),
  }
}

type IndexedRow = Pick<SessionRow, 'id' | 'kind' | 'facets' | 'indexed_seq' | 'last_seq'>

/** Its content is in the log of another session, or is private. */
const isHidden = ({ kind, facets }: IndexedRow, slices: readonly StoreSlice[]) =>
  kind === 'tool' &&
  slices.some(({ hiddenSources = [] }) =>
    hiddenSources.some((source) => facets.includes(`"source":${JSON.stringify(source)}`)),
  )

async function setIndexed(db: Db, sessionId: string, indexedSeq: number): Promise<void> {
  await db.updateTable('sessions').set({ indexed_seq: indexedSeq }).where('id', '=', sessionId).execute()
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
  for (const piece of toPieces(text)) {
    const words = toWords(piece)
    for (let start = 0; start < words.length; start += wordsPerEntry)
      await backend.indexWords(db, sessionId, seq, words.slice(start, start + wordsPerEntry))
    if (piece.length < text.length) await others()
  }
}

/** A long text in parts that take moments to split, cut between two words where there are such. */
function* toPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + charactersPerPiece
    const blank = end < text.length ? text.lastIndexOf(' ', end) : -1
    const cut = blank > start + charactersPerPiece / 2 ? blank : end
    yield text.slice(start, cut)
    start = cut
  }
}

/** A damaged message is left out; it must not stop the index for all that came after it. */
function textOf(row: Pick<MessageRow, 'parts'>): string {
  try {
    return searchedText(JSON.parse(row.parts) as Part[])
  } catch {
    return ''
  }
}

/** The searchable text of a message: its texts, and how tool calls begin. */
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
