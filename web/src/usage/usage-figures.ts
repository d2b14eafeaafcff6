import type { UsagePage } from '../../../src/client/index.ts'

export type UsageRow = UsagePage['items'][number]
export type Figures = UsagePage['totals']
export type Metric = 'tokens' | 'cost'
export type Split = 'model' | 'kind'

const dayMs = 24 * 3_600_000

export const toDay = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Every day from one to another, both included. */
export function listDays(from: string, to: string): string[] {
  const first = Date.parse(from)
  const count = Math.round((Date.parse(to) - first) / dayMs) + 1
  return Array.from({ length: Math.max(count, 0) }, (_, index) => toDay(first + index * dayMs))
}

/** So many days, of which the last is today. */
export const lastDays = (days: number, now: number) => ({
  from: toDay(now - (days - 1) * dayMs),
  to: toDay(now),
})

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** Sums rows that have the same key, in the order in which the keys come. */
export function sumBy(rows: readonly UsageRow[], toKey: (row: UsageRow) => string): Map<string, Figures> {
  const sums = new Map<string, Figures>()
  for (const row of rows) {
    const key = toKey(row)
    sums.set(key, add(sums.get(key), row))
  }
  return sums
}

function add(sum: Figures | undefined, row: Figures): Figures {
  const { calls, inputTokens, outputTokens, cacheReadTokens, cost } = row
  if (!sum) return { calls, inputTokens, outputTokens, cacheReadTokens, ...(cost !== undefined && { cost }) }
  return {
    calls: sum.calls + calls,
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    cacheReadTokens: sum.cacheReadTokens + cacheReadTokens,
    ...((sum.cost ?? cost) !== undefined && { cost: (sum.cost ?? 0) + (cost ?? 0) }),
  }
}

export const valueOf = (figures: Figures, metric: Metric) =>
  metric === 'cost' ? (figures.cost ?? 0) : figures.inputTokens + figures.outputTokens

/** Undefined when nothing was sent. */
export const cachedShare = ({ inputTokens, cacheReadTokens }: Figures) =>
  inputTokens === 0 ? undefined : Math.min(cacheReadTokens / inputTokens, 1)

export interface Bar {
  day: string
  /** By the number of the series. */
  values: number[]
}

export interface Chart {
  /** The largest first; when there are more than fit, the last one stands for the rest. */
  series: string[]
  bars: Bar[]
}

/** One bar for each day, also for those on which nothing was asked. `others` names what does not get a colour. */
export function toChart(
  rows: readonly UsageRow[],
  days: readonly string[],
  { metric, split, most, others }: { metric: Metric; split: Split; most: number; others: string },
): Chart {
  const sums = sumBy(rows, (row) => row[split])
  const names = [...sums.keys()].sort((a, b) => valueOf(sums.get(b)!, metric) - valueOf(sums.get(a)!, metric))
  const series = names.length <= most ? names : [...names.slice(0, most - 1), others]
  const place = new Map(names.map((name, index) => [name, Math.min(index, series.length - 1)]))
  const bars = new Map(days.map((day) => [day, series.map(() => 0)]))
  for (const row of rows) {
    const values = bars.get(row.day)
    if (values) values[place.get(row[split])!]! += valueOf(row, metric)
  }
  return { series, bars: days.map((day) => ({ day, values: bars.get(day)! })) }
}

/** Round numbers from zero to one that the largest bar does not exceed. */
export function toScale(largest: number): { top: number; ticks: number[] } {
  const least = (largest || 1) / 4
  const unit = 10 ** Math.floor(Math.log10(least))
  const step = unit * ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].find((factor) => factor * unit >= least) ?? 10)
  const steps = Math.max(1, Math.ceil(largest / step))
  return { top: steps * step, ticks: Array.from({ length: steps + 1 }, (_, index) => index * step) }
}
