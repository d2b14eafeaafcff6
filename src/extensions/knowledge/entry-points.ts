import type { EntryReason, GraphQuestion } from './protocol/knowledge.ts'
import { toKey } from './store/knowledge-key.ts'
import type { RelationEdge, RelationWord } from './store/knowledge-search.ts'
import type { EntityRecord } from './store/knowledge-row.ts'
import { contentWords, significantWords, toWords } from '../../core/store/search-words.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'

/** A thing that a question leads to. */
export interface EntryPoint {
  id: string
  /** How strongly; what the words of the question lead to best is 1. */
  score: number
  by: Set<EntryReason>
}

/** A relation that matches the question, whatever things it joins. */
export interface RelationHit {
  edge: RelationEdge
  /** How much of the question it covers, up to 1. */
  share: number
}

export interface Entry {
  points: EntryPoint[]
  hits: RelationHit[]
  /** The words that were searched. */
  words: ReadonlySet<string>
}

export const maxEntryPoints = 24
const maxHits = 24
// a question begins with what it is about
const maxWords = 32
// the shortest names with a word; a word that is in more of them is of little use anyway
const perWord = 64
const maxNamesPerFocus = 5
const maxByMeaning = 8
// of a name that stands in the question, against one that shares words with it
const wholeName = 2
// of an entity that was requested by name, against the best match by words
const focusScore = 1.5
const partScore = 1
// relations lead to two things, and say less of each
const relationShare = 0.5

type Deps = Pick<KnowledgeDeps, 'store' | 'vectors'>

/** Where to begin: things and relations that share words with the question, what it focuses on, and what it means. */
export async function findEntryPoints(
  { store, vectors }: Deps,
  scope: string,
  { query, focus_entities: focus = [] }: Pick<GraphQuestion, 'query' | 'focus_entities'>,
): Promise<Entry> {
  const words = significantWords(query).slice(0, maxWords)
  const points = new Map<string, EntryPoint>()
  const add = (id: string, score: number, by: EntryReason) => {
    const point = points.get(id) ?? { id, score: 0, by: new Set() }
    points.set(id, { id, score: point.score + score, by: point.by.add(by) })
  }

  const byName = await scoreNames(store, scope, query, words)
  const hits = toHits(await store.matchRelationWords(scope, words, perWord), words)
  const best = Math.max(...byName.values(), ...hits.map(({ score }) => score * relationShare))
  for (const [id, score] of byName) add(id, score / best, 'name')
  for (const { edge, score } of hits)
    for (const id of new Set([edge.subjectId, edge.objectId]))
      add(id, (score * relationShare) / best, 'relation')
  for (const name of focus)
    for (const { id, score } of await findFocus(store, scope, name)) add(id, score, 'focus')
  for (const { id, closeness } of ((await vectors?.rank(scope, query)) ?? []).slice(0, maxByMeaning))
    add(id, closeness, 'meaning')

  return {
    points: [...points.values()].sort(byScore).slice(0, maxEntryPoints),
    hits: hits.map(({ edge, share }) => ({ edge, share })),
    words: new Set(words),
  }
}

const byScore = (one: { id: string; score: number }, other: { id: string; score: number }) =>
  other.score - one.score || (one.id < other.id ? -1 : 1)

/** A rare word counts more, and so does a name of which more words are in the question. */
async function scoreNames(
  store: Deps['store'],
  scope: string,
  query: string,
  words: readonly string[],
): Promise<Map<string, number>> {
  const matches = await store.matchEntityWords(scope, words, perWord)
  const rarity = rarityOf(matches)
  const found = new Map<string, { sum: number; count: number; size: number }>()
  for (const { id, word, size } of matches) {
    const { sum, count } = found.get(id) ?? { sum: 0, count: 0 }
    found.set(id, { sum: sum + rarity(word), count: count + 1, size })
  }
  const scores = new Map([...found].map(([id, { sum, count, size }]) => [id, sum * (0.5 + count / size / 2)]))
  for (const { id, key } of await store.findEntities(scope, namesIn(query))) {
    const sum = [...new Set(toWords(key))].reduce((total, word) => total + rarity(word), 0)
    scores.set(id, wholeName * Math.max(sum, scores.get(id) ?? 0))
  }
  const kept = [...scores].map(([id, score]) => ({ id, score })).sort(byScore)
  return new Map(kept.slice(0, maxEntryPoints).map(({ id, score }) => [id, score]))
}

/** From log 2 of a word that very many have to some 4 of one that only one has. */
function rarityOf(matches: readonly { word: string }[]): (word: string) => number {
  const holders = new Map<string, number>()
  for (const { word } of matches) holders.set(word, (holders.get(word) ?? 0) + 1)
  return (word) => Math.log(1 + perWord / (holders.get(word) ?? perWord))
}

const maxNameTokens = 6
const maxTokens = 48
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** What may be a whole name: stretches of up to six words that say something, with and without marks around them. */
function namesIn(query: string): string[] {
  const content = contentWords(query)
  const tokens = toKey(query).split(' ').slice(0, maxTokens)
  const names = new Set<string>()
  for (let start = 0; start < tokens.length; start++)
    for (let length = 1; length <= maxNameTokens && start + length <= tokens.length; length++) {
      const name = tokens.slice(start, start + length).join(' ')
      if (!toWords(name).some((word) => content.has(word))) continue
      names.add(name)
      names.add(name.replace(edges, ''))
    }
  return [...names]
}

function toHits(
  matches: readonly RelationWord[],
  words: readonly string[],
): (RelationHit & { id: string; score: number })[] {
  const rarity = rarityOf(matches)
  const found = new Map<string, RelationHit & { id: string; score: number }>()
  for (const { word, ...edge } of matches) {
    const { score, share } = found.get(edge.id) ?? { score: 0, share: 0 }
    found.set(edge.id, { id: edge.id, edge, score: score + rarity(word), share: share + 1 / words.length })
  }
  return [...found.values()].sort(byScore).slice(0, maxHits)
}

/** By the whole name; else names that have all its words; else, by scanning all names, a part of one. */
async function findFocus(
  store: Deps['store'],
  scope: string,
  name: string,
): Promise<{ id: string; score: number }[]> {
  const scored = (found: EntityRecord[], score: number) => found.map(({ id }) => ({ id, score }))
  const exact = await store.findEntities(scope, [toKey(name)])
  if (exact.length > 0) return scored(exact, focusScore)
  const words = longestFirst(significantWords(name))
  const holding = await store.findEntitiesWith(scope, words, maxNamesPerFocus)
  if (holding.length > 0) return scored(holding, partScore)
  const { items } = await store.listEntities(scope, { part: name, limit: maxNamesPerFocus })
  return scored(items, partScore)
}

/** Long words are in fewer names. */
const longestFirst = (words: string[]) => words.sort((one, other) => other.length - one.length)
