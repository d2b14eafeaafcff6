import type { MemoryPlace } from './store/memories.ts'
import type { StoredMemory } from './store/memory-row.ts'
import { significantWords } from '../../core/store/search-words.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { VectorSearch } from './vectors.ts'

// a question begins with what it is about; a pasted file must not become a thousand search words
const maxQuery = 4_000
const maxWords = 100
// the usual constant of the method: small enough that first places count, large enough that one list does not rule
const rankConstant = 60
// more of each list than is requested: the best of both may be further down in either
const listFactor = 4

/** Active memories of a place that fit the text, best first: by words, and by meaning where that is set up. */
export async function searchPlace(
  { store, vectors }: { store: StoreOperations; vectors?: VectorSearch },
  place: MemoryPlace,
  text: string,
  limit: number,
): Promise<StoredMemory[]> {
  const query = text.slice(0, maxQuery)
  const byWords = await rankByWords(store, place, query)
  const byMeaning = (await vectors?.rank(place, query)) ?? []
  const depth = limit * listFactor
  const ids = byMeaning.length === 0 ? byWords : fuse([byWords.slice(0, depth), byMeaning.slice(0, depth)])
  return store.getMemories(ids.slice(0, limit))
}

/** Reciprocal rank fusion: what several lists have near their top goes first. */
export function fuse(lists: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>()
  for (const list of lists)
    for (const [index, id] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankConstant + index + 1))
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id)
}

/** A word that few memories contain counts more than a common one. */
async function rankByWords(store: StoreOperations, place: MemoryPlace, query: string): Promise<string[]> {
  const words = significantWords(query).slice(0, maxWords)
  const matches = await store.matchWords(place, words)
  if (matches.length === 0) return []
  const total = await store.countPlace(place)
  const holders = new Map<string, number>()
  for (const { word } of matches) holders.set(word, (holders.get(word) ?? 0) + 1)
  const found = new Map<string, { score: number; updatedAt: number }>()
  for (const { memoryId, word, updatedAt } of matches) {
    const score = (found.get(memoryId)?.score ?? 0) + Math.log(1 + total / holders.get(word)!)
    found.set(memoryId, { score, updatedAt })
  }
  return [...found]
    .sort(
      ([idOne, one], [idOther, other]) =>
        other.score - one.score || other.updatedAt - one.updatedAt || (idOne < idOther ? 1 : -1),
    )
    .map(([id]) => id)
}
