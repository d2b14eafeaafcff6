import type { RelationEdge } from './store/knowledge-search.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Entry } from './entry-points.ts'

export interface Neighbourhood {
  /** In the order of their ids. */
  relations: RelationEdge[]
  /** There are more around than were read. */
  isTruncated: boolean
}

/**
 * How much is read, so that a thing with very many relations costs no more than any other: at most
 * 24 × 2 × 32 relations around the entry points, 300 between them, and 40 × 2 × 8 around what those lead to.
 */
export const bounds = { perEntry: 32, between: 300, frontier: 40, perFrontier: 8 }

export async function readNeighbourhood(
  store: Pick<StoreOperations, 'listRelationsAround' | 'listRelationsBetween'>,
  scope: string,
  { points, hits }: Entry,
  hops: number,
): Promise<Neighbourhood> {
  const found = new Map<string, RelationEdge>()
  let isTruncated = false
  /** One more than is taken was requested: it shows whether there are others. */
  const take = (groups: readonly RelationEdge[][], limit: number) => {
    for (const group of groups) {
      if (group.length > limit) isTruncated = true
      for (const relation of group.slice(0, limit)) found.set(relation.id, relation)
    }
  }
  const ids = points.map(({ id }) => id)
  for (const { edge } of hits) found.set(edge.id, edge)
  // two things with very many relations each: what joins them must not be left to chance
  take([await store.listRelationsBetween(scope, ids, bounds.between + 1)], bounds.between)
  take(await store.listRelationsAround(scope, ids, bounds.perEntry + 1), bounds.perEntry)
  if (hops > 1) {
    const reached = findFrontier(points, found.values())
    const frontier = reached.slice(0, bounds.frontier)
    if (reached.length > frontier.length) isTruncated = true
    take(await store.listRelationsAround(scope, frontier, bounds.perFrontier + 1), bounds.perFrontier)
  }
  const relations = [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  return { relations, isTruncated }
}

/** What the entry points lead to, most strongly first. */
function findFrontier(points: Entry['points'], relations: Iterable<RelationEdge>): string[] {
  const scores = new Map(points.map(({ id, score }) => [id, score]))
  const reached = new Map<string, number>()
  const reach = (id: string, score: number) => {
    if (!scores.has(id)) reached.set(id, (reached.get(id) ?? 0) + score)
  }
  const inOrder = [...relations].sort((one, other) => (one.id < other.id ? -1 : 1))
  for (const { subjectId, objectId, weight } of inOrder) {
    reach(objectId, (scores.get(subjectId) ?? 0) * weight)
    reach(subjectId, (scores.get(objectId) ?? 0) * weight)
  }
  return [...reached]
    .sort(([idOne, one], [idOther, other]) => other - one || (idOne < idOther ? -1 : 1))
    .map(([id]) => id)
}
