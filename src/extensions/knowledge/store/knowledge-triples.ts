import type { QueryContext } from '../../../core/store/query-context.ts'
import { insertAll, slices } from '../../../core/store/rows.ts'
import { significantWords, toWords } from '../../../core/store/search-words.ts'
import type { KnowledgeEntityRow, KnowledgeRelationRow } from './tables.ts'
import {
  isSameFacts,
  mergeFacts,
  mergeRelation,
  type EntityFacts,
  type EntityRecord,
  type RelationRecord,
  type TripleSet,
} from './knowledge-row.ts'

export interface KnowledgeTripleQueries {
  /**
   * Adds to what a source says, or makes it all that it says. Things that nobody speaks of any more are gone. For whoever
   * holds the knowledge of the scope; what is stored does not depend on the order of calls.
   */
  putTriples(
    source: { id: string; scope: string },
    said: TripleSet,
    options?: { replace?: boolean },
  ): Promise<{ added: number; removed: number }>
}

export function knowledgeTripleQueries(context: QueryContext): KnowledgeTripleQueries {
  return {
    putTriples: (source, said, { replace = false } = {}) =>
      context.transaction(async (tx) => {
        const mentions = await readMentions(
          tx,
          source.id,
          replace ? undefined : said.entities.map(({ id }) => id),
        )
        const relations = await readRelations(
          tx,
          source.id,
          replace ? undefined : said.relations.map(({ id }) => id),
        )
        const removed = replace ? await removeOthers(tx, source.id, said, mentions, relations) : []
        const isNew = await addEntities(tx, source.scope, said.entities)
        const changed = await putMentions(tx, source.id, said.entities, mentions, replace)
        const added = await putRelations(tx, source, said.relations, relations, replace)
        await mendEntities(tx, [...removed, ...changed.filter((id) => !isNew.has(id))])
        const gone = replace ? relations.size - (said.relations.length - added) : 0
        await tx.db
          .updateTable('knowledge_sources')
          .set(({ eb }) => ({
            relation_count: eb('relation_count', '+', added - gone),
            updated_at: tx.clock.now(),
          }))
          .where('id', '=', source.id)
          .execute()
        return { added, removed: gone }
      }),
  }
}

async function readMentions({ db }: QueryContext, sourceId: string, ids: string[] | undefined) {
  const found = new Map<string, EntityFacts>()
  const query = db
    .selectFrom('knowledge_mentions')
    .select(['entity_id', 'name', 'type', 'description'])
    .where('source_id', '=', sourceId)
  for await (const slice of ids ? slices(ids) : [undefined]) {
    const rows = await query.$if(slice !== undefined, (all) => all.where('entity_id', 'in', slice!)).execute()
    for (const { entity_id: id, ...facts } of rows) found.set(id, facts)
  }
  return found
}

type KnownRelation = Pick<KnowledgeRelationRow, 'predicate' | 'evidence' | 'weight'>

async function readRelations({ db }: QueryContext, sourceId: string, ids: string[] | undefined) {
  const found = new Map<string, KnownRelation>()
  const query = db
    .selectFrom('knowledge_relations')
    .select(['id', 'predicate', 'evidence', 'weight'])
    .where('source_id', '=', sourceId)
  for await (const slice of ids ? slices(ids) : [undefined]) {
    const rows = await query.$if(slice !== undefined, (all) => all.where('id', 'in', slice!)).execute()
    for (const { id, ...relation } of rows) found.set(id, relation)
  }
  return found
}

/** Answers the things that the source does not speak of any more. */
async function removeOthers(
  { db }: QueryContext,
  sourceId: string,
  said: TripleSet,
  mentions: ReadonlyMap<string, unknown>,
  relations: ReadonlyMap<string, unknown>,
): Promise<string[]> {
  const isSaid = new Set([...said.relations, ...said.entities].map(({ id }) => id))
  const goneRelations = [...relations.keys()].filter((id) => !isSaid.has(id))
  const goneMentions = [...mentions.keys()].filter((id) => !isSaid.has(id))
  for await (const slice of slices(goneRelations))
    await db.deleteFrom('knowledge_relations').where('id', 'in', slice).execute()
  for await (const slice of slices(goneMentions))
    await db
      .deleteFrom('knowledge_mentions')
      .where('source_id', '=', sourceId)
      .where('entity_id', 'in', slice)
      .execute()
  return goneMentions
}

/** Answers those that were not there. */
async function addEntities(
  context: QueryContext,
  scope: string,
  entities: readonly EntityRecord[],
): Promise<Set<string>> {
  const inserted = await insertAll<'knowledge_entities', { id: string }>(
    context,
    'knowledge_entities',
    ['id', 'scope', 'key', 'name', 'type', 'description'],
    entities.map(({ id, key, name, type, description }) => [id, scope, key, name, type, description]),
    'on conflict do nothing returning id',
  )
  const isNew = new Set(inserted.map(({ id }) => id))
  const words = entities
    .filter(({ id }) => isNew.has(id))
    .flatMap(({ id, key }) => toRows(id, scope, new Set(toWords(key))))
  await insertAll(context, 'knowledge_entity_words', ['entity_id', 'word', 'scope', 'size'], words)
  return isNew
}

const toRows = (id: string, scope: string, words: ReadonlySet<string>) =>
  [...words].map((word) => [id, word, scope, words.size])

/** Answers the things that the source speaks of in another way than before. */
async function putMentions(
  context: QueryContext,
  sourceId: string,
  entities: readonly EntityRecord[],
  known: ReadonlyMap<string, EntityFacts>,
  replace: boolean,
): Promise<string[]> {
  const changed = entities.flatMap((entity): (EntityFacts & { id: string })[] => {
    const before = known.get(entity.id)
    const facts = before && !replace ? mergeFacts(before, entity) : entity
    return before && isSameFacts(before, facts) ? [] : [{ ...facts, id: entity.id }]
  })
  await insertAll(
    context,
    'knowledge_mentions',
    ['source_id', 'entity_id', 'name', 'type', 'description'],
    changed.map(({ id, name, type, description }) => [sourceId, id, name, type, description]),
    'on conflict (source_id, entity_id) do update set name = excluded.name, type = excluded.type, description = excluded.description',
  )
  return changed.map(({ id }) => id)
}

/** Returns how many are new for the source. */
async function putRelations(
  context: QueryContext,
  source: { id: string; scope: string },
  relations: readonly RelationRecord[],
  known: ReadonlyMap<string, KnownRelation>,
  replace: boolean,
): Promise<number> {
  const changed = relations.flatMap((relation) => {
    const before = known.get(relation.id)
    const after = before && !replace ? mergeRelation(relation, before) : relation
    const isSame =
      before?.predicate === after.predicate &&
      before.evidence === after.evidence &&
      before.weight === after.weight
    return isSame ? [] : [after]
  })
  const now = context.clock.now()
  await insertAll(
    context,
    'knowledge_relations',
    ['id', 'scope', 'source_id', 'subject_id', 'predicate', 'object_id', 'evidence', 'weight', 'created_at'],
    changed.map(({ id, subjectId, predicate, objectId, evidence, weight }) => [
      id,
      source.scope,
      source.id,
      subjectId,
      predicate,
      objectId,
      evidence,
      weight,
      now,
    ]),
    'on conflict (id) do update set predicate = excluded.predicate, evidence = excluded.evidence, weight = excluded.weight',
  )
  const isKnown = changed.filter(({ id }) => known.has(id)).map(({ id }) => id)
  for await (const slice of slices(isKnown))
    await context.db.deleteFrom('knowledge_relation_words').where('relation_id', 'in', slice).execute()
  const words = changed.flatMap(({ id, predicate, evidence }) =>
    toRows(id, source.scope, relationWords(predicate, evidence)),
  )
  await insertAll(context, 'knowledge_relation_words', ['relation_id', 'word', 'scope', 'size'], words)
  return changed.length - isKnown.length
}

// of the evidence its beginning: an index of all of it would be larger than all else
const maxRelationWords = 16

const relationWords = (predicate: string, evidence: string): Set<string> =>
  new Set([...toWords(predicate), ...significantWords(evidence)].slice(0, maxRelationWords))

/** Makes things what those who speak of them say now; nobody speaks of them: they are gone. */
async function mendEntities({ db }: QueryContext, ids: readonly string[]): Promise<void> {
  for await (const slice of slices(ids)) {
    const mentions = await db
      .selectFrom('knowledge_mentions')
      .select(['entity_id', 'name', 'type', 'description'])
      .where('entity_id', 'in', slice)
      .execute()
    const facts = new Map<string, EntityFacts>()
    for (const { entity_id: id, ...mention } of mentions) {
      const before = facts.get(id)
      facts.set(id, before ? mergeFacts(before, mention) : mention)
    }
    const gone = slice.filter((id) => !facts.has(id))
    if (gone.length > 0) await db.deleteFrom('knowledge_entities').where('id', 'in', gone).execute()
    const entities = await db.selectFrom('knowledge_entities').selectAll().where('id', 'in', slice).execute()
    for (const entity of entities) await updateFacts(db, entity, facts.get(entity.id)!)
  }
}

async function updateFacts(
  db: QueryContext['db'],
  entity: KnowledgeEntityRow,
  { name, type, description }: EntityFacts,
): Promise<void> {
  if (isSameFacts(entity, { name, type, description })) return
  await db
    .updateTable('knowledge_entities')
    .set({ name, type, description })
    .where('id', '=', entity.id)
    .execute()
}
