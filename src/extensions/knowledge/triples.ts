import { entityIdOf, relationIdOf, toKey } from './store/knowledge-key.ts'
import {
  mergeFacts,
  mergeRelation,
  type EntityFacts,
  type EntityRecord,
  type RelationRecord,
  type TripleSet,
} from './store/knowledge-row.ts'

/** A statement of a source. */
export interface Triple {
  subject: string
  predicate: string
  object: string
  subjectType?: string
  objectType?: string
  evidence?: string
  /** How sure it is, up to 1. */
  weight?: number
}

/** Each thing and each relation once. `described` adds to things that the triples name; others are left out. */
export function toTripleSet(
  source: { id: string; scope: string },
  triples: readonly Triple[],
  described: readonly EntityFacts[] = [],
): TripleSet {
  const entities = new Map<string, EntityRecord>()
  const relations = new Map<string, RelationRecord>()
  const add = (facts: EntityFacts) => {
    const key = toKey(facts.name)
    const id = entityIdOf(source.scope, key)
    const before = entities.get(id)
    entities.set(id, { id, key, ...(before ? mergeFacts(before, facts) : facts) })
    return id
  }
  for (const { subject, predicate, object, subjectType, objectType, evidence = '', weight = 1 } of triples) {
    const subjectId = add(toFacts(subject, subjectType))
    const objectId = add(toFacts(object, objectType))
    const id = relationIdOf(source.id, subjectId, predicate, objectId)
    const before = relations.get(id)
    const said = { id, subjectId, predicate: oneLine(predicate), objectId, evidence: evidence.trim(), weight }
    relations.set(id, before ? mergeRelation(before, said) : said)
  }
  for (const { name, type, description } of described)
    if (entities.has(entityIdOf(source.scope, toKey(name)))) add(toFacts(name, type, description))
  return { entities: inOrder(entities), relations: inOrder(relations) }
}

const toFacts = (name: string, type = '', description = ''): EntityFacts => ({
  name: oneLine(name),
  type: oneLine(type),
  description: description.trim(),
})

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ')

/** Concurrent writers of the same things take them in the same order, so that they do not deadlock. */
const inOrder = <Item extends { id: string }>(items: ReadonlyMap<string, Item>): Item[] =>
  [...items.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
