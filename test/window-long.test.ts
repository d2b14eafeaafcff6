import { expect, it } from 'vitest'
import { converse } from '../benchmarks/window/conversation.ts'
import { temporaryFolder } from './harness.ts'

/** The figures of `benchmarks/window.ts` that do not depend on the machine, over a shorter conversation. */
it('600 turns with a memo cost at most one memo call per cut, and most of each prompt is cached', async () => {
  using folder = temporaryFolder()
  const { turns, samples, cuts, memos } = await converse(folder.path, 600)
  expect(cuts).toBeGreaterThan(30)
  expect(memos.length).toBeLessThanOrEqual(cuts)
  expect(memos.length).toBeGreaterThan(cuts * 0.9)
  const half = memos.filter(({ turn }) => turn <= turns / 2).length
  expect(memos.length - half).toBeLessThanOrEqual(half * 1.2)
  // what was taken in is not taken in again: the last calls are no longer than the first ones
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const lengths = memos.map(({ length }) => length)
  expect(mean(lengths.slice(-10))).toBeLessThan(mean(lengths.slice(1, 11)) * 1.2)
  expect(mean(samples.slice(1).map(({ prefix }) => prefix))).toBeGreaterThanOrEqual(0.85)
  // memo and static part come on top of the window's 12,000
  for (const { length } of samples) expect(length).toBeLessThan(12_000 * 1.2 + 8_000)
})
