import { expect, it } from 'vitest'
import { formatLeft } from './format-left.ts'

it.each([
  [1, '0:01'],
  [59_000, '0:59'],
  [60_000, '1:00'],
  [244_100, '4:05'],
  [3_600_000, '1:00:00'],
  [7_384_000, '2:03:04'],
])('says %i ms as %s', (ms, text) => expect(formatLeft(ms)).toBe(text))
