import { describe, expect, it } from 'vitest'
import { costOf, type Price } from './budget.ts'

const million = 1_000_000

describe('the cost of a call', () => {
  const price: Price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }

  it('is by what was fresh, read from the cache, written to it, and answered', () => {
    const usage = {
      inputTokens: 10 * million,
      cacheReadTokens: 2 * million,
      cacheWriteTokens: 3 * million,
      outputTokens: million,
    }
    expect(costOf(usage, price)).toBeCloseTo(5 * 10 + 2 * 1 + 3 * 12.5 + 50)
    // without prices of their own they are input as any other
    expect(costOf(usage, { input: 10, output: 50 })).toBeCloseTo(10 * 10 + 50)
    expect(costOf(usage, undefined)).toBe(0)
    expect(costOf({}, price)).toBe(0)
  })

  it('is by the tier that its input falls into, for all of it', () => {
    const tiered: Price = {
      input: 1,
      output: 2,
      tiers: [
        { above: 100, input: 10, output: 20 },
        { above: 1_000, input: 100, output: 200 },
      ],
    }
    const cost = (inputTokens: number) => costOf({ inputTokens, outputTokens: 10 }, tiered) * million
    expect(cost(100)).toBeCloseTo(100 + 20)
    expect(cost(101)).toBeCloseTo(1_010 + 200)
    expect(cost(1_001)).toBeCloseTo(100_100 + 2_000)
  })
})
