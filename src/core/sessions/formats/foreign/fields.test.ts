import { expect, it } from 'vitest'
import { toInstant, toTitle } from './fields.ts'

it.each([
  ['2026-11-15T08:30:00.000Z', '2026-11-15T08:30:00.000Z'],
  ['2026-11-15T08:30:00+08:00', '2026-11-15T00:30:00.000Z'],
  ['2026-11-15 08:30:00', '2026-11-15T08:30:00.000Z'],
  ['2026-11-15T08:30', '2026-11-15T08:30:00.000Z'],
  ['2026-11-15', '2026-11-15T00:00:00.000Z'],
  [1_794_731_400_000, '2026-11-15T08:30:00.000Z'],
  [1_794_731_400, '2026-11-15T08:30:00.000Z'],
  [1_794_731_400.25, '2026-11-15T08:30:00.250Z'],
  ['1794731400', '2026-11-15T08:30:00.000Z'],
])('reads the time %j', (given, expected) => {
  expect(toInstant(given)).toBe(expected)
})

it.each([
  'yesterday',
  '2026-13-45',
  '',
  '2026',
  NaN,
  Infinity,
  -1,
  1e20,
  null,
  undefined,
  {},
  '+010000-01-01T00:00:00Z',
])('leaves out the time %j', (given) => {
  expect(toInstant(given)).toBeUndefined()
})

it('makes one line of a title and cuts it between characters', () => {
  expect(toTitle('  a\nb\tc\u0000 ')).toBe('a b c')
  expect(toTitle('x'.repeat(600))).toHaveLength(500)
  expect(toTitle(`${'x'.repeat(499)}😀`)).toBe('x'.repeat(499))
  expect(toTitle(42)).toBe('')
})
