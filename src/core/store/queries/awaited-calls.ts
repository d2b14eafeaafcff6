import type { AwaitedCall } from '../../protocol/awaited-call.ts'
import { toTimestamp } from '../../protocol/names.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { AwaitedCallRow } from '../tables/runs.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'

type Call = Pick<AwaitedCall, 'toolCallId' | 'toolName' | 'input'>

export interface NewAwaitedCall extends Call, Pick<AwaitedCall, 'scope' | 'sessionId' | 'runId'> {
  id?: string
  /** What no other call of the run has. */
  callKey: string
  timeoutMs: number
}

export type CallAnswer = { output: unknown } | { errorText: string }

export interface AwaitedCallFilter {
  status: AwaitedCall['status']
  sessionId?: string
  runId?: string
  limit: number
  cursor?: string
}

export interface AwaitedCallQueries {
  /** Once for a call: asked again, it answers with what became of the first one. */
  createAwaitedCall(call: NewAwaitedCall): Promise<{ call: AwaitedCall; isNew: boolean }>
  getAwaitedCall(scope: string, id: string): Promise<AwaitedCall | undefined>
  findAwaitedCall(runId: string, callKey: string): Promise<AwaitedCall | undefined>
  /** Newest first. */
  listAwaitedCalls(scope: string, filter: AwaitedCallFilter): Promise<Page<AwaitedCall>>
  /** Undefined when it was settled before, or its time is over. */
  answerAwaitedCall(id: string, answer: CallAnswer, answeredBy: string): Promise<AwaitedCall | undefined>
  /** Undefined when there is time left, or it was settled. */
  expireAwaitedCall(id: string): Promise<AwaitedCall | undefined>
  /** Of a finished run, whose message has the results. Returns those that nobody waits for any more. */
  endAwaitedCalls(runId: string): Promise<AwaitedCall[]>
}

export function awaitedCallQueries(context: QueryContext): AwaitedCallQueries {
  const { db, ids } = context
  const first = (rows: AwaitedCallRow[]) => rows[0] && fromRow(rows[0])
  return {
    async createAwaitedCall({ id, scope, sessionId, runId, callKey, timeoutMs, ...call }) {
      const { toolCallId, toolName, input } = call
      const text = JSON.stringify({ toolCallId, toolName, input })
      const [row] = await insertOne(context, [
        id ?? ids.next('call'),
        scope,
        sessionId,
        runId,
        callKey,
        text,
        timeoutMs,
      ])
      if (row) return { call: fromRow(row), isNew: true }
      const [known] = await selectOfRun(context, [runId, callKey])
      return { call: fromRow(known!), isNew: false }
    },
    getAwaitedCall: async (scope, id) => first(await selectOne(context, [scope, id])),
    findAwaitedCall: async (runId, callKey) => first(await selectOfRun(context, [runId, callKey])),

    async listAwaitedCalls(scope, { status, sessionId, runId, limit, cursor }) {
      const rows = await db
        .selectFrom('awaited_calls')
        .selectAll()
        .where('scope', '=', scope)
        .where('status', '=', status)
        .$if(sessionId !== undefined, (query) => query.where('session_id', '=', sessionId!))
        .$if(runId !== undefined, (query) => query.where('run_id', '=', runId!))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromRow)
    },

    answerAwaitedCall: async (id, answer, answeredBy) =>
      first(await updateAnswered(context, [JSON.stringify(answer), answeredBy, id])),
    expireAwaitedCall: async (id) => first(await updateExpired(context, [id])),
    async endAwaitedCalls(runId) {
      const cancelled = await updateCancelled(context, [runId])
      await dropAnswers(context, [runId])
      return cancelled.map(fromRow)
    },
  }
}

function fromRow(row: AwaitedCallRow): AwaitedCall {
  return {
    id: row.id,
    scope: row.scope,
    sessionId: row.session_id,
    runId: row.run_id,
    ...(JSON.parse(row.call) as Call),
    status: row.status,
    ...(row.answer !== null && (JSON.parse(row.answer) as CallAnswer)),
    expiresAt: toTimestamp(row.expires_at),
    createdAt: toTimestamp(row.created_at),
    ...(row.settled_at !== null && { settledAt: toTimestamp(row.settled_at) }),
    ...(row.answered_by !== null && { answeredBy: row.answered_by }),
  }
}

const insertOne = statement<AwaitedCallRow>(`
  insert into awaited_calls
    (id, scope, session_id, run_id, call_key, call, status, expires_at, created_at)
  values (?, ?, ?, ?, ?, ?, 'waiting', {now} + ?, {now})
  on conflict (run_id, call_key) do nothing returning *
`)
const selectOfRun = statement<AwaitedCallRow>(`select * from awaited_calls where run_id = ? and call_key = ?`)
const selectOne = statement<AwaitedCallRow>(`select * from awaited_calls where scope = ? and id = ?`)
const updateAnswered = statement<AwaitedCallRow>(`
  update awaited_calls set status = 'answered', answer = ?, answered_by = ?, settled_at = {now}
  where id = ? and status = 'waiting' and expires_at > {now} returning *
`)
const updateExpired = statement<AwaitedCallRow>(`
  update awaited_calls set status = 'expired', settled_at = {now}
  where id = ? and status = 'waiting' and expires_at <= {now} returning *
`)
const updateCancelled = statement<AwaitedCallRow>(`
  update awaited_calls set status = 'cancelled', settled_at = {now}
  where run_id = ? and status = 'waiting' returning *
`)
const dropAnswers = statement(
  `update awaited_calls set answer = null where run_id = ? and answer is not null`,
)
