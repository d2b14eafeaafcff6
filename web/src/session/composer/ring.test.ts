import { expect, it } from 'vitest'
import { toArc, toFullness, toPercent } from './ring.ts'

it.each([
  [0, 'calm', 0],
  [749, 'calm', 74],
  [750, 'high', 75],
  [899, 'high', 89],
  [900, 'full', 90],
  [1_000, 'full', 100],
  [5_000, 'full', 100],
])('%d of 1000 tokens are %s', (tokens, level, percent) => {
  const fullness = toFullness({ tokens, limitTokens: 1_000 })
  expect(fullness.level).toBe(level)
  expect(toPercent(fullness.share!)).toBe(percent)
})

it('has no share where there is no limit', () => {
  expect(toFullness({ tokens: 12 })).toEqual({ tokens: 12, level: 'calm' })
  expect(toFullness({ tokens: 12, limitTokens: 0 }).share).toBeUndefined()
})

it('shows a little of a circle for little, and nothing for nothing', () => {
  expect(toArc(0, 100)).toBe(0)
  expect(toArc(0.001, 100)).toBe(2)
  expect(toArc(0.5, 100)).toBe(50)
})
