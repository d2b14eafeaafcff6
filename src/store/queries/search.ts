import { sql } from 'kysely'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { messageText } from '../../protocol/message-text.ts'
import type { Message, Part } from '../../protocol/message.ts'
import type { Backend, Db } from '../backend.ts'
import type { QueryContext } from '../context.ts'
import { toSearchTerms, toWords } from '../search-words.ts'
import type { MessageRow } from '../tables.ts'
import { toMessage } from './messages.ts'

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
}

// keeps one transaction short when a long log was imported
const messagesPerRound = 500
// a tsvector holds positions up to 16,383; a long text becomes several documents
const wordsPerDocument = 8_000
const titleSeq = 0

export function searchQueries(context: QueryContext): SearchQueries {
  return {
    async searchMessages(scope, sessionId, { text, before = Number.MAX_SAFE_INTEGER, limit }) {
      const terms = toSearchTerms(text)
      if (terms.length === 0)
        throw invalidRequest(`The search ${quote(text)} has no letters or digits to look for.`)
      const rows = await context.db
        .selectFrom('messages')
        .innerJoin('sessions', 'sessions.id', 'messages.session_id')
        .selectAll('messages')
        .where('messages.session_id', '=', sessionId)
        .where('sessions.scope', '=', scope)
        .where('seq', '<', before)
        .where('seq', 'in', context.backend.matchMessages(sessionId, terms))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toMessage)
    },

    indexNextSession: (scope) =>
      context.transaction(async ({ db, backend }) => {
        const inScope = scope === undefined ? sql`` : sql`and scope = ${scope}`
        const { rows } = await sql<{ id: string; indexed_seq: number }>`
          select id, indexed_seq from sessions where indexed_seq < last_seq ${inScope} limit 1 ${backend.forUpdate}
        `.execute(db)
        const session = rows[0]
        if (!session) return false
        const messages = await db
          .selectFrom('messages')
          .select(['seq', 'parts'])
          .where('session_id', '=', session.id)
          .where('seq', '>', session.indexed_seq)
          .orderBy('seq')
          .limit(messagesPerRound)
          .execute()
        for (const message of messages) await indexText(backend, db, session.id, message.seq, textOf(message))
        const indexedSeq = messages.at(-1)?.seq ?? session.indexed_seq
        await db
          .updateTable('sessions')
          .set({ indexed_seq: indexedSeq })
          .where('id', '=', session.id)
          .execute()
        return true
      }),
  }
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
    const parts = JSON.parse(row.parts) as Part[]
    return [messageText({ parts }), ...parts.flatMap((part) => toolText(part) ?? [])].join('\n')
  } catch {
    return ''
  }
}

// what a tool answered is found by how it begins; whole files would drown what people said
const maxToolText = 2_000

function toolText(part: Part): string | undefined {
  if (part.toolCallId === undefined) return undefined
  const outcome = part.output ?? part.errorText ?? ''
  const text = typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
  return `${JSON.stringify(part.input ?? {}).slice(0, maxToolText)} ${text.slice(0, maxToolText)}`
}
