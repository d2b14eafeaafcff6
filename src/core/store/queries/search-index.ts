/*
 * The search index follows the log: `indexed_seq` of a session is the last message of it that is in the index, and moves in
 * the transaction that writes the index. A crash only leaves more to be taken in.
 */
import { setImmediate as others } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { messageText } from '../../protocol/message-text.ts'
import type { Part } from '../../protocol/message.ts'
import type { Backend, Db, IndexEntry } from '../backend.ts'
import type { QueryContext } from '../query-context.ts'
import { toWords } from '../search-words.ts'
import { statement } from '../statement.ts'
import type { StoreSlice } from '../store-slice.ts'
import type { MessageRow, SessionRow } from '../tables/sessions.ts'
import { countWithin } from './messages.ts'

/** What a search would not find yet. */
export interface Unindexed {
  messages: number
  /** Those that changed last, first; not always all of them. */
  sessions: { id: string; messages: number }[]
}

export interface IndexStep {
  /**
   * Of the sessions that it came to, how many messages are still to be taken in; undefined where there were none, or
   * somebody else has the session locked.
   */
  left: ReadonlyMap<string, number | undefined>
  bytes: number
}

export interface SearchIndexQueries {
  /** Messages of a scope, or of one session of it, that are not in the index; whoever keeps it up learns of them. */
  countUnindexed(scope: string, options?: { sessionId?: string }): Promise<Unindexed>
  /** Sessions of all scopes with messages that are not in the index, those that changed last first. */
  listUnindexed(limit: number): Promise<string[]>
  /** Takes the next few messages of sessions into the index, in their order: a transaction of milliseconds. */
  indexMessages(sessionIds: readonly string[]): Promise<IndexStep>
  /** The same for one session; waits for whoever has it locked. */
  indexWaiting(sessionId: string): Promise<IndexStep>
}

// a few milliseconds, with short messages and with long ones
const messagesPerStep = 50
const bytesPerStep = 32_768
const sessionsPerCount = 500
// a tsvector holds positions up to 16,383; a long text becomes several entries of the index
const wordsPerEntry = 8_000
// splitting takes some 10 ms
const charactersPerPiece = 50_000
export const titleSeq = 0

export function searchIndexQueries(context: QueryContext, slices: readonly StoreSlice[]): SearchIndexQueries {
  const hiddenSources = slices.flatMap((slice) => slice.hiddenSources ?? [])
  return {
    async countUnindexed(scope, { sessionId } = {}) {
      const wanted = sessionId === undefined ? sql`` : sql`and id = ${sessionId}`
      const { rows } = await sql<{ id: string; messages: number; total: number }>`
        select id, messages, total from (
          select id, updated_at, last_seq - indexed_seq as messages,
            cast(sum(last_seq - indexed_seq) over () as bigint) as total
          from sessions where indexed_seq < last_seq and scope = ${scope} ${wanted} ${areShown(hiddenSources)}
        ) as unindexed
        order by updated_at desc, id desc limit ${sql.lit(sessionsPerCount)}
      `.execute(context.db)
      if (rows.length > 0) context.changed({ type: 'messages-unindexed', scope })
      return {
        messages: rows[0]?.total ?? 0,
        sessions: rows.map(({ id, messages }) => ({ id, messages })),
      }
    },

    listUnindexed: async (limit) => (await selectUnindexed(context, [limit])).map(({ id }) => id),

    // where several are locked in one transaction none is waited for: others lock them in another order
    indexMessages: (sessionIds) =>
      context.transaction((tx) => indexStep(tx, sessionIds, tx.backend.skipLocked, hiddenSources)),

    indexWaiting: (sessionId) =>
      context.transaction((tx) => indexStep(tx, [sessionId], tx.backend.forUpdate, hiddenSources)),
  }
}

async function indexStep(
  tx: QueryContext,
  sessionIds: readonly string[],
  lock: RawBuilder<unknown>,
  hiddenSources: readonly string[],
): Promise<IndexStep> {
  const left = new Map<string, number | undefined>()
  let space = messagesPerStep
  let bytes = 0
  for (const id of sessionIds) {
    if (space <= 0 || bytes >= bytesPerStep) break
    const { rows } = await sql<IndexedRow>`
      select kind, facets, indexed_seq, last_seq from sessions where id = ${id} and indexed_seq < last_seq ${lock}
    `.execute(tx.db)
    const [session] = rows
    if (!session) {
      left.set(id, undefined)
      continue
    }
    const { indexed_seq: from, last_seq: end } = session
    const next = isHidden(session, hiddenSources) ? [] : await selectSizes(tx, [id, from, space])
    const sizes = next.slice(0, countWithin(next, bytesPerStep - bytes))
    const messages = sizes.length === 0 ? [] : await selectParts(tx, [id, from, sizes.length])
    await indexTexts(tx.backend, tx.db, id, messages.map(toSearched))
    const indexed = messages.at(-1)?.seq ?? end
    await setIndexed(tx, [indexed, id])
    left.set(id, end - indexed)
    space -= Math.max(1, messages.length)
    for (const size of sizes) bytes += size.bytes
  }
  if (space < messagesPerStep) await tx.backend.mergeWords(tx.db)
  return { left, bytes }
}

type IndexedRow = Pick<SessionRow, 'kind' | 'facets' | 'indexed_seq' | 'last_seq'>

const selectUnindexed = statement<{ id: string }>(`
  select id from sessions where indexed_seq < last_seq order by updated_at desc, id desc limit ?
`)
const selectSizes = statement<{ bytes: number }>(`
  select octet_length(parts) as bytes from messages where session_id = ? and seq > ? order by seq limit ?
`)
const selectParts = statement<Pick<MessageRow, 'seq' | 'parts'>>(`
  select seq, parts from messages where session_id = ? and seq > ? order by seq limit ?
`)
const setIndexed = statement(`update sessions set indexed_seq = ? where id = ?`)

/** Of such a session the content is in the log of another one, or is private. */
const isHidden = ({ kind, facets }: IndexedRow, hiddenSources: readonly string[]) =>
  kind === 'tool' && hiddenSources.some((source) => facets.includes(sourceIn(source)))

const areShown = (hiddenSources: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    hiddenSources.map((source) => sql`and (kind <> 'tool' or facets not like ${`%${sourceIn(source)}%`})`),
    sql` `,
  )

const sourceIn = (source: string) => `"source":${JSON.stringify(source)}`

/** The title is short and changes seldom, so it is indexed with the change itself. */
export async function indexTitle(backend: Backend, db: Db, sessionId: string, title: string): Promise<void> {
  await db
    .deleteFrom('search_documents')
    .where('session_id', '=', sessionId)
    .where('seq', '=', titleSeq)
    .execute()
  await indexTexts(backend, db, sessionId, [{ seq: titleSeq, text: title }])
}

async function indexTexts(
  backend: Backend,
  db: Db,
  sessionId: string,
  texts: readonly { seq: number; text: string }[],
): Promise<void> {
  let entries: IndexEntry[] = []
  const write = async () => {
    if (entries.length > 0) await backend.indexWords(db, sessionId, entries)
    entries = []
  }
  for (const { seq, text } of texts)
    for (const piece of toPieces(text)) {
      const words = toWords(piece)
      for (let start = 0; start < words.length; start += wordsPerEntry)
        entries.push({ seq, words: words.slice(start, start + wordsPerEntry) })
      if (piece.length === text.length) continue
      await write()
      await others()
    }
  await write()
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
function toSearched({ seq, parts }: Pick<MessageRow, 'seq' | 'parts'>): { seq: number; text: string } {
  try {
    return { seq, text: searchedText(JSON.parse(parts) as Part[]) }
  } catch {
    return { seq, text: '' }
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
