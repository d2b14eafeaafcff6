import { invalidRequest } from '../protocol/error.ts'
import { fromTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { SessionUsage, UsagePage, UsageQuery } from '../protocol/usage.ts'
import type { Clock } from '../shared/clock.ts'
import { toDay, type UsageTotals } from '../store/queries/usage.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'
import type { Windows } from './window/windows.ts'

const dayMs = 24 * 3_600_000
const defaultDays = 30
// some years; a row for each model and kind of a day is few, and there is no second page
const maxDays = 1_100

/** By day, model and kind of run. Reads totals, so it costs the same however many runs there were. */
export async function getUsage(
  store: StoreOperations,
  clock: Clock,
  { scope }: Caller,
  { from: givenFrom, to = toDay(clock.now()) }: UsageQuery,
): Promise<UsagePage> {
  const from = givenFrom ?? toDay(fromTimestamp(to) - (defaultDays - 1) * dayMs)
  const days = (fromTimestamp(to) - fromTimestamp(from)) / dayMs + 1
  if (days < 1) throw invalidRequest(`"from" (${from}) is after "to" (${to}).`)
  if (days > maxDays) throw invalidRequest(`From ${from} to ${to} are ${days} days; the most is ${maxDays}.`)
  const items = await store.listUsage(scope, { from, to })
  return { items, totals: sumTotals(items) }
}

interface SessionUsageOptions {
  /** Adds what its tasks used. */
  tasks?: boolean
  /** The totals of a session that is made of others; undefined for any other. */
  sumOf?(session: Session, own: SessionTotals): Promise<SessionTotals> | undefined
}

/** What a session used so far, and how full its window is. Reads one row, however many runs there were. */
export async function getSessionUsage(
  store: StoreOperations,
  windows: Windows,
  { scope }: Caller,
  id: string,
  { tasks = false, sumOf }: SessionUsageOptions = {},
): Promise<SessionUsage> {
  const session = await store.requireSession(scope, id)
  const { maxTokens } = await windows.effective(session)
  const own = (await store.getSessionUsage(id)) ?? { runs: 0, ...none }
  const { lastInputTokens: tokens = 0, ...totals } = (await sumOf?.(session, own)) ?? own
  return {
    ...totals,
    ...(tasks && { withTasks: await store.getTreeUsage(id) }),
    window: { tokens, ...(maxTokens > 0 && { limitTokens: maxTokens }) },
  }
}

/** Of a session that is made of others: what all of them used, and the fullest window. */
export const sumSessions = (all: readonly SessionTotals[]): SessionTotals => ({
  ...sumTotals(all),
  runs: all.reduce((sum, { runs }) => sum + runs, 0),
  lastInputTokens: Math.max(...all.map(({ lastInputTokens = 0 }) => lastInputTokens)),
})

export type SessionTotals = UsageTotals & { runs: number; lastInputTokens?: number }

const none: UsageTotals = { calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }

function sumTotals(items: readonly UsageTotals[]): UsageTotals {
  const sum = { ...none }
  for (const item of items) {
    sum.calls += item.calls
    sum.inputTokens += item.inputTokens
    sum.outputTokens += item.outputTokens
    sum.cacheReadTokens += item.cacheReadTokens
    if (item.cost !== undefined) sum.cost = (sum.cost ?? 0) + item.cost
  }
  return sum
}
