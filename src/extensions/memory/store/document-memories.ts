import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { fromMemoryRow, type StoredMemory } from './memory-row.ts'

/** A document whose memories are not those of its newest version. */
export interface UnlearnedDocument {
  id: string
  title: string
  version: number
  /** Its beginning. */
  content: string
  /** The session that wrote the newest version, if one did. */
  sessionId?: string
}

/** How memories and the documents they come from hang together. */
export interface DocumentMemoryQueries {
  /** Those that failed least come first, then those that were changed first; not those that failed too often. */
  listUnlearned(
    scope: string,
    page: { maxFailures: number; maxCharacters: number; limit: number },
  ): Promise<UnlearnedDocument[]>
  /** Marks a version as learned; false when another process has done so already. */
  setLearned(documentId: string, version: number): Promise<boolean>
  countLearnFailure(documentId: string, version: number): Promise<void>
  /** All memories of a document, deleted ones too. */
  listOfDocument(scope: string, documentId: string): Promise<StoredMemory[]>
  /** Of a document that is gone; what a person edited or deleted stays as that person left it. Answers the ids. */
  forgetDocument(scope: string, documentId: string): Promise<string[]>
}

export function documentMemoryQueries(context: QueryContext): DocumentMemoryQueries {
  const { db } = context
  return {
    async listUnlearned(scope, { maxFailures, maxCharacters, limit }) {
      const rows = await db
        .selectFrom('documents')
        .innerJoin('document_versions', (join) =>
          join
            .onRef('document_versions.document_id', '=', 'documents.id')
            .onRef('document_versions.version', '=', 'documents.version'),
        )
        .select([
          'documents.id',
          'documents.title',
          'documents.version',
          sql<string>`substr(documents.content, 1, ${sql.lit(maxCharacters)})`.as('content'),
          'document_versions.session_id',
        ])
        .where('documents.scope', '=', scope)
        .where('documents.deleted_at', 'is', null)
        .whereRef('documents.learned_version', '<>', 'documents.version')
        .where('documents.learn_failures', '<', maxFailures)
        .orderBy('documents.learn_failures')
        .orderBy('documents.updated_at')
        .orderBy('documents.id')
        .limit(limit)
        .execute()
      return rows.map(({ session_id, ...document }) => ({
        ...document,
        ...(session_id !== null && { sessionId: session_id }),
      }))
    },

    async setLearned(documentId, version) {
      const row = await db
        .updateTable('documents')
        .set({ learned_version: version, learn_failures: 0 })
        .where('id', '=', documentId)
        .where('learned_version', '<>', version)
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    async countLearnFailure(documentId, version) {
      await db
        .updateTable('documents')
        .set(({ eb }) => ({ learn_failures: eb('learn_failures', '+', 1) }))
        .where('id', '=', documentId)
        .where('version', '=', version)
        .execute()
    },

    async listOfDocument(scope, documentId) {
      const rows = await db
        .selectFrom('memories')
        .selectAll()
        .where('scope', '=', scope)
        .where('source_document_id', '=', documentId)
        .orderBy('id')
        .execute()
      return rows.map(fromMemoryRow)
    },

    forgetDocument: (scope, documentId) =>
      context.transaction(async (tx) => {
        const rows = await tx.db
          .deleteFrom('memories')
          .where('scope', '=', scope)
          .where('source_document_id', '=', documentId)
          .where('author', '=', 'model')
          .where('is_edited', '=', 0)
          .where('status', '=', 'active')
          .returning('id')
          .execute()
        await unlearn(tx, [documentId])
        return rows.map(({ id }) => id)
      }),
  }
}

/** Documents whose memories were removed are read again, if they still exist. */
export async function unlearn({ db }: QueryContext, documentIds: readonly string[]): Promise<void> {
  if (documentIds.length === 0) return
  await db
    .updateTable('documents')
    .set({ learned_version: 0, learn_failures: 0 })
    .where('id', 'in', documentIds)
    .execute()
}
