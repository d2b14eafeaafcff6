import { sql } from 'kysely'
import { conflict, notFound, quote } from '../../../core/protocol/error.ts'
import { toTimestamp } from '../../../core/protocol/names.ts'
import type { WorkflowSummary, WorkflowVersion, WorkflowVersionText } from '../protocol/workflow.ts'
import type { Backend } from '../../../core/store/backend.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { WorkflowRow, WorkflowVersionRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import type { Author } from '../../documents/store/documents.ts'

/** What lists show of a definition. */
export type WorkflowFacts = Pick<WorkflowSummary, 'description' | 'args' | 'tags' | 'triggers' | 'stepCount'>

/** A definition as it is stored: its times are milliseconds. */
export interface WorkflowRecord {
  id: string
  scope: string
  name: string
  version: number
  facts: WorkflowFacts
  text: string
  /** From the root of the scope. */
  file?: string
  /** Of what was last read from the file or written to it. */
  fileHash?: string
  fileProblem?: string
  managementSessionId?: string
  createdAt: number
  updatedAt: number
}

export type WorkflowHead = Omit<WorkflowRecord, 'text' | 'fileHash'>

/** What a save writes. */
export type WorkflowText = Pick<WorkflowRecord, 'name' | 'facts' | 'text'>

export type WorkflowAuthor = Author & { cause: WorkflowVersion['cause'] }

/** `null` removes a value, `undefined` keeps it. */
export interface WorkflowFilePatch {
  file?: string | null
  fileHash?: string | null
  fileProblem?: string | null
}

export interface WorkflowQueries {
  /** Refused with `conflict` when the scope has one of that name. */
  createWorkflow(
    workflow: WorkflowText & { id?: string; scope: string },
    author: WorkflowAuthor,
  ): Promise<WorkflowRecord>
  getWorkflow(scope: string, id: string): Promise<WorkflowRecord | undefined>
  /** Throws `not_found` when the scope has no such workflow. */
  requireWorkflow(scope: string, id: string): Promise<WorkflowRecord>
  /** Keeps others from changing it until the transaction ends. */
  lockWorkflow(scope: string, id: string): Promise<WorkflowRecord | undefined>
  getWorkflowByName(scope: string, name: string): Promise<WorkflowRecord | undefined>
  /** The one that the session edits. */
  getWorkflowOfSession(sessionId: string): Promise<WorkflowRecord | undefined>
  /** What was changed last comes first. */
  listWorkflows(
    scope: string,
    filter: { q?: string; limit: number; cursor?: string },
  ): Promise<Page<WorkflowHead>>
  /** Those that have a file. */
  listWorkflowFiles(scope: string): Promise<WorkflowRecord[]>
  /** Makes a new version of one that the transaction has locked. Refused with `conflict` when its new name is taken. */
  saveWorkflow(before: WorkflowRecord, text: WorkflowText, author: WorkflowAuthor): Promise<WorkflowRecord>
  /** Deletes its versions too. */
  deleteWorkflow(scope: string, id: string): Promise<void>
  /** Newest first, those before a number. */
  listWorkflowVersions(id: string, page: { before?: number; limit: number }): Promise<WorkflowVersion[]>
  getWorkflowVersion(id: string, version: number): Promise<WorkflowVersionText | undefined>
  /** Does not count as a change of the definition. */
  setManagementSession(id: string, sessionId: string | null): Promise<void>
  /** Nor does this. */
  setWorkflowFile(id: string, patch: WorkflowFilePatch): Promise<void>
}

export function workflowQueries(context: QueryContext): WorkflowQueries {
  const { db, backend, clock, ids } = context

  const getWorkflow: WorkflowQueries['getWorkflow'] = async (scope, id) => {
    const [row] = await selectOne(context, [id, scope])
    return row && fromRow(row)
  }

  const getWorkflowByName: WorkflowQueries['getWorkflowByName'] = async (scope, name) => {
    const [row] = await selectByName(context, [scope, name])
    return row && fromRow(row)
  }

  const refuseTaken = (name: string, id: string | undefined): never => {
    throw conflict(`The scope has a workflow ${quote(name)} already.`, { id })
  }

  return {
    getWorkflow,
    getWorkflowByName,

    async requireWorkflow(scope, id) {
      const workflow = await getWorkflow(scope, id)
      if (!workflow) throw notFound('workflow', id)
      return workflow
    },

    async lockWorkflow(scope, id) {
      const query = sql<WorkflowRow>`
        select * from workflows where id = ${id} and scope = ${scope} ${backend.forUpdate}`
      const [row] = (await query.execute(db)).rows
      return row && fromRow(row)
    },

    async getWorkflowOfSession(sessionId) {
      const [row] = await selectOfSession(context, [sessionId])
      return row && fromRow(row)
    },

    createWorkflow: ({ id, scope, name, facts, text }, author) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const row: WorkflowRow = {
          id: id ?? ids.next('wfl'),
          scope,
          name,
          version: 1,
          facts: JSON.stringify(facts),
          text,
          file: null,
          file_hash: null,
          file_problem: null,
          management_session_id: null,
          created_at: now,
          updated_at: now,
        }
        const { numInsertedOrUpdatedRows } = await tx.db
          .insertInto('workflows')
          .values(row)
          .onConflict((oc) => oc.columns(['scope', 'name']).doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows !== 1n) refuseTaken(name, (await selectByName(tx, [scope, name]))[0]?.id)
        await addVersion(tx, row, author)
        return fromRow(row)
      }),

    async listWorkflows(scope, { q, limit, cursor }) {
      const rows = await db
        .selectFrom('workflows')
        .select([
          'id',
          'scope',
          'name',
          'version',
          'facts',
          'file',
          'file_problem',
          'management_session_id',
          'created_at',
          'updated_at',
        ])
        .where('scope', '=', scope)
        .$if(q !== undefined, (query) => query.where(holds(q!, backend)))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.updated_at, toHead)
    },

    async listWorkflowFiles(scope) {
      const rows = await db
        .selectFrom('workflows')
        .selectAll()
        .where('scope', '=', scope)
        .where('file', 'is not', null)
        .orderBy('file')
        .execute()
      return rows.map(fromRow)
    },

    async saveWorkflow(before, { name, facts, text }, author) {
      const { id, scope } = before
      const namesake = name === before.name ? undefined : await getWorkflowByName(scope, name)
      if (namesake) refuseTaken(name, namesake.id)
      const row = await db
        .updateTable('workflows')
        .set({
          name,
          text,
          facts: JSON.stringify(facts),
          version: before.version + 1,
          updated_at: Math.max(clock.now(), before.updatedAt),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
        // two that take the same name at once: one comes too late
        .catch((error: unknown) =>
          backend.isUniqueViolation(error) ? refuseTaken(name, undefined) : fail(error),
        )
      await addVersion(context, row, author)
      return fromRow(row)
    },

    async deleteWorkflow(scope, id) {
      const [row] = await deleteOne(context, [id, scope])
      if (!row) throw notFound('workflow', id)
    },

    async listWorkflowVersions(id, { before = Number.MAX_SAFE_INTEGER, limit }) {
      return (await selectVersions(context, [id, before, limit])).map(toVersion)
    },

    async getWorkflowVersion(id, version) {
      const [row] = await selectVersion(context, [id, version])
      return row && { ...toVersion(row), text: row.text }
    },

    async setManagementSession(id, sessionId) {
      await updateManagement(context, [sessionId, id])
    },

    async setWorkflowFile(id, { file, fileHash, fileProblem }) {
      await db
        .updateTable('workflows')
        .set({
          ...(file !== undefined && { file }),
          ...(fileHash !== undefined && { file_hash: fileHash }),
          ...(fileProblem !== undefined && { file_problem: fileProblem }),
        })
        .where('id', '=', id)
        .execute()
    },
  }
}

const fail = (error: unknown): never => {
  throw error
}

/** A part of the name or of the description. */
function holds(q: string, backend: Backend) {
  const part = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const description =
    backend.name === 'postgres' ? sql`facts::json->>'description'` : sql`json_extract(facts, '$.description')`
  return sql<boolean>`(lower(name) like lower(${part}) escape '\\' or lower(${description}) like lower(${part}) escape '\\')`
}

const toHead = (row: Omit<WorkflowRow, 'text' | 'file_hash'>): WorkflowHead => ({
  id: row.id,
  scope: row.scope,
  name: row.name,
  version: row.version,
  facts: JSON.parse(row.facts) as WorkflowFacts,
  ...(row.file !== null && { file: row.file }),
  ...(row.file_problem !== null && { fileProblem: row.file_problem }),
  ...(row.management_session_id !== null && { managementSessionId: row.management_session_id }),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const fromRow = (row: WorkflowRow): WorkflowRecord => ({
  ...toHead(row),
  text: row.text,
  ...(row.file_hash !== null && { fileHash: row.file_hash }),
})

const toVersion = (row: Omit<WorkflowVersionRow, 'text'>): WorkflowVersion => ({
  version: row.version,
  cause: row.cause,
  author: row.author,
  ...(row.session_id !== null && { sessionId: row.session_id }),
  createdAt: toTimestamp(row.created_at),
})

const addVersion = (context: QueryContext, row: WorkflowRow, { cause, actor, sessionId }: WorkflowAuthor) =>
  insertVersion(context, [row.id, row.version, cause, actor.id, sessionId ?? null, row.text, row.updated_at])

const selectOne = statement<WorkflowRow>(`select * from workflows where id = ? and scope = ?`)
const selectByName = statement<WorkflowRow>(`select * from workflows where scope = ? and name = ?`)
const selectOfSession = statement<WorkflowRow>(`select * from workflows where management_session_id = ?`)
const deleteOne = statement<{ id: string }>(`delete from workflows where id = ? and scope = ? returning id`)
const updateManagement = statement(`update workflows set management_session_id = ? where id = ?`)
const insertVersion = statement(`
  insert into workflow_versions (workflow_id, version, cause, author, session_id, text, created_at)
  values (?, ?, ?, ?, ?, ?, ?)
`)
const selectVersions = statement<Omit<WorkflowVersionRow, 'text'>>(`
  select workflow_id, version, cause, author, session_id, created_at
  from workflow_versions where workflow_id = ? and version < ? order by version desc limit ?
`)
const selectVersion = statement<WorkflowVersionRow>(
  `select * from workflow_versions where workflow_id = ? and version = ?`,
)
