import type { SearchPage, SearchQuery } from '../protocol/search.ts'
import { excerptAround } from '../shared/text.ts'
import { catchUpIndex } from '../store/catch-up-index.ts'
import { searchedText } from '../store/queries/search-index.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import { requireLimit, type PageLimits } from './list.ts'

const snippetLength = 240
const leadIn = 60
// what is put on one line; the whole text may be long
const roughLength = 20_000

/** Messages of the scope that hold all the words; with how many of them it did not see. */
export async function searchScope(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  { q, limit }: SearchQuery,
): Promise<SearchPage> {
  const asked = { text: q, limit: requireLimit(limits, limit) }
  const unsearched = await catchUpIndex(store, scope)
  const hits = await store.searchScope(scope, asked, ({ parts }) => toSnippet(searchedText(parts), q))
  return { items: hits.map(({ shown, ...hit }) => ({ ...hit, snippet: shown })), ...unsearched }
}

function toSnippet(text: string, q: string): string {
  const words = q.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const around = excerptAround(text, words, { length: roughLength, leadIn: roughLength / 4 })
  const line = `${around.from > 0 ? '… ' : ''}${around.piece}`.replace(/\s+/g, ' ').trim()
  const { from, piece } = excerptAround(line, words, { length: snippetLength, leadIn })
  return `${from > 0 ? '…' : ''}${piece}${from + piece.length < line.length ? '…' : ''}`
}
