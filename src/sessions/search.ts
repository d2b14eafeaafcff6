import type { SearchPage, SearchQuery } from '../protocol/search.ts'
import { excerptAround } from '../shared/excerpt.ts'
import { searchedText } from '../store/queries/search.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { requireLimit, type PageLimits } from './list.ts'

const snippetLength = 240
const leadIn = 60

/** Messages of the scope that hold all the words. Sees every message that was stored before it was asked. */
export async function searchScope(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  { q, limit }: SearchQuery,
): Promise<SearchPage> {
  const asked = { text: q, limit: requireLimit(limits, limit) }
  while (await store.indexNextSession(scope));
  const hits = await store.searchScope(scope, asked)
  return {
    items: hits.map(({ sessionId, title, message: { id, seq, parts } }) => ({
      sessionId,
      title,
      messageId: id,
      seq,
      snippet: toSnippet(searchedText(parts), q),
    })),
  }
}

function toSnippet(text: string, q: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const words = q.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const { from, piece } = excerptAround(line, words, { length: snippetLength, leadIn })
  return `${from > 0 ? '…' : ''}${piece}${from + piece.length < line.length ? '…' : ''}`
}
