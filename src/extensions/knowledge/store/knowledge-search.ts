import { sql, type RawBuilder } from 'kysely'
import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { insertAll, slices } from '../../../core/store/rows.ts'
import { toKey } from './knowledge-key.ts'
import type { KnowledgeSourceRow } from './tables.ts'
import type { Page } from '../../../core/store/queries/cursor.ts'
import type { EntityRecord } from './knowledge-row.ts'

/** A relation as ranking needs it. */
export interface RelationEdge {
  id: string
  subjectId: string
  predicate: string
  objectId: string
  weight: number
}

export interface EntityWord {
  id: string
  word: string
  /** How many words its name has. */
  size: number
}

export interface RelationWord extends RelationEdge {
  word: string
}

/** One saying of a triple. */
export interface Saying {
  subjectId: string
  predicate: string
  objectId: string
  evidence: string
  source: { name: string; kind: KnowledgeSourceRow['kind']; version: number; title?: string }
}

/** Reads of a graph, each of which costs the same however large the graph is, unless noted otherwise. */
export interface KnowledgeSearchQueries {
  getEntities(scope: string, ids: readonly string[]): Promise<EntityRecord[]>
  findEntities(scope: string, keys: readonly string[]): Promise<EntityRecord[]>
  /** Names with all the words, those with the fewest others first; reads the 2,000 shortest with the first word. */
  findEntitiesWith(scope: string, words: readonly string[], limit: number): Promise<EntityRecord[]>
  /** Names that contain the text anywhere, by scanning all names of the scope. */
  listEntities(
    scope: string,
    page: { part?: string; limit: number; cursor?: string },
  ): Promise<Page<EntityRecord>>
  /** Up to `limit` things for each word, those with the shortest names first. */
  matchEntityWords(scope: string, words: readonly string[], limit: number): Promise<EntityWord[]>
  /** The same for what relations and their evidence say. */
  matchRelationWords(scope: string, words: readonly string[], limit: number): Promise<RelationWord[]>
  /** Up to `limit` relations from, and as many to, each of the things; the surest first. */
  listRelationsAround(scope: string, ids: readonly string[], limit: number): Promise<RelationEdge[][]>
  /** Relations from one of the things to another one. */
  listRelationsBetween(scope: string, ids: readonly string[], limit: number): Promise<RelationEdge[]>
  /** The sources that relate the things of each pair. */
  listSayings(
    scope: string,
    pairs: readonly Pick<RelationEdge, 'subjectId' | 'objectId'>[],
    limit: number,
  ): Promise<Saying[]>
  listEntityVectors(
    scope: string,
    model: string,
    limit: number,
  ): Promise<(EntityRecord & { hash: string; vector: string })[]>
  /** Those that have no vector of this model. */
  listUnembedded(scope: string, model: string, limit: number): Promise<EntityRecord[]>
  putEntityVectors(
    model: string,
    vectors: readonly { entityId: string; hash: string; vector: string }[],
  ): Promise<void>
}

export function knowledgeSearchQueries({ db, ...rest }: QueryContext): KnowledgeSearchQueries {
  const context = { db, ...rest }
  const entities = () =>
    db.selectFrom('knowledge_entities').select(['id', 'key', 'name', 'type', 'description'])
  const edge = sql.raw(
    'id, subject_id as "subjectId", predicate, object_id as "objectId", weight',
  ) as RawBuilder<RelationEdge>

  return {
    async getEntities(scope, ids) {
      const found: EntityRecord[] = []
      for await (const slice of slices(ids)) {
        const rows = await entities().select('scope').where('id', 'in', slice).execute()
        // not asked of the database: SQLite would go through all of the scope
        for (const { scope: own, ...entity } of rows) if (own === scope) found.push(entity)
      }
      return found
    },

    async findEntities(scope, keys) {
      const found: EntityRecord[] = []
      for await (const slice of slices(keys))
        found.push(...(await entities().where('scope', '=', scope).where('key', 'in', slice).execute()))
      return found
    },

    async findEntitiesWith(scope, [first, ...others], limit) {
      if (first === undefined) return []
      const query = sql<EntityRecord>`
        select entity.id, entity.key, entity.name, entity.type, entity.description from (
          select entity_id, size from knowledge_entity_words where scope = ${scope} and word = ${first}
          order by size, entity_id limit ${sql.lit(maxInspected)}
        ) as found join knowledge_entities as entity on entity.id = found.entity_id
        where ${sql.join(
          [
            sql`1 = 1`,
            ...others.map(
              (word) => sql`exists (select 1 from knowledge_entity_words as other
                where other.entity_id = found.entity_id and other.word = ${word})`,
            ),
          ],
          sql` and `,
        )}
        order by found.size, found.entity_id limit ${sql.lit(limit)}`
      return (await query.execute(db)).rows
    },

    async listEntities(scope, { part, limit, cursor }) {
      const rows = await entities()
        .where('scope', '=', scope)
        .$if(part !== undefined, (query) =>
          query.where(sql<boolean>`key like ${`%${escapeLike(toKey(part!))}%`} escape '!'`),
        )
        .$if(cursor !== undefined, (query) => query.where('key', '>', decodeCursor(cursor!)))
        .orderBy('key')
        .limit(limit + 1)
        .execute()
      const items = rows.slice(0, limit)
      const last = rows.length > limit ? items.at(-1) : undefined
      return { items, nextCursor: last ? Buffer.from(last.key).toString('base64url') : null }
    },

    async matchEntityWords(scope, words, limit) {
      return all<EntityWord>(
        words.map(
          (word) => sql`select entity_id as id, word, size from knowledge_entity_words
            where scope = ${scope} and word = ${word} order by size, entity_id limit ${sql.lit(limit)}`,
        ),
      )
    },

    async matchRelationWords(scope, words, limit) {
      return all<RelationWord>(
        words.map(
          (word) => sql`select ${edge}, word from (
              select relation_id, word from knowledge_relation_words
              where scope = ${scope} and word = ${word} order by size, relation_id limit ${sql.lit(limit)}
            ) as found join knowledge_relations on id = relation_id`,
        ),
      )
    },

    async listRelationsAround(scope, ids, limit) {
      const reads = ids.flatMap((id) =>
        ['subject_id', 'object_id'].map(
          (column) => sql`select ${edge}, ${id} as "of", ${sql.lit(column)} as "end" from knowledge_relations
            where ${sql.ref(column)} = ${id} and scope = ${scope} order by weight desc, id desc limit ${sql.lit(limit)}`,
        ),
      )
      const groups = new Map<string, RelationEdge[]>()
      for (const { of, end, ...relation } of await all<RelationEdge & { of: string; end: string }>(reads)) {
        const name = `${of} ${end}`
        groups.set(name, [...(groups.get(name) ?? []), relation])
      }
      return [...groups.values()]
    },

    async listRelationsBetween(scope, ids, limit) {
      if (ids.length === 0) return []
      const query = sql<RelationEdge>`
        select ${edge} from knowledge_relations
        where subject_id in (${sql.join(ids)}) and object_id in (${sql.join(ids)}) and scope = ${scope}
        order by weight desc, id desc limit ${sql.lit(limit)}`
      return (await query.execute(db)).rows
    },

    async listSayings(scope, pairs, limit) {
      const rows = await all<Omit<Saying, 'source'> & { name: string } & Omit<Saying['source'], 'title'>>(
        pairs.map(
          ({ subjectId, objectId }) => sql`
            select relation.subject_id as "subjectId", relation.predicate, relation.object_id as "objectId",
              relation.evidence, source.name, source.kind, source.version
            from knowledge_relations as relation join knowledge_sources as source on source.id = relation.source_id
            where relation.subject_id = ${subjectId} and relation.object_id = ${objectId} and relation.scope = ${scope}
            order by relation.id limit ${sql.lit(limit)}`,
        ),
      )
      const documents = rows.filter(({ kind }) => kind === 'document').map(({ name }) => name)
      const titles = await readTitles(scope, [...new Set(documents)])
      return rows.map(({ name, kind, version, ...said }) => ({
        ...said,
        source: { name, kind, version, title: kind === 'document' ? titles.get(name) : undefined },
      }))
    },

    async listEntityVectors(scope, model, limit) {
      return db
        .selectFrom('knowledge_vectors')
        .innerJoin('knowledge_entities as entity', 'entity.id', 'knowledge_vectors.entity_id')
        .select(['entity.id', 'entity.key', 'entity.name', 'entity.type', 'entity.description'])
        .select(['knowledge_vectors.hash', 'knowledge_vectors.vector'])
        .where('entity.scope', '=', scope)
        .where('knowledge_vectors.model', '=', model)
        .orderBy('entity.id')
        .limit(limit)
        .execute()
    },

    async listUnembedded(scope, model, limit) {
      return entities()
        .where('scope', '=', scope)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('knowledge_vectors')
                .select('hash')
                .whereRef('knowledge_vectors.entity_id', '=', 'knowledge_entities.id')
                .where('knowledge_vectors.model', '=', model),
            ),
          ),
        )
        .orderBy('id')
        .limit(limit)
        .execute()
    },

    putEntityVectors: async (model, vectors) =>
      void (await insertAll(
        context,
        'knowledge_vectors',
        ['entity_id', 'model', 'hash', 'vector'],
        vectors.map(({ entityId, hash, vector }) => [entityId, model, hash, vector]),
        'on conflict (entity_id) do update set model = excluded.model, hash = excluded.hash, vector = excluded.vector',
      )),
  }

  /** Reads that are each cut off by themselves, in one trip to the database. */
  async function all<Row>(reads: readonly RawBuilder<unknown>[]): Promise<Row[]> {
    const rows: Row[] = []
    for await (const slice of slices(reads, readsAtOnce)) {
      const parts = slice.map((read, index) => sql`select * from (${read}) as ${sql.ref(`read${index}`)}`)
      rows.push(...(await sql<Row>`${sql.join(parts, sql` union all `)}`.execute(db)).rows)
    }
    return rows
  }

  async function readTitles(scope: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map()
    const rows = await db
      .selectFrom('documents')
      .select(['id', 'title'])
      .where('scope', '=', scope)
      .where('id', 'in', ids)
      .execute()
    return new Map(rows.map(({ id, title }) => [id, title]))
  }
}

const maxInspected = 2_000
// SQLite takes 500 at most
const readsAtOnce = 100

const escapeLike = (text: string) => text.replace(/[!%_]/g, '!$&')

function decodeCursor(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString()
  if (key === '' || key.includes('\0') || !key.isWellFormed())
    throw invalidRequest(`The cursor ${quote(cursor)} is not one that a list has answered.`)
  return key
}
