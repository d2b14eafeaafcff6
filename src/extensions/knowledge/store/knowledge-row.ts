/** What a source calls a thing. */
export interface EntityFacts {
  name: string
  type: string
  description: string
}

export interface EntityRecord extends EntityFacts {
  id: string
  key: string
}

export interface RelationRecord {
  id: string
  subjectId: string
  predicate: string
  objectId: string
  evidence: string
  weight: number
}

/** The graph of a source: each thing once, and only those that are in a relation; each relation once. */
export interface TripleSet {
  entities: EntityRecord[]
  relations: RelationRecord[]
}

/**
 * Of several names the one with capitals, of several descriptions the longest: rules that give the same whoever came
 * first.
 */
export const mergeFacts = (one: EntityFacts, other: EntityFacts): EntityFacts => ({
  name: first(one.name, other.name),
  type: first(one.type, other.type),
  description: longest(one.description, other.description),
})

export const mergeRelation = <Relation extends Pick<RelationRecord, 'predicate' | 'evidence' | 'weight'>>(
  one: Relation,
  other: Pick<RelationRecord, 'predicate' | 'evidence' | 'weight'>,
): Relation => ({
  ...one,
  // a verb, which has none
  predicate: other.predicate > one.predicate ? other.predicate : one.predicate,
  evidence: longest(one.evidence, other.evidence),
  weight: Math.max(one.weight, other.weight),
})

const first = (one: string, other: string) => (other !== '' && (one === '' || other < one) ? other : one)
const longest = (one: string, other: string) =>
  other.length > one.length || (other.length === one.length && other < one) ? other : one

export const isSameFacts = (one: EntityFacts, other: EntityFacts) =>
  one.name === other.name && one.type === other.type && one.description === other.description
