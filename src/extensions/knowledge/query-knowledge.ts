import { ParleyError } from '../../core/protocol/error.ts'
import type { AnsweredTriple, GraphQuestion, KnowledgeAnswer, TripleSource } from './protocol/knowledge.ts'
import type { Saying } from './store/knowledge-search.ts'
import type { EntityRecord } from './store/knowledge-row.ts'
import type { KnowledgeDeps } from './knowledge-service.ts'
import { findEntryPoints, type Entry } from './entry-points.ts'
import { readNeighbourhood } from './neighbourhood.ts'
import { toPromptText } from './prompt-text.ts'
import { nameOf, rankTriples, rounded, type RankedTriple, type Ranking } from './rank-triples.ts'

export const maxSources = 5
// relations of one pair of things that are read for the sources of its triples
const maxSayings = 50

type Deps = Pick<KnowledgeDeps, 'store' | 'vectors'>

/** What a scope knows that has to do with a question, best first. */
export async function queryKnowledge(
  deps: Deps,
  { scope }: { scope: string },
  question: GraphQuestion,
): Promise<KnowledgeAnswer> {
  const { store } = deps
  if (!(await store.hasKnowledge(scope))) throw nothingKnown()
  const { top_k: topK, hops } = question
  const entry = await findEntryPoints(deps, scope, question)
  const { relations, isTruncated } = await readNeighbourhood(store, scope, entry, hops)
  const ranking: Ranking =
    relations.length === 0 ? { triples: [], scores: new Map() } : await rankTriples(entry, relations)
  const ranked = ranking.triples.slice(0, topK)
  const entities = await readEntities(store, scope, entry, ranked)
  const sources = await readSources(store, scope, ranked)
  const shown = ranked.filter(({ subjectId, objectId }) => entities.has(subjectId) && entities.has(objectId))
  const triples = shown.map((triple): AnsweredTriple => ({
    subject: entities.get(triple.subjectId)!.name,
    predicate: triple.predicate,
    object: entities.get(triple.objectId)!.name,
    score: triple.score,
    sources: sources.get(nameOf(triple)) ?? [],
  }))
  return {
    triples,
    prompt: toPromptText(triples),
    ...(question.return_subgraph && { subgraph: toSubgraph(entry, ranking, shown, triples, entities) }),
    metadata: {
      entities: ranking.scores.size,
      relations: relations.length,
      entryPoints: entry.points.flatMap(({ id, score, by }) => {
        const name = entities.get(id)?.name
        return name === undefined ? [] : [{ id, name, score: rounded(score), by: [...by] }]
      }),
      truncated: isTruncated,
      topK,
      hops,
    },
  }
}

const nothingKnown = () =>
  new ParleyError(
    'not_found',
    'Nothing is known in this scope yet. Import triples (POST /api/knowledge/import, "parley knowledge import") or have its ' +
      'documents read (POST /api/knowledge/extract, "parley knowledge extract").',
  )

async function readEntities(
  store: Deps['store'],
  scope: string,
  { points }: Entry,
  triples: readonly RankedTriple[],
): Promise<Map<string, EntityRecord>> {
  const ids = new Set([
    ...points.map(({ id }) => id),
    ...triples.flatMap(({ subjectId, objectId }) => [subjectId, objectId]),
  ])
  return new Map((await store.getEntities(scope, [...ids])).map((entity) => [entity.id, entity]))
}

/** The sources of each triple, by its name. */
async function readSources(
  store: Deps['store'],
  scope: string,
  triples: readonly RankedTriple[],
): Promise<Map<string, TripleSource[]>> {
  const pairs = new Map(triples.map((triple) => [`${triple.subjectId} ${triple.objectId}`, triple]))
  const sayings = await store.listSayings(scope, [...pairs.values()], maxSayings)
  const byTriple = Map.groupBy(sayings, nameOf)
  return new Map([...byTriple].map(([name, said]) => [name, toSources(said)]))
}

const toSources = (sayings: readonly Saying[]): TripleSource[] =>
  sayings
    .toSorted((one, other) => (one.source.name < other.source.name ? -1 : 1))
    .slice(0, maxSources)
    .map(({ evidence, source: { name, kind, version, title } }) => ({
      ...(kind === 'document'
        ? { documentId: name, ...(title !== undefined && { title }), version }
        : { source: name }),
      ...(evidence !== '' && { evidence }),
    }))

function toSubgraph(
  { points }: Entry,
  { scores }: Ranking,
  ranked: readonly RankedTriple[],
  triples: readonly AnsweredTriple[],
  entities: ReadonlyMap<string, EntityRecord>,
): NonNullable<KnowledgeAnswer['subgraph']> {
  const isEntry = new Set(points.map(({ id }) => id))
  const ids = new Set(ranked.flatMap(({ subjectId, objectId }) => [subjectId, objectId]))
  return {
    nodes: [...ids]
      .map((id) => entities.get(id)!)
      .map(({ id, name, type, description }) => ({
        id,
        name,
        type,
        description,
        score: rounded(scores.get(id)!),
        isEntry: isEntry.has(id),
      })),
    edges: ranked.map(({ subjectId, predicate, objectId, score }, index) => ({
      subject: subjectId,
      predicate,
      object: objectId,
      score,
      sources: triples[index]!.sources.map(({ documentId, source }) => documentId ?? source ?? ''),
    })),
  }
}
