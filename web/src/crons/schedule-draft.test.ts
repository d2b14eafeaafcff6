import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptySchedule, toLine, toSchedule } from './schedule-draft.ts'

describe('a schedule in the form', () => {
  it.each([
    ['15 * * * *', { kind: 'hourly', minute: '15' }],
    ['30 2 * * *', { kind: 'daily', time: '02:30' }],
    ['0 9 * * 1-5', { kind: 'weekdays', time: '09:00' }],
    ['0 9 * * 0', { kind: 'weekly', weekday: '0' }],
    ['5 0 L * *', { kind: 'monthly', day: 'L', time: '00:05' }],
    ['once:2026-11-15T08:30:00', { kind: 'once', at: '2026-11-15T08:30' }],
    ['once:2026-11-15T08:30:00Z', { kind: 'line' }],
    ['0 9 * * MON-FRI', { kind: 'line' }],
    ['60 * * * *', { kind: 'line' }],
    ['05 2 * * *', { kind: 'line' }],
    ['@daily', { kind: 'line', line: '@daily' }],
  ])('shows %s as what it is', (line, expected) => {
    expect(toSchedule(line)).toMatchObject(expected)
  })

  it('never changes a line by being opened and saved', () => {
    const field = fc.constantFrom('*', '0', '5', '07', '59', '60', '1-5', 'L', 'MON')
    const line = fc.oneof(
      fc.string(),
      fc.array(field, { minLength: 4, maxLength: 7 }).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(line, (text) => {
        expect(toLine(toSchedule(text))).toBe(text)
      }),
    )
  })

  it('has no line before a time was chosen', () => {
    expect(toLine({ ...emptySchedule, kind: 'once' })).toBe('')
  })
})
