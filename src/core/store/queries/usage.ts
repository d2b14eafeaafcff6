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

type Amounts = Partial<Omit<UsageTotals, 'calls'>>

export interface ModelCall extends Amounts {
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
   * Adds one model call to the totals of its session and of its day. Call it last in a transaction, after events too:
   * others wait for the row of the day.
   */
  recordUsage(call: ModelCall): Promise<void>
  /** The same for a call that was added to its session with the message that it made (`appendMessages`). */
  recordDayUsage(call: ModelCall): Promise<void>
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
        await tx.alongside(addToSession(tx, [...sessionAmounts(call), call.sessionId]))
        await usageQueries(tx).recordDayUsage(call)
      }),

    async recordDayUsage(call) {
      const { scope, model, kind } = call
      const values = [scope, toDay(clock.now()), model, kind, ...amountsOf(call)]
      await context.alongside(addToDay(context, values))
    },

    async listUsage(scope, { from, to }) {
      const rows = await selectDays(context, [scope, from, to])
      return rows.map((row) => ({ day: row.day, model: row.model, kind: row.kind, ...toTotals(row) }))
    },

    async getSessionUsage(sessionId) {
      const [row] = await selectSession(context, [sessionId])
      if (!row || row.calls === 0) return undefined
      return { runs: row.runs, ...toTotals(row), lastInputTokens: row.last_input_tokens ?? undefined }
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

const amountsOf = ({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cost }: Amounts) =>
  [inputTokens, outputTokens, cacheReadTokens, cost ?? null] as const

/** One call more in the row of its session; a sum with null is null, and then the one that is known counts. */
export const addCallToSession = `
  usage_runs = usage_runs + ?,
  usage_calls = usage_calls + 1,
  usage_input_tokens = usage_input_tokens + ?,
  usage_output_tokens = usage_output_tokens + ?,
  usage_cache_read_tokens = usage_cache_read_tokens + ?,
  usage_cost = coalesce(usage_cost + cast(? as double precision), usage_cost, cast(? as double precision)),
  usage_last_input_tokens = coalesce(cast(? as bigint), usage_last_input_tokens)
`
/** The values for it. */
export function sessionAmounts(call: ModelCall): (number | null)[] {
  const amounts = amountsOf(call)
  const shown = call.showsWindow ? (call.inputTokens ?? null) : null
  return [call.beginsRun ? 1 : 0, ...amounts, amounts[3], shown]
}

const addToDay = statement(`
  insert into usage_days (scope, day, model, kind, calls, input_tokens, output_tokens, cache_read_tokens, cost)
  values (?, ?, ?, ?, 1, ?, ?, ?, ?)
  on conflict (scope, day, model, kind) do update set
    calls = usage_days.calls + 1,
    input_tokens = usage_days.input_tokens + excluded.input_tokens,
    output_tokens = usage_days.output_tokens + excluded.output_tokens,
    cache_read_tokens = usage_days.cache_read_tokens + excluded.cache_read_tokens,
    cost = coalesce(usage_days.cost + excluded.cost, usage_days.cost, excluded.cost)
`)
const addToSession = statement(`update sessions set ${addCallToSession} where id = ?`)
const selectDays = statement<Tables['usage_days']>(`
  select * from usage_days where scope = ? and day between ? and ? order by day, model, kind
`)
type TotalsRow = Omit<Tables['usage_days'], 'scope' | 'day' | 'model' | 'kind'> & { runs: number }
const sumTree = statement<TotalsRow & { sessions: number }>(`
  with recursive tree (id) as (
    select id from sessions where id = ?
    union select sessions.id from sessions join tree on sessions.parent_id = tree.id
  )
  select count(*) as sessions, sum(usage_runs) as runs, sum(usage_calls) as calls,
    sum(usage_input_tokens) as input_tokens, sum(usage_output_tokens) as output_tokens,
    sum(usage_cache_read_tokens) as cache_read_tokens, sum(usage_cost) as cost
  from sessions where id in (select id from tree)
`)
const selectSession = statement<TotalsRow & { last_input_tokens: number | null }>(`
  select usage_runs as runs, usage_calls as calls, usage_input_tokens as input_tokens,
    usage_output_tokens as output_tokens, usage_cache_read_tokens as cache_read_tokens, usage_cost as cost,
    usage_last_input_tokens as last_input_tokens
  from sessions where id = ?
`)
