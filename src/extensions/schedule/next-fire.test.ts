import { Cron } from 'croner'
import { describe, expect, it, vi } from 'vitest'
import { parseSchedule, previewFires, requireNextFire } from './next-fire.ts'
import { createLocalClock } from '../../core/chat/time-zone.ts'

const hour = 3_600_000
const day = 24 * hour

/** All fires within [from, to). */
function firesIn(line: string, timeZone: string, from: number, to: number): number[] {
  const schedule = parseSchedule(line, timeZone)
  const fires: number[] = []
  for (let at = schedule.next(from - 1_000); at !== undefined && at < to; at = schedule.next(at))
    fires.push(at)
  return fires
}

const clocks = new Map<string, ReturnType<typeof createLocalClock>>()
const toLocal = (at: number, timeZone: string) => {
  const clock = clocks.get(timeZone) ?? createLocalClock(timeZone)
  clocks.set(timeZone, clock)
  return clock(at)
}
const localDay = (at: number, timeZone: string) => toLocal(at, timeZone).local.slice(0, 10)

/** The days of 2026 on which clocks are changed, with the number of times that a full hour begins on them. */
const changes: [zone: string, days: Record<string, number>][] = [
  ['Europe/Berlin', { '2026-03-29': 23, '2026-10-25': 25 }],
  ['America/New_York', { '2026-03-08': 23, '2026-11-01': 25 }],
  // by half an hour: two o'clock is left out in spring, and comes once in autumn
  ['Australia/Lord_Howe', { '2026-04-05': 24, '2026-10-04': 23 }],
  // around Ramadan, to Greenwich time and back
  ['Africa/Casablanca', { '2026-02-15': 25, '2026-03-22': 23 }],
  // at midnight: the last day before it is the longer one
  ['America/Santiago', { '2026-04-04': 25, '2026-09-06': 23 }],
  ['Asia/Kolkata', {}],
]

describe.each(changes)('in %s', (zone, days) => {
  // Morocco has announced a change for September 2026, which not every edition of the database knows
  const year = [Date.UTC(2026, 0, 1), Date.UTC(2026, zone === 'Africa/Casablanca' ? 8 : 12, 1)] as const

  it('runs a daily job exactly once each night, those of changing clocks included', () => {
    for (const line of ['30 2 * * *', '0 0 * * *', '30 1 * * *', '15 0 * * *', '59 23 * * *', '0 3 * * *']) {
      const fires = firesIn(line, zone, ...year)
      const nights = fires.map((at) => localDay(at, zone))
      expect(new Set(nights).size, line).toBe(nights.length)
      expect(Math.abs(nights.length - (year[1] - year[0]) / day), line).toBeLessThanOrEqual(1)
      const gaps = fires.slice(1).map((at, index) => at - fires[index]!)
      expect(Math.max(...gaps), line).toBeLessThanOrEqual(day + 2 * hour)
    }
  })

  it('runs an hourly job 23 or 25 times where the day has so many hours, and 24 times otherwise', () => {
    for (const date of [...Object.keys(days), '2026-06-15']) {
      const noon = Date.parse(`${date}T12:00:00Z`)
      const fires = firesIn('0 * * * *', zone, noon - 3 * day, noon + 3 * day)
      const perDay = [...Map.groupBy(fires, (at) => localDay(at, zone))].slice(1, -1)
      expect(perDay.length).toBeGreaterThanOrEqual(5)
      for (const [name, hours] of perDay) expect(hours, name).toHaveLength(days[name] ?? 24)
    }
  })

  it('runs a job of every quarter of an hour through the hours that come twice, and those that are left out', () => {
    for (const date of Object.keys(days)) {
      const from = Date.parse(`${date}T00:00:00Z`) - day
      const fires = firesIn('*/15 * * * *', zone, from, from + 2 * day)
      expect(fires).toHaveLength(192)
    }
  })

  it('shows the next fires with their offsets, and where they change', () => {
    for (const date of Object.keys(days)) {
      const fires = previewFires('30 4 * * *', zone, Date.parse(`${date}T12:00:00Z`) - 3 * day, 5)
      expect(fires.filter(({ isShifted }) => isShifted)).toHaveLength(1)
      expect(new Set(fires.map(({ offset }) => offset)).size).toBe(2)
      for (const { at, local, offset } of fires) {
        expect(Date.parse(local)).toBe(at)
        expect(local.endsWith(offset)).toBe(true)
      }
    }
    expect(previewFires('@hourly', zone, year[0], 3)).toHaveLength(3)
  })
})

describe('a schedule', () => {
  const now = Date.UTC(2026, 0, 1)

  it('may have five fields, six with seconds, or be a nickname', () => {
    const next = (line: string) => new Date(parseSchedule(line, 'UTC').next(now)!).toISOString()
    expect(next('*/5 * * * *')).toBe('2026-01-01T00:05:00.000Z')
    expect(next('*/5 * * * * *')).toBe('2026-01-01T00:00:05.000Z')
    expect(next('@daily')).toBe('2026-01-02T00:00:00.000Z')
    expect(next('@Hourly')).toBe('2026-01-01T01:00:00.000Z')
    expect(next('0 9 * * MON')).toBe('2026-01-05T09:00:00.000Z')
    expect(next('0 0 L * *')).toBe('2026-01-31T00:00:00.000Z')
    expect(next('0 0 29 2 *')).toBe('2028-02-29T00:00:00.000Z')
  })

  it('may be one time: with its offset, or on the clocks of the zone', () => {
    const at = (line: string, zone = 'UTC') => parseSchedule(line, zone).next(0)
    expect(at('once:2026-11-15T08:30:00Z')).toBe(Date.UTC(2026, 10, 15, 8, 30))
    expect(at('once:2026-11-15T08:30:00+02:00')).toBe(Date.UTC(2026, 10, 15, 6, 30))
    expect(at('once:2026-11-15T08:30:00', 'Europe/Berlin')).toBe(Date.UTC(2026, 10, 15, 7, 30))
    expect(at('once:2026-11-15T08:30', 'Asia/Kolkata')).toBe(Date.UTC(2026, 10, 15, 3, 0))
    // in the hour that is left out, and in the one that comes twice
    expect(at('once:2026-03-29T02:30:00', 'Europe/Berlin')).toBe(Date.UTC(2026, 2, 29, 1, 30))
    expect(at('once:2026-10-25T02:30:00', 'Europe/Berlin')).toBe(Date.UTC(2026, 9, 25, 0, 30))
    expect(parseSchedule('once:2026-11-15T08:30:00Z', 'UTC').next(Date.UTC(2027, 0, 1))).toBeUndefined()
    expect(() => requireNextFire('once:2020-01-01T00:00:00Z', 'UTC', now)).toThrow(/is over/)
  })

  it('is refused when it cannot be read, with what is wrong and what would be right', () => {
    const text = String.raw`
      *   * * *   * * * *   * * * * * * *   60 * * * *   * 24 * * *   * * 0 * *   * * 32 * *   * * * 0 *   * * * 13 *
      * * * * 8   -1 * * * *   1-0 * * * *   */0 * * * *   */61 * * * *   a b c d e   * * * FOO *   * * * * XYZ
      5/5 * * * *   1,,2 * * * *   , * * * *   1- * * * *   @reboot   @every   @daily @daily   @   daily
      60 * * * * *   * * * * MON#6   * * * * MON#0   2026-01-01T00:00:00   2026-01-01T00:00:00Z   0 0 : * *
      once:   once:now   once:2026-13-01T00:00:00Z   once:2026-02-30T00:00:00Z   once:2026-01-01
      once:2026-01-01T25:00:00Z   once:1767225600   ONCE:x   * * * * * ; rm   $(date) * * * *   １ * * * *
      1.5 * * * *   1e1 * * * *   0x1 * * * *   ٣ * * * *   * * * * +   * * L-1 * *   * * W * *   ** * * * *
      *-5 * * * *
    `
    const lines = ['', ' ', '* * * * *\n* * * * *', ...text.trim().split(/\s{2,}/)]
    expect(lines.length).toBeGreaterThan(50)
    for (const line of lines)
      expect(() => parseSchedule(line, 'UTC'), JSON.stringify(line)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('5 fields') }),
      )
    expect(() => parseSchedule('* * * 13 *', 'UTC')).toThrow('"13" is no value of the month')
  })

  it('is refused when it would never fire, without going through the years', () => {
    const lines = [
      '0 0 31 2 *',
      '0 0 30 2 *',
      '0 0 31 4,6,9,11 *',
      '0 0 30-31 2 *',
      '0 0 31 2 +MON',
      '0 0 31W 2 *',
    ]
    using search = vi.spyOn(Cron.prototype, 'nextRun')
    for (const line of lines)
      expect(() => requireNextFire(line, 'UTC', now), line).toThrow(/would never fire/)
    expect(search).not.toHaveBeenCalled()
    expect(() => requireNextFire('0 0 1 * +MON#5', 'UTC', now)).toThrow(/would never fire/)
    expect(requireNextFire('0 0 31 2 MON', 'UTC', now)).toBe(Date.UTC(2026, 1, 2))
  })

  it('is refused in a zone that nobody knows', () => {
    const refuses = (zone: string, message: string | RegExp) =>
      expect(() => parseSchedule('* * * * *', zone), zone).toThrow(message)
    refuses('Europe/Berln', 'such as "Europe/Berlin"')
    for (const zone of ['', 'Mars/Olympus', '+02:00', 'GMT+2', 'local', '../etc', 'Europe/', 'UTC ', 'null'])
      refuses(zone, /is not known/)
    for (const zone of ['UTC', 'Etc/GMT+2', 'EST5EDT', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta'])
      expect(parseSchedule('* * * * *', zone).next(now)).toBeGreaterThan(now)
  })

  it('has fires that only grow and keep to their fields, whatever the line', () => {
    const random = seeded(42)
    const zones = ['UTC', ...changes.map(([zone]) => zone)]
    const start = Date.UTC(2026, 0, 1)
    for (let count = 0; count < 200; count++) {
      const fields = [pick(0, 59), pick(0, 59), pick(0, 23), pick(1, 28), pick(1, 12), pick(0, 6)]
      const line = (random() < 0.5 ? fields : fields.slice(1)).join(' ')
      const zone = zones[Math.floor(random() * zones.length)]!
      const schedule = parseSchedule(line, zone)
      let before = start
      for (let index = 0; index < 10; index++) {
        const at = schedule.next(before)
        expect(at, `${line} in ${zone}`).toBeGreaterThan(before)
        expect(at! % 1_000).toBe(0)
        const { local } = toLocal(at!, zone)
        const [, month, , hours, minutes] = local.split(/[-T:]/).map(Number)
        const isShifted = toLocal(at! - 2 * hour, zone).offset !== toLocal(at!, zone).offset
        if (!isShifted) {
          expect(matches(fields[4]!, month!), `${line}: ${local}`).toBe(true)
          expect(matches(fields[2]!, hours!), `${line}: ${local}`).toBe(true)
          expect(matches(fields[1]!, minutes!), `${line}: ${local}`).toBe(true)
        }
        before = at!
      }
      expect(schedule.last(before + 1_000, 1)).toEqual([before])
    }

    function pick(min: number, max: number): string {
      const value = () => min + Math.floor(random() * (max - min + 1))
      const kind = random()
      if (kind < 0.4) return '*'
      if (kind < 0.6) return String(value())
      if (kind < 0.75) return `*/${1 + Math.floor(random() * (max - min))}`
      const [low, high] = [value(), value()].sort((a, b) => a - b)
      return kind < 0.9 ? `${low}-${high}` : [...new Set([low, high])].join(',')
    }
    function matches(field: string, value: number): boolean {
      if (field === '*') return true
      const [, step] = /^\*\/(\d+)$/.exec(field) ?? []
      // months are counted from one
      if (step !== undefined) return [0, 1].some((first) => (value - first) % Number(step) === 0)
      const [, low, high] = /^(\d+)-(\d+)$/.exec(field) ?? []
      if (low !== undefined) return value >= Number(low) && value <= Number(high)
      return field.split(',').map(Number).includes(value)
    }
  })
})

/** The same lines in every run of the tests. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
