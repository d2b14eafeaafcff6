import { toTimestamp } from '../../protocol/names.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export interface UsageTotals {
  calls: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  /** Of the calls whose model has a price; undefined when none has. */
  cost?: number
}

export interface DayUsage extends UsageTotals {
  /** In UTC, as `2026-01-31`. */
  day: string
  model: string
  kind: string
}

export interface SessionTotals extends UsageTotals {
  runs: number
  lastInputTokens?: number
}

export interface TreeTotals extends UsageTotals {
  sessions: number
  runs: number
}

export interface ModelCall extends Partial<Omit<UsageTotals, 'calls'>> {
  scope: string
  sessionId: string
  model: string
  kind: string
  /** The first call of its run. */
  beginsRun?: boolean
  /** What it was sent is the window of the session. */
  showsWindow?: boolean
}

export interface UsageQueries {
  /**
   * Adds one model call to the totals of its day and of its session. Call it last in a transaction, after events too:
   * others wait for the row of the day.
   */
  recordUsage(call: ModelCall): Promise<void>
  /** Oldest day first; `from` and `to` are days and belong to it. */
  listUsage(scope: string, range: { from: string; to: string }): Promise<DayUsage[]>
  /** Undefined when no model was asked yet. */
  getSessionUsage(sessionId: string): Promise<SessionTotals | undefined>
  /** Of a session and all below it. */
  getTreeUsage(sessionId: string): Promise<TreeTotals>
}

export function usageQueries(context: QueryContext): UsageQueries {
  const { clock } = context
  return {
    recordUsage: (call) =>
      context.transaction(async (tx) => {
        const { scope, sessionId, model, kind, inputTokens = 0, outputTokens = 0, cacheReadTokens = 0 } = call
        const amounts = [inputTokens, outputTokens, cacheReadTokens, call.cost ?? null]
        const shown = call.showsWindow ? (call.inputTokens ?? null) : null
        await addToSession(tx, [sessionId, call.beginsRun ? 1 : 0, ...amounts, shown])
        await addToDay(tx, [scope, toDay(clock.now()), model, kind, ...amounts])
      }),

    async listUsage(scope, { from, to }) {
      const rows = await selectDays(context, [scope, from, to])
      return rows.map((row) => ({ day: row.day, model: row.model, kind: row.kind, ...toTotals(row) }))
    },

    async getSessionUsage(sessionId) {
      const [row] = await selectSession(context, [sessionId])
      return row && { runs: row.runs, ...toTotals(row), lastInputTokens: row.last_input_tokens ?? undefined }
    },

    async getTreeUsage(sessionId) {
      const [row] = await sumTree(context, [sessionId])
      const { sessions, runs, cost, ...sums } = row!
      // a sum may come as text
      const totals = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)]))
      return {
        sessions: Number(sessions),
        runs: Number(runs),
        ...toTotals({ ...(totals as typeof sums), cost }),
      }
    },
  }
}

export const toDay = (time: number): string => toTimestamp(time).slice(0, 'yyyy-mm-dd'.length)

const toTotals = (row: Omit<Tables['usage_days'], 'scope' | 'day' | 'model' | 'kind'>): UsageTotals => ({
  calls: row.calls,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  cacheReadTokens: row.cache_read_tokens,
  ...(row.cost !== null && { cost: row.cost }),
})

/** One call more; a sum with null is null, and then the one that is known counts. */
const addCall = (table: string) => `
  calls = ${table}.calls + 1,
  input_tokens = ${table}.input_tokens + excluded.input_tokens,
  output_tokens = ${table}.output_tokens + excluded.output_tokens,
  cache_read_tokens = ${table}.cache_read_tokens + excluded.cache_read_tokens,
  cost = coalesce(${table}.cost + excluded.cost, ${table}.cost, excluded.cost)
`
const addToDay = statement(`
  insert into usage_days (scope, day, model, kind, calls, input_tokens, output_tokens, cache_read_tokens, cost)
  values (?, ?, ?, ?, 1, ?, ?, ?, ?)
  on conflict (scope, day, model, kind) do update set ${addCall('usage_days')}
`)
const addToSession = statement(`
  insert into session_usage
    (session_id, runs, calls, input_tokens, output_tokens, cache_read_tokens, cost, last_input_tokens)
  values (?, ?, 1, ?, ?, ?, ?, ?)
  on conflict (session_id) do update set
    runs = session_usage.runs + excluded.runs,
    last_input_tokens = coalesce(excluded.last_input_tokens, session_usage.last_input_tokens),
    ${addCall('session_usage')}
`)
const selectDays = statement<Tables['usage_days']>(`
  select * from usage_days where scope = ? and day between ? and ? order by day, model, kind
`)
const sumTree = statement<
  Omit<Tables['session_usage'], 'session_id' | 'last_input_tokens'> & { sessions: number }
>(`
  with recursive tree (id) as (
    select id from sessions where id = ?
    union select sessions.id from sessions join tree on sessions.parent_id = tree.id
  )
  select count(*) as sessions, coalesce(sum(runs), 0) as runs, coalesce(sum(calls), 0) as calls,
    coalesce(sum(input_tokens), 0) as input_tokens, coalesce(sum(output_tokens), 0) as output_tokens,
    coalesce(sum(cache_read_tokens), 0) as cache_read_tokens, sum(cost) as cost
  from tree left join session_usage on session_usage.session_id = tree.id
`)
const selectSession = statement<Tables['session_usage']>(`select * from session_usage where session_id = ?`)
