import { sql } from 'kysely'
import type { DocumentVersion } from '../protocol/document.ts'
import { notFound } from '../../../core/protocol/error.ts'
import { toTimestamp } from '../../../core/protocol/names.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { givenFields } from '../../../core/store/rows.ts'
import { statement } from '../../../core/store/statement.ts'
import type { DocumentRow, DocumentVersionRow } from './tables.ts'
import { toWordText, wordPatterns } from '../../../core/store/search-words.ts'
import type { Actor } from '../../../core/store/queries/audit.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'

/** A document as it is stored: its times are milliseconds. */
export interface DocumentRecord {
  id: string
  scope: string
  title: string
  folder: string
  version: number
  bytes: number
  content: string
  createdAt: number
  updatedAt: number
  deletedAt?: number
}

export type DocumentHead = Omit<DocumentRecord, 'content'>

/** Who writes, and in which session. */
export interface Author {
  actor: Actor
  sessionId?: string
}

export interface DocumentQueries {
  createDocument(
    document: Pick<DocumentRecord, 'scope' | 'title' | 'folder' | 'content'> & { id?: string },
    author: Author,
  ): Promise<DocumentRecord>
  /** Undefined when it is deleted or was never there. */
  getDocument(scope: string, id: string): Promise<DocumentRecord | undefined>
  /** Throws `not_found` when the scope has no such document. */
  requireDocument(scope: string, id: string): Promise<DocumentRecord>
  /** Keeps others from changing or locking it until the transaction ends; finds deleted ones too. */
  lockDocument(scope: string, id: string): Promise<DocumentRecord | undefined>
  /** What was changed last comes first. */
  listDocuments(
    scope: string,
    filter: { folder?: string; limit: number; cursor?: string },
  ): Promise<Page<DocumentHead>>
  /**
   * Writes a document that the transaction has locked, and brings it back when it was deleted. A content that is the same
   * makes no new version.
   */
  saveDocument(
    before: DocumentRecord,
    patch: Partial<Pick<DocumentRecord, 'title' | 'folder' | 'content'>>,
    author: Author,
  ): Promise<DocumentRecord>
  /** Keeps it, with its versions, where nobody finds it. */
  deleteDocument(scope: string, id: string): Promise<void>
  /** Newest first, those before a number. */
  listDocumentVersions(id: string, page: { before?: number; limit: number }): Promise<DocumentVersion[]>
  getDocumentVersion(id: string, version: number): Promise<{ title: string; content: string } | undefined>
  /** Documents that hold all the words, what was changed last first. */
  searchDocuments(scope: string, query: { text: string; limit: number }): Promise<DocumentRecord[]>
}

export function documentQueries(context: QueryContext): DocumentQueries {
  const { db, backend, clock, ids } = context

  const getDocument: DocumentQueries['getDocument'] = async (scope, id) => {
    const [row] = await selectOne(context, [id, scope])
    return row && fromRow(row)
  }

  const addVersion = (row: WrittenRow, { actor, sessionId }: Author) =>
    insertVersion(context, [
      row.id,
      row.version,
      row.title,
      row.bytes,
      actor.type,
      actor.id,
      sessionId ?? null,
      row.updated_at,
      row.content,
    ])

  return {
    getDocument,

    async requireDocument(scope, id) {
      const document = await getDocument(scope, id)
      if (!document) throw notFound('document', id)
      return document
    },

    async lockDocument(scope, id) {
      const query = sql<DocumentRow>`
        select * from documents where id = ${id} and scope = ${scope} ${backend.forUpdate}`
      const [row] = (await query.execute(db)).rows
      return row && fromRow(row)
    },

    async createDocument({ id = ids.next('doc'), scope, title, folder, content }, author) {
      const now = clock.now()
      const row: DocumentRow = {
        id,
        scope,
        title,
        folder,
        version: 1,
        bytes: Buffer.byteLength(content),
        created_at: now,
        updated_at: now,
        deleted_at: null,
        words: toWordText(title, content),
        content,
        learned_version: 0,
        learn_failures: 0,
      }
      await db.insertInto('documents').values(row).execute()
      await addVersion(row, author)
      return fromRow(row)
    },

    async listDocuments(scope, { folder, limit, cursor }) {
      const rows = await db
        .selectFrom('documents')
        .select(['id', 'scope', 'title', 'folder', 'version', 'bytes', 'created_at', 'updated_at'])
        .where('scope', '=', scope)
        .where('deleted_at', 'is', null)
        .$if(folder !== undefined && folder !== '', (query) => query.where(isIn(folder!)))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.updated_at, toHead)
    },

    async saveDocument(before, patch, author) {
      const { title, folder, content } = { ...before, ...givenFields(patch) }
      const isSame = content === before.content
      const row: WrittenRow = {
        id: before.id,
        scope: before.scope,
        title,
        folder,
        version: before.version + (isSame ? 0 : 1),
        bytes: Buffer.byteLength(content),
        created_at: before.createdAt,
        updated_at: Math.max(clock.now(), before.updatedAt),
        deleted_at: null,
        words: toWordText(title, content),
        content,
      }
      const { id, scope: _scope, created_at: _created, ...columns } = row
      await db
        .updateTable('documents')
        .set({ ...columns, ...(!isSame && { learn_failures: 0 }) })
        .where('id', '=', id)
        .execute()
      if (!isSame) await addVersion(row, author)
      return fromRow(row)
    },

    async deleteDocument(scope, id) {
      const [row] = await updateDeleted(context, [clock.now(), id, scope])
      if (!row) throw notFound('document', id)
    },

    async listDocumentVersions(id, { before = Number.MAX_SAFE_INTEGER, limit }) {
      return (await selectVersions(context, [id, before, limit])).map(toVersion)
    },

    async getDocumentVersion(id, version) {
      const [row] = await selectVersion(context, [id, version])
      return row
    },

    async searchDocuments(scope, { text, limit }) {
      const rows = await db
        .selectFrom('documents')
        .selectAll()
        .where('scope', '=', scope)
        .where('deleted_at', 'is', null)
        .where(({ and, eb }) => and(wordPatterns(text).map((pattern) => eb('words', 'like', pattern))))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },
  }
}

/** What was learned of a document is no business of those who write it. */
type WrittenRow = Omit<DocumentRow, 'learned_version' | 'learn_failures'>

/** In the folder itself or further in; compared by its beginning, since `like` would take `_` for any character. */
const isIn = (folder: string) =>
  sql<boolean>`(folder = ${folder} or substr(folder, 1, ${sql.lit([...folder].length + 1)}) = ${`${folder}/`})`

const toHead = (
  row: Pick<
    DocumentRow,
    'id' | 'scope' | 'title' | 'folder' | 'version' | 'bytes' | 'created_at' | 'updated_at'
  >,
): DocumentHead => ({
  id: row.id,
  scope: row.scope,
  title: row.title,
  folder: row.folder,
  version: row.version,
  bytes: row.bytes,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const fromRow = (row: WrittenRow): DocumentRecord => ({
  ...toHead(row),
  content: row.content,
  ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
})

const toVersion = (row: Omit<DocumentVersionRow, 'content'>): DocumentVersion => ({
  version: row.version,
  title: row.title,
  bytes: row.bytes,
  author: { type: row.author_type, id: row.author_id },
  ...(row.session_id !== null && { sessionId: row.session_id }),
  createdAt: toTimestamp(row.created_at),
})

const selectOne = statement<DocumentRow>(
  `select * from documents where id = ? and scope = ? and deleted_at is null`,
)
const updateDeleted = statement<{ id: string }>(
  `update documents set deleted_at = ? where id = ? and scope = ? and deleted_at is null returning id`,
)
const insertVersion = statement(`
  insert into document_versions
    (document_id, version, title, bytes, author_type, author_id, session_id, created_at, content)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const selectVersions = statement<Omit<DocumentVersionRow, 'content'>>(`
  select document_id, version, title, bytes, author_type, author_id, session_id, created_at
  from document_versions where document_id = ? and version < ? order by version desc limit ?
`)
const selectVersion = statement<{ title: string; content: string }>(
  `select title, content from document_versions where document_id = ? and version = ?`,
)
