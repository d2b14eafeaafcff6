import { expect, it } from 'vitest'
import { parseSchedule } from '../src/extensions/schedule/next-fire.ts'

/** A release compares 500 lines of 1,000 times each. */
const lines = Number(process.env.PARLEY_TEST_CRON_LINES ?? 500)
const timesPerLine = Number(process.env.PARLEY_TEST_CRON_TIMES ?? 60)

const bounds = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const
const names = [
  [],
  [],
  [],
  ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
] as const
const minute = 60_000
const day = 24 * 60 * minute
const start = Date.UTC(2026, 0, 31, 23, 59)

it(`${lines} lines fire when their fields say, found by looking at every minute of every day`, () => {
  const random = seeded(7)
  let compared = 0
  for (let count = 0; count < lines; count++) {
    const line = bounds.map((_, field) => randomField(field, random)).join(' ')
    const expected = firesOf(line, timesPerLine)
    if (expected.length === 0) continue
    const schedule = parseSchedule(line, 'UTC')
    let at: number | undefined = start
    for (const time of expected) {
      at = schedule.next(at!)
      expect(at === undefined ? undefined : new Date(at).toISOString(), line).toBe(
        new Date(time).toISOString(),
      )
      compared++
    }
  }
  expect(compared).toBeGreaterThan((lines * timesPerLine) / 2)
})

it('200 lines with one field that is wrong are all refused', () => {
  const random = seeded(11)
  const wrong = [
    '60',
    '0-',
    '-3',
    '5-2',
    '*/0',
    '*/-1',
    '1/2/3',
    'x',
    '1,',
    ',1',
    '1.5',
    '99',
    '0x1',
    '1e1',
    '#',
    '*#2',
  ]
  const valid: string[] = []
  for (let count = 0; count < 200; count++) {
    const field = Math.floor(random() * 5)
    const line = bounds.map((_, index) => (index === field ? wrong[count % wrong.length] : '*')).join(' ')
    try {
      parseSchedule(line, 'UTC')
      valid.push(line)
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_request' })
    }
  }
  expect(valid).toEqual([])
})

/** The slow way: each day for which the date fits, and of it each minute. */
function firesOf(line: string, limit: number): number[] {
  const fields = line.split(' ')
  const sets = fields.map((text, field) => valuesOf(text, field))
  const [minutes, hours, dates, months, weekdays] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (weekdays.has(7)) weekdays.add(0)
  const [, , dateText, , weekdayText] = fields
  const found: number[] = []
  const first = Math.floor(start / day) * day
  for (let from = first; from < first + 5 * 366 * day && found.length < limit; from += day) {
    const date = new Date(from)
    if (!months.has(date.getUTCMonth() + 1)) continue
    const isDate = dates.has(date.getUTCDate())
    const isWeekday = weekdays.has(date.getUTCDay())
    // where both are given, either will do
    const fits = dateText === '*' || weekdayText === '*' ? isDate && isWeekday : isDate || isWeekday
    if (!fits) continue
    for (let at = from; at < from + day && found.length < limit; at += minute) {
      const time = new Date(at)
      if (at > start && hours.has(time.getUTCHours()) && minutes.has(time.getUTCMinutes())) found.push(at)
    }
  }
  return found
}

function valuesOf(text: string, field: number): Set<number> {
  const [low, high] = bounds[field]!
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const [range, step = '1'] = part.split('/')
    const [from, to] = range === '*' ? [low, high] : range!.split('-').map((word) => numberOf(word, field))
    for (let value = from!; value <= (to ?? from!); value += Number(step)) values.add(value)
  }
  return values
}

function numberOf(word: string, field: number): number {
  const at = (names[field] as readonly string[]).indexOf(word)
  return at === -1 ? Number(word) : at + bounds[field]![0]
}

function randomField(field: number, random: () => number): string {
  const [low, high] = bounds[field]!
  const value = () => low + Math.floor(random() * (high - low + 1))
  const kind = random()
  if (kind < 0.45) return '*'
  if (kind < 0.6) return String(value())
  if (kind < 0.7) return `*/${1 + Math.floor(random() * (high - low))}`
  const [from, to] = [value(), value()].sort((a, b) => a - b) as [number, number]
  if (kind < 0.8) return `${from}-${to}`
  if (kind < 0.88) return `${from}-${to}/${1 + Math.floor(random() * 5)}`
  if (kind < 0.94 && names[field]!.length > 0)
    return names[field]![Math.floor(random() * names[field]!.length)]!
  return [...new Set([value(), from, to])].join(',')
}

/** The same lines in every run of the tests. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
