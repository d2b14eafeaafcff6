import { toKey } from './store/knowledge-key.ts'
import type { RelationEdge } from './store/knowledge-search.ts'
import { toWords } from '../../core/store/search-words.ts'
import type { Entry } from './entry-points.ts'

/** What several sources may say, once. */
export interface RankedTriple {
  subjectId: string
  predicate: string
  objectId: string
  /** Of the best, 1. */
  score: number
}

export interface Ranking {
  /** Best first. */
  triples: RankedTriple[]
  /** Of each thing; of the best, 1. */
  scores: ReadonlyMap<string, number>
}

// no id of an entity
const questionNode = '?'
// so much of what is at a thing goes back to the question with each step: whoever is far from it gets little
const restart = 0.2
// the rest jumps anywhere, which makes sure that the numbers settle
const damping = 0.95
const maxIterations = 1_000
// what is left to move when they count as settled
const precision = 1e-6

/**
 * Ranks what the graph says with PageRank that begins at the question: a walk leaves it to its entry points by their
 * scores, goes along relations in both directions, and returns. Things between several entry points gather most of it,
 * also those that the question does not name. A triple counts as much as the things it joins, and more when it says
 * words of the question itself.
 */
export async function rankTriples(
  { points, hits, words }: Entry,
  relations: readonly RelationEdge[],
): Promise<Ranking> {
  const shares = new Map(hits.map(({ edge, share }) => [edge.id, share]))
  const triples = toTriples(
    relations,
    (edge) => 1 + predicateShare(edge.predicate, words) + (shares.get(edge.id) ?? 0),
  )
  const scores = await rankEntities(points, triples)
  const scored = triples.map(({ subjectId, predicate, objectId, relevance }) => ({
    subjectId,
    predicate,
    objectId,
    score: Math.sqrt(scores.get(subjectId)! * scores.get(objectId)!) * relevance,
  }))
  const best = Math.max(...scored.map(({ score }) => score))
  return {
    scores,
    triples: scored
      .map((triple) => ({ ...triple, score: rounded(triple.score / best) }))
      .sort((one, other) => other.score - one.score || (nameOf(one) < nameOf(other) ? -1 : 1)),
  }
}

/** Enough to distinguish triples, and the same on every machine. */
export const rounded = (score: number) => Math.round(score * 1e6) / 1e6

interface WeighedTriple extends Omit<RankedTriple, 'score'> {
  /** Summed over those who say it. */
  weight: number
  relevance: number
}

export const nameOf = ({ subjectId, predicate, objectId }: Omit<RankedTriple, 'score'>) =>
  `${subjectId} ${objectId} ${toKey(predicate)}`

function toTriples(
  relations: readonly RelationEdge[],
  relevanceOf: (edge: RelationEdge) => number,
): WeighedTriple[] {
  const triples = new Map<string, WeighedTriple>()
  for (const edge of relations) {
    const { subjectId, predicate, objectId, weight } = edge
    const name = nameOf(edge)
    const known = triples.get(name)
    const relevance = relevanceOf(edge)
    triples.set(name, {
      subjectId,
      objectId,
      predicate: known && known.predicate > predicate ? known.predicate : predicate,
      weight: weight + (known?.weight ?? 0),
      relevance: Math.max(relevance, known?.relevance ?? 0),
    })
  }
  return [...triples].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, triple]) => triple)
}

/** How much of a predicate is in the question. */
function predicateShare(predicate: string, words: ReadonlySet<string>): number {
  const own = new Set(toWords(predicate))
  return own.size === 0 ? 0 : [...own].filter((word) => words.has(word)).length / own.size
}

async function rankEntities(
  points: Entry['points'],
  triples: readonly WeighedTriple[],
): Promise<Map<string, number>> {
  // it takes some 20 ms to load, and most processes never need it
  const [{ DirectedGraph }, { default: metric }] = await Promise.all([
    import('graphology'),
    import('graphology-metrics/centrality/pagerank.js'),
  ])
  // its types speak of a module with a default, or of the function, by how they are resolved; the file is the function
  const pagerank = metric as unknown as (graph: object, options: object) => Record<string, number>
  const graph = new DirectedGraph<object, { weight: number }>()
  const ids = new Set([...points, ...triples].flatMap((item) => ('id' in item ? [item.id] : endsOf(item))))
  for (const id of [questionNode, ...[...ids].sort()]) graph.addNode(id)
  const strength = new Map<string, number>()
  const link = (from: string, to: string, weight: number) => {
    graph.updateEdge(from, to, (known) => ({ weight: (known.weight ?? 0) + weight }))
    strength.set(from, (strength.get(from) ?? 0) + weight)
  }
  for (const { subjectId, objectId, weight, relevance } of triples) {
    link(subjectId, objectId, weight * relevance)
    link(objectId, subjectId, weight * relevance)
  }
  for (const { id, score } of points) link(questionNode, id, score)
  for (const id of ids) link(id, questionNode, ((strength.get(id) ?? 1) * restart) / (1 - restart))
  const ranks = pagerank(graph, {
    getEdgeWeight: 'weight',
    alpha: damping,
    maxIterations,
    tolerance: precision / graph.order,
  })
  const best = Math.max(...[...ids].map((id) => ranks[id]!))
  return new Map([...ids].map((id) => [id, ranks[id]! / best]))
}

const endsOf = ({ subjectId, objectId }: WeighedTriple) => [subjectId, objectId]
