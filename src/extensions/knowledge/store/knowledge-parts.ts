import type { QueryContext } from '../../../core/store/query-context.ts'
import { insertAll } from '../../../core/store/rows.ts'
import type { KnowledgePartRow } from './tables.ts'

/** A piece of a document that is read by a session of its own. */
export interface PartRecord {
  sourceId: string
  /** From 1. */
  number: number
  scope: string
  status: KnowledgePartRow['status']
  sessionId?: string
  runId?: string
  /** What it was found to say. */
  triples?: unknown
  error?: string
}

export interface KnowledgePartQueries {
  addKnowledgeParts(source: { id: string; scope: string }, count: number): Promise<void>
  listKnowledgeParts(sourceId: string): Promise<PartRecord[]>
  /** How far sources are, by their id. */
  countKnowledgeParts(
    sourceIds: readonly string[],
  ): Promise<Map<string, { total: number; done: number; sessionIds: string[] }>>
  findPartOfRun(runId: string): Promise<PartRecord | undefined>
  updateKnowledgePart(
    part: Pick<PartRecord, 'sourceId' | 'number'>,
    patch: Pick<PartRecord, 'status' | 'sessionId' | 'runId' | 'triples' | 'error'>,
  ): Promise<void>
  deleteKnowledgeParts(sourceId: string): Promise<void>
  /** Those that failed are read once more. */
  retryKnowledgeParts(sourceId: string): Promise<void>
  countRunningParts(scope: string): Promise<number>
  /** What waits longest. */
  nextKnowledgePart(scope: string): Promise<PartRecord | undefined>
  /** A document that waits and is not taken apart yet. */
  nextUnsplitSource(scope: string): Promise<{ sourceId: string } | undefined>
  /** Parts whose run ended or is gone without a result, as when the session was deleted. */
  listLostParts(scope: string): Promise<PartRecord[]>
  /** Where something waits, or is read. */
  listReadingScopes(): Promise<string[]>
}

export function knowledgePartQueries(context: QueryContext): KnowledgePartQueries {
  const { db, clock } = context
  return {
    async addKnowledgeParts({ id, scope }, count) {
      const now = clock.now()
      await insertAll(
        context,
        'knowledge_parts',
        ['source_id', 'number', 'scope', 'status', 'queued_at'],
        Array.from({ length: count }, (_, index) => [id, index + 1, scope, 'pending', now]),
      )
    },

    async listKnowledgeParts(sourceId) {
      const rows = await db
        .selectFrom('knowledge_parts')
        .selectAll()
        .where('source_id', '=', sourceId)
        .orderBy('number')
        .execute()
      return rows.map(fromRow)
    },

    async countKnowledgeParts(sourceIds) {
      const counts = new Map<string, { total: number; done: number; sessionIds: string[] }>()
      if (sourceIds.length === 0) return counts
      const rows = await db
        .selectFrom('knowledge_parts')
        .select(['source_id', 'status', 'session_id'])
        .where('source_id', 'in', sourceIds)
        .orderBy('number')
        .execute()
      for (const { source_id: id, status, session_id: sessionId } of rows) {
        const count = counts.get(id) ?? { total: 0, done: 0, sessionIds: [] }
        counts.set(id, count)
        count.total++
        if (status === 'done') count.done++
        if (status === 'running' && sessionId !== null) count.sessionIds.push(sessionId)
      }
      return counts
    },

    async findPartOfRun(runId) {
      const row = await db
        .selectFrom('knowledge_parts')
        .selectAll()
        .where('run_id', '=', runId)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async updateKnowledgePart({ sourceId, number }, { status, sessionId, runId, triples, error }) {
      await db
        .updateTable('knowledge_parts')
        .set({
          status,
          ...(sessionId !== undefined && { session_id: sessionId }),
          ...(runId !== undefined && { run_id: runId }),
          ...(triples !== undefined && { triples: JSON.stringify(triples) }),
          error: error ?? null,
        })
        .where('source_id', '=', sourceId)
        .where('number', '=', number)
        .execute()
    },

    async deleteKnowledgeParts(sourceId) {
      await db.deleteFrom('knowledge_parts').where('source_id', '=', sourceId).execute()
    },

    async retryKnowledgeParts(sourceId) {
      await db
        .updateTable('knowledge_parts')
        .set({ status: 'pending', error: null, session_id: null, run_id: null, queued_at: clock.now() })
        .where('source_id', '=', sourceId)
        .where('status', '=', 'failed')
        .execute()
    },

    async countRunningParts(scope) {
      const { count } = await db
        .selectFrom('knowledge_parts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('scope', '=', scope)
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async nextKnowledgePart(scope) {
      const row = await db
        .selectFrom('knowledge_parts')
        .selectAll()
        .where('scope', '=', scope)
        .where('status', '=', 'pending')
        .orderBy('queued_at')
        .orderBy('source_id')
        .orderBy('number')
        .limit(1)
        .executeTakeFirst()
      return row && fromRow(row)
    },

    async nextUnsplitSource(scope) {
      const row = await db
        .selectFrom('knowledge_sources')
        .select('id')
        .where('scope', '=', scope)
        .where('status', '=', 'pending')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('knowledge_parts')
                .select('number')
                .whereRef('knowledge_parts.source_id', '=', 'knowledge_sources.id'),
            ),
          ),
        )
        .orderBy('updated_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row && { sourceId: row.id }
    },

    async listLostParts(scope) {
      const rows = await db
        .selectFrom('knowledge_parts')
        .selectAll()
        .where('scope', '=', scope)
        .where('status', '=', 'running')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('runs')
                .select('runs.id')
                .whereRef('runs.id', '=', 'knowledge_parts.run_id')
                .where('runs.status', 'in', ['queued', 'running']),
            ),
          ),
        )
        .execute()
      return rows.map(fromRow)
    },

    async listReadingScopes() {
      const rows = await db
        .selectFrom('knowledge_sources')
        .select('scope')
        .distinct()
        .where('status', 'in', ['pending', 'running'])
        .execute()
      return rows.map(({ scope }) => scope)
    },
  }
}

const fromRow = (row: KnowledgePartRow): PartRecord => ({
  sourceId: row.source_id,
  number: row.number,
  scope: row.scope,
  status: row.status,
  ...(row.session_id !== null && { sessionId: row.session_id }),
  ...(row.run_id !== null && { runId: row.run_id }),
  ...(row.triples !== null && { triples: JSON.parse(row.triples) as unknown }),
  ...(row.error !== null && { error: row.error }),
})
