import { expect, it } from 'vitest'
import { createToday } from './time-zone.ts'

it.each([
  ['UTC', '2026-01-04T23:30:00Z', 'Sunday, 2026-01-04 (UTC)'],
  ['Europe/Berlin', '2026-01-04T23:30:00Z', 'Monday, 2026-01-05 (Europe/Berlin)'],
  ['America/Los_Angeles', '2026-03-01T07:59:59Z', 'Saturday, 2026-02-28 (America/Los_Angeles)'],
  ['Asia/Shanghai', '2027-12-31T16:00:00Z', 'Saturday, 2028-01-01 (Asia/Shanghai)'],
  // a day without a midnight: clocks go from 23:59 to 01:00
  ['Africa/Cairo', '2024-04-25T22:00:00Z', 'Friday, 2024-04-26 (Africa/Cairo)'],
])('says in %s what day it is at %s', (zone, time, day) => {
  expect(createToday(zone)(Date.parse(time))).toBe(day)
})

it('says the same all day long', () => {
  const today = createToday('Asia/Kathmandu')
  const midnight = Date.parse('2026-05-01T00:00:00+05:45')
  const days = Array.from({ length: 24 }, (_, hour) => today(midnight + hour * 3_600_000))
  expect(new Set(days)).toEqual(new Set(['Friday, 2026-05-01 (Asia/Kathmandu)']))
  expect(today(midnight - 1)).toBe('Thursday, 2026-04-30 (Asia/Kathmandu)')
})

it('goes by the machine without a zone', () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  expect(createToday()(0)).toContain(`(${timeZone})`)
})
