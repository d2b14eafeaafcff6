import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { sourceIdOf } from './knowledge-key.ts'
import type { KnowledgeSourceRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import { knowledgeTripleQueries } from './knowledge-triples.ts'

/** Where knowledge comes from, as it is stored; times are milliseconds. */
export interface SourceRecord {
  id: string
  scope: string
  name: string
  kind: KnowledgeSourceRow['kind']
  status: KnowledgeSourceRow['status']
  /** Why it failed. */
  reason?: string
  /** Of a document: what the relations are of; 0 before they are of any. */
  version: number
  /** The one that is read, or was read last. */
  readVersion: number
  model?: string
  relations: number
  createdAt: number
  updatedAt: number
}

/** With what the document is now, and how far reading it is. */
export interface ListedSource extends SourceRecord {
  title?: string
  currentVersion?: number
}

export interface SourceFilter {
  kind?: SourceRecord['kind']
  status?: SourceRecord['status']
  /** Only these. */
  names?: readonly string[]
  limit: number
  cursor?: string
}

export interface KnowledgeSourceQueries {
  /** Keeps others from changing what the scope knows until the transaction ends. */
  lockKnowledge(scope: string): Promise<void>
  /** Whether there is a relation at all. */
  hasKnowledge(scope: string): Promise<boolean>
  countKnowledge(scope: string): Promise<{ entities: number; relations: number }>
  /** Sources of a scope by kind and status. */
  countKnowledgeSources(
    scope: string,
  ): Promise<{ kind: SourceRecord['kind']; status: SourceRecord['status']; count: number }[]>
  getKnowledgeSource(scope: string, name: string): Promise<SourceRecord | undefined>
  getKnowledgeSourceById(id: string): Promise<SourceRecord | undefined>
  /** Makes it when it is not there; one of the other kind stays as it is. */
  ensureKnowledgeSource(source: Pick<SourceRecord, 'scope' | 'name' | 'kind'>): Promise<SourceRecord>
  updateKnowledgeSource(
    id: string,
    patch: Partial<Pick<SourceRecord, 'status' | 'version' | 'readVersion'>> & {
      reason?: string | null
      model?: string | null
    },
  ): Promise<void>
  /** What was changed last comes first. */
  listKnowledgeSources(scope: string, filter: SourceFilter): Promise<Page<ListedSource>>
  /** With all its triples; false when there is none of that name and kind. */
  forgetKnowledgeSource(scope: string, name: string, kind?: SourceRecord['kind']): Promise<boolean>
  /** Documents that are not what was read last, and those that failed; what waits longest comes first. */
  listUnreadDocuments(scope: string, limit: number): Promise<{ id: string; version: number }[]>
  countUnreadDocuments(scope: string): Promise<number>
  /** Those of the documents that are there. */
  listDocumentsById(scope: string, ids: readonly string[]): Promise<{ id: string; version: number }[]>
}

export function knowledgeSourceQueries(context: QueryContext): KnowledgeSourceQueries {
  const { db, backend, clock } = context

  const getKnowledgeSource: KnowledgeSourceQueries['getKnowledgeSource'] = async (scope, name) => {
    const row = await db
      .selectFrom('knowledge_sources')
      .selectAll()
      .where('scope', '=', scope)
      .where('name', '=', name)
      .executeTakeFirst()
    return row && fromRow(row)
  }

  const lockKnowledge: KnowledgeSourceQueries['lockKnowledge'] = async (scope) => {
    await db
      .insertInto('knowledge_graphs')
      .values({ scope, changed_at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await sql`select scope from knowledge_graphs where scope = ${scope} ${backend.forUpdate}`.execute(db)
  }

  const unread = (scope: string) =>
    db
      .selectFrom('documents')
      .leftJoin('knowledge_sources as source', (join) =>
        join.onRef('source.name', '=', 'documents.id').onRef('source.scope', '=', 'documents.scope'),
      )
      .where('documents.scope', '=', scope)
      .where('documents.deleted_at', 'is', null)
      .where(({ or, and, eb, ref }) => {
        const isOther = eb('source.read_version', '<>', ref('documents.version'))
        const hasFailed = eb('source.status', '=', 'failed')
        return or([
          eb('source.id', 'is', null),
          // an import may have taken the name
          and([eb('source.kind', '=', 'document'), or([isOther, hasFailed])]),
        ])
      })

  return {
    lockKnowledge,
    getKnowledgeSource,

    async hasKnowledge(scope) {
      const row = await db
        .selectFrom('knowledge_entities')
        .select('id')
        .where('scope', '=', scope)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    async countKnowledge(scope) {
      const { entities } = await db
        .selectFrom('knowledge_entities')
        .select(({ fn }) => fn.countAll<number>().as('entities'))
        .where('scope', '=', scope)
        .executeTakeFirstOrThrow()
      const { relations } = await db
        .selectFrom('knowledge_sources')
        .select(({ fn }) => fn.sum<number | null>('relation_count').as('relations'))
        .where('scope', '=', scope)
        .executeTakeFirstOrThrow()
      return { entities: Number(entities), relations: Number(relations ?? 0) }
    },

    async countKnowledgeSources(scope) {
      const rows = await db
        .selectFrom('knowledge_sources')
        .select(({ fn }) => ['kind', 'status', fn.countAll<number>().as('count')])
        .where('scope', '=', scope)
        .groupBy(['kind', 'status'])
        .execute()
      return rows.map((row) => ({ ...row, count: Number(row.count) }))
    },

    async getKnowledgeSourceById(id) {
      const row = await db.selectFrom('knowledge_sources').selectAll().where('id', '=', id).executeTakeFirst()
      return row && fromRow(row)
    },

    async ensureKnowledgeSource({ scope, name, kind }) {
      const now = clock.now()
      const row: KnowledgeSourceRow = {
        id: sourceIdOf(scope, name),
        scope,
        name,
        kind,
        status: kind === 'import' ? 'done' : 'pending',
        reason: null,
        version: 0,
        read_version: 0,
        model: null,
        relation_count: 0,
        created_at: now,
        updated_at: now,
      }
      await db
        .insertInto('knowledge_sources')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return (await getKnowledgeSource(scope, name))!
    },

    async updateKnowledgeSource(id, { readVersion, ...columns }) {
      await db
        .updateTable('knowledge_sources')
        .set({
          ...columns,
          ...(readVersion !== undefined && { read_version: readVersion }),
          updated_at: clock.now(),
        })
        .where('id', '=', id)
        .execute()
    },

    async listKnowledgeSources(scope, { kind, status, names, limit, cursor }) {
      const rows = await db
        .selectFrom('knowledge_sources')
        .selectAll()
        .select(({ selectFrom }) => {
          const document = selectFrom('documents')
            .whereRef('documents.id', '=', 'knowledge_sources.name')
            .whereRef('documents.scope', '=', 'knowledge_sources.scope')
            .where('knowledge_sources.kind', '=', 'document')
          return [
            document.select('documents.title').as('title'),
            document.select('documents.version').as('current_version'),
          ]
        })
        .where('scope', '=', scope)
        .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(names !== undefined, (query) => query.where('name', 'in', names!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(
        rows,
        limit,
        (row) => row.updated_at,
        ({ title, current_version: currentVersion, ...row }) => ({
          ...fromRow(row),
          ...(title !== null && { title }),
          ...(currentVersion !== null && { currentVersion }),
        }),
      )
    },

    forgetKnowledgeSource: (scope, name, kind) =>
      context.transaction(async (tx) => {
        const { lockKnowledge: lock, getKnowledgeSource: get } = knowledgeSourceQueries(tx)
        const known = await get(scope, name)
        if (!known || (kind !== undefined && known.kind !== kind)) return false
        await lock(scope)
        await knowledgeTripleQueries(tx).putTriples(known, { entities: [], relations: [] }, { replace: true })
        const gone = await tx.db
          .deleteFrom('knowledge_sources')
          .where('id', '=', known.id)
          .returning('id')
          .executeTakeFirst()
        return gone !== undefined
      }),

    listUnreadDocuments: (scope, limit) =>
      unread(scope)
        .select(['documents.id', 'documents.version'])
        .orderBy('documents.updated_at')
        .orderBy('documents.id')
        .limit(limit)
        .execute(),

    async listDocumentsById(scope, ids) {
      if (ids.length === 0) return []
      return db
        .selectFrom('documents')
        .select(['id', 'version'])
        .where('scope', '=', scope)
        .where('deleted_at', 'is', null)
        .where('id', 'in', ids)
        .orderBy('updated_at')
        .orderBy('id')
        .execute()
    },

    async countUnreadDocuments(scope) {
      const { count } = await unread(scope)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

const fromRow = (row: KnowledgeSourceRow): SourceRecord => ({
  id: row.id,
  scope: row.scope,
  name: row.name,
  kind: row.kind,
  status: row.status,
  ...(row.reason !== null && { reason: row.reason }),
  version: row.version,
  readVersion: row.read_version,
  ...(row.model !== null && { model: row.model }),
  relations: row.relation_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
