import { describe, expect, it } from 'vitest'
import {
  cachedShare,
  isDay,
  lastDays,
  listDays,
  sumBy,
  toChart,
  toScale,
  type UsageRow,
} from './usage-figures.ts'

const row = (day: string, model: string, more: Partial<UsageRow> = {}): UsageRow => ({
  day,
  model,
  kind: 'turn',
  calls: 1,
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 40,
  ...more,
})

describe('usage', () => {
  it('has every day of a range, over the end of a year too', () => {
    expect(listDays('2026-12-30', '2027-01-02')).toEqual([
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
      '2027-01-02',
    ])
    expect(listDays('2026-12-30', '2026-12-29')).toEqual([])
    expect(lastDays(7, Date.parse('2026-11-15T23:59:59Z'))).toEqual({ from: '2026-11-09', to: '2026-11-15' })
  })

  it('knows what is a day', () => {
    expect(['2026-11-15', '2026-13-01', 'yesterday', undefined].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('is summed, with a cost only where one is known', () => {
    const rows = [
      row('2026-11-14', 'a', { cost: 1 }),
      row('2026-11-15', 'a', { cost: 2 }),
      row('2026-11-15', 'b'),
    ]
    expect(Object.fromEntries(sumBy(rows, ({ model }) => model))).toEqual({
      a: { calls: 2, inputTokens: 200, outputTokens: 20, cacheReadTokens: 80, cost: 3 },
      b: { calls: 1, inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 },
    })
  })

  it('was sent from a cache to some share', () => {
    expect(cachedShare(row('2026-11-15', 'a'))).toBe(0.4)
    expect(cachedShare(row('2026-11-15', 'a', { inputTokens: 0 }))).toBeUndefined()
  })

  it('is drawn with a bar for each day, the largest first, and the rest as one', () => {
    const rows = [
      row('2026-11-14', 'small', { outputTokens: 0 }),
      row('2026-11-14', 'large', { inputTokens: 1_000 }),
      row('2026-11-16', 'tiny', { inputTokens: 1, outputTokens: 0 }),
    ]
    const options = { metric: 'tokens', split: 'model', most: 2, others: 'Others' } as const
    expect(toChart(rows, listDays('2026-11-14', '2026-11-16'), options)).toEqual({
      series: ['large', 'Others'],
      bars: [
        { day: '2026-11-14', values: [1_010, 100] },
        { day: '2026-11-15', values: [0, 0] },
        { day: '2026-11-16', values: [0, 1] },
      ],
    })
  })

  it('is held against round numbers that the largest bar does not exceed', () => {
    expect(toScale(97_000)).toEqual({ top: 100_000, ticks: [0, 25_000, 50_000, 75_000, 100_000] })
    expect(toScale(1_200).ticks).toEqual([0, 300, 600, 900, 1_200])
    expect(toScale(4).ticks).toEqual([0, 1, 2, 3, 4])
    expect(toScale(0.07).ticks).toHaveLength(5)
    expect(toScale(0)).toMatchObject({ top: 0.25 })
    for (const largest of [1, 9, 10, 11, 99, 100, 101, 12_345, 0.003, 1e9]) {
      const { top, ticks } = toScale(largest)
      expect(top).toBeGreaterThanOrEqual(largest)
      expect(top).toBeLessThan(largest * 1.7)
      expect(ticks.at(-1)).toBeCloseTo(top)
      expect(ticks.length).toBeLessThanOrEqual(6)
    }
  })
})
