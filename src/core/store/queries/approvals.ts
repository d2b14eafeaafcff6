import type { Approval } from '../../protocol/approval.ts'
import { toTimestamp } from '../../protocol/names.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { ApprovalRow } from '../tables/runs.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'

/** What a person is asked, as one text; the rest has columns. */
type Request = Omit<
  Approval,
  | 'id'
  | 'scope'
  | 'sessionId'
  | 'parentSessionId'
  | 'runId'
  | 'toolCallId'
  | 'status'
  | 'fallback'
  | 'expiresAt'
  | 'createdAt'
  | 'decidedAt'
  | 'decidedBy'
  | 'message'
  | 'refuses'
>

export interface NewApproval extends Request {
  id?: string
  scope: string
  sessionId: string
  parentSessionId?: string
  runId: string
  toolCallId: string
  fallback: Approval['fallback']
  timeoutMs: number
}

/** What a person answered besides yes or no. */
export interface ApprovalAnswer {
  message?: string
  /** The call is made with this instead. */
  input?: Record<string, unknown>
}

export interface StoredApproval extends Approval {
  answer?: ApprovalAnswer
}

export interface ApprovalFilter {
  status?: Approval['status']
  /** Those of this session and of the tasks that it started. */
  sessionId?: string
  limit: number
  cursor?: string
}

export interface ApprovalQueries {
  /** Asks once for a call: asked again, it answers with what became of the first ask. */
  createApproval(approval: NewApproval): Promise<{ approval: StoredApproval; isNew: boolean }>
  getApproval(scope: string, id: string): Promise<StoredApproval | undefined>
  /** The ask for a call, by the id that it was asked with. */
  findApproval(runId: string, toolCallId: string): Promise<StoredApproval | undefined>
  /** Newest first. */
  listApprovals(scope: string, filter: ApprovalFilter): Promise<Page<StoredApproval>>
  /** Undefined when it was decided before, or has expired. */
  decideApproval(
    id: string,
    decision: { status: 'approved' | 'denied'; decidedBy: string; answer?: ApprovalAnswer },
  ): Promise<StoredApproval | undefined>
  /** Undefined when there is time left, or it was decided. */
  expireApproval(id: string): Promise<StoredApproval | undefined>
  /** Of a finished run: nobody needs to decide any more. Returns those that were pending. */
  cancelApprovals(runId: string): Promise<StoredApproval[]>
}

export function approvalQueries(context: QueryContext): ApprovalQueries {
  const { db, ids } = context
  const settled = (rows: ApprovalRow[]) =>
    rows.map((row) => {
      context.changed({ type: 'approval-settled', scope: row.scope, id: row.id })
      return fromRow(row)
    })
  return {
    async createApproval({
      id,
      timeoutMs,
      scope,
      sessionId,
      parentSessionId,
      runId,
      toolCallId,
      fallback,
      ...request
    }) {
      const [row] = await insertOne(context, [
        id ?? ids.next('apr'),
        scope,
        sessionId,
        parentSessionId ?? null,
        runId,
        toolCallId,
        JSON.stringify(request),
        fallback,
        timeoutMs,
      ])
      if (row) return { approval: fromRow(row), isNew: true }
      const [known] = await selectOfCall(context, [runId, toolCallId])
      return { approval: fromRow(known!), isNew: false }
    },

    async findApproval(runId, toolCallId) {
      const [row] = await selectOfCall(context, [runId, toolCallId])
      return row && fromRow(row)
    },

    async getApproval(scope, id) {
      const [row] = await selectOne(context, [scope, id])
      return row && fromRow(row)
    },

    async listApprovals(scope, { status, sessionId, limit, cursor }) {
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .where('scope', '=', scope)
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .$if(sessionId !== undefined, (query) =>
          query.where(({ or, eb }) =>
            or([eb('session_id', '=', sessionId!), eb('parent_id', '=', sessionId!)]),
          ),
        )
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    async decideApproval(id, { status, decidedBy, answer }) {
      const values = [status, decidedBy, answer ? JSON.stringify(answer) : null, id]
      return settled(await updateDecided(context, values))[0]
    },

    expireApproval: async (id) => settled(await updateExpired(context, [id]))[0],
    cancelApprovals: async (runId) => settled(await updateCancelled(context, [runId])),
  }
}

function fromRow(row: ApprovalRow): StoredApproval {
  return {
    id: row.id,
    scope: row.scope,
    sessionId: row.session_id,
    ...(row.parent_id !== null && { parentSessionId: row.parent_id }),
    runId: row.run_id,
    toolCallId: row.tool_call_id,
    ...(JSON.parse(row.request) as Request),
    status: row.status,
    fallback: row.fallback,
    expiresAt: toTimestamp(row.expires_at),
    createdAt: toTimestamp(row.created_at),
    ...(row.decided_at !== null && { decidedAt: toTimestamp(row.decided_at) }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.answer !== null && { answer: JSON.parse(row.answer) as ApprovalAnswer }),
  }
}

const insertOne = statement<ApprovalRow>(`
  insert into approvals
    (id, scope, session_id, parent_id, run_id, tool_call_id, request, status, fallback, expires_at, created_at)
  values (?, ?, ?, ?, ?, ?, ?, 'pending', ?, {now} + ?, {now})
  on conflict (run_id, tool_call_id) do nothing returning *
`)
const selectOfCall = statement<ApprovalRow>(`select * from approvals where run_id = ? and tool_call_id = ?`)
const selectOne = statement<ApprovalRow>(`select * from approvals where scope = ? and id = ?`)
const updateDecided = statement<ApprovalRow>(`
  update approvals set status = ?, decided_by = ?, answer = ?, decided_at = {now}
  where id = ? and status = 'pending' and expires_at > {now} returning *
`)
const updateExpired = statement<ApprovalRow>(`
  update approvals set status = 'expired', decided_at = {now}
  where id = ? and status = 'pending' and expires_at <= {now} returning *
`)
const updateCancelled = statement<ApprovalRow>(`
  update approvals set status = 'cancelled', decided_at = {now}
  where run_id = ? and status = 'pending' returning *
`)
