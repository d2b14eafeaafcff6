/**
 * When a schedule fires. Pure: the same line, zone and instant give the same answer on every node.
 *
 * Where clocks change, a line with one time of day (`30 2 * * *`) fires once each night, at the first of two equal times
 * and right after a gap; any other line (`0 * * * *`) fires in both of two equal hours and not in one that is left out.
 */
import { Cron, CronPattern } from 'croner'
import { z } from 'zod'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { createLocalClock, requireTimeZone } from '../../core/chat/time-zone.ts'

export interface Schedule {
  readonly isOnce: boolean
  /** The first fire after an instant; undefined when there is none. */
  next(after: number): number | undefined
  /** The last fires before an instant, oldest first. */
  last(before: number, count: number): number[]
}

export interface PreviewedFire {
  at: number
  local: string
  offset: string
  /** True when clocks were changed since the fire before. */
  isShifted: boolean
}

const help =
  'Write 5 fields (minute, hour, day, month, weekday), 6 with seconds first, a nickname such as @daily, or once:2026-11-15T08:30:00Z.'
const mode = '5-or-6-parts'

/** Throws `invalid_request` when the line or the zone is invalid, or when the line would never fire. */
export function parseSchedule(line: string, timeZone: string): Schedule {
  requireTimeZone(timeZone)
  return line.startsWith('once:') ? parseOnce(line, timeZone) : parseCron(line, timeZone)
}

/** The next fires as the clocks of the zone show them. */
export function previewFires(line: string, timeZone: string, after: number, count: number): PreviewedFire[] {
  const schedule = parseSchedule(line, timeZone)
  const toLocal = createLocalClock(timeZone)
  const fires: PreviewedFire[] = []
  let offsetBefore = toLocal(after).offset
  for (let at = schedule.next(after); at !== undefined && fires.length < count; at = schedule.next(at)) {
    const { local, offset } = toLocal(at)
    fires.push({ at, local, offset, isShifted: offset !== offsetBefore })
    offsetBefore = offset
  }
  return fires
}

/** The first fire after now. Throws `invalid_request` when there is none: the time has passed, or never comes. */
export function requireNextFire(line: string, timeZone: string, now: number): number {
  const schedule = parseSchedule(line, timeZone)
  const next = schedule.next(now)
  if (next !== undefined) return next
  throw schedule.isOnce
    ? invalidRequest(`The time of the schedule ${quote(line)} is over.`)
    : neverFires(line)
}

function parseCron(line: string, timeZone: string): Schedule {
  requireFields(line)
  // a zone without summer time needs no lookup in the time zone database, which costs more than everything else
  const zone = timeZone === 'UTC' ? { utcOffset: 0 } : { timezone: timeZone }
  try {
    if (!canFire(new CronPattern(line, timeZone, { mode }))) throw neverFires(line)
    const cron = new Cron(line, { mode, ...zone })
    return {
      isOnce: false,
      next: (after) => cron.nextRun(new Date(after))?.getTime(),
      last: (before, count) =>
        cron
          .previousRuns(count, new Date(before))
          .map((date) => date.getTime())
          .toReversed(),
    }
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw invalidRequest(`The schedule ${quote(line)} cannot be read: ${explain(error, line)}. ${help}`)
    throw error
  }
}

const localTimeSchema = z.iso.datetime({ offset: true, local: true })

/** Without an offset, the time is local to the zone. */
function parseOnce(line: string, timeZone: string): Schedule {
  const text = line.slice('once:'.length)
  if (!localTimeSchema.safeParse(text).success)
    throw invalidRequest(`The schedule ${quote(line)} has no valid time after "once:". ${help}`)
  const at = /(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : toInstant(text, timeZone)
  return {
    isOnce: true,
    next: (after) => (at > after ? at : undefined),
    last: (before) => (at < before ? [at] : []),
  }
}

const toInstant = (local: string, timeZone: string) =>
  new Cron(local.replace(/\.\d+$/, ''), { timezone: timeZone }).nextRun(new Date(0))?.getTime() ?? 0

const nicknames = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/** Counts the fields before the parser does: that also accepts dates and lines with years. */
function requireFields(line: string): void {
  if (nicknames.includes(line.trim().toLowerCase())) return
  const count = line.trim() === '' ? 0 : line.trim().split(/\s+/).length
  if (count !== 5 && count !== 6)
    throw invalidRequest(`The schedule ${quote(line)} has ${count} field${count === 1 ? '' : 's'}. ${help}`)
  if (line.includes(':')) throw invalidRequest(`The schedule ${quote(line)} holds a colon. ${help}`)
}

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Decides at once for days that no month has; searching for them would run to the end of the calendar. */
function canFire(pattern: CronPattern): boolean {
  if (!pattern.starDOW && !pattern.useAndLogic) return true
  if (pattern.lastDayOfMonth || pattern.lastWeekday) return true
  const hasDay = (day: number) => pattern.day[day] || pattern.nearestWeekdays[day]
  return daysOfMonth.some(
    (days, month) => pattern.month[month] && Array.from({ length: days }, (_, day) => day).some(hasDay),
  )
}

const neverFires = (line: string) =>
  invalidRequest(`The schedule ${quote(line)} would never fire: no month that it names has such a day.`)

const fields = ['second', 'minute', 'hour', 'day', 'month', 'dayOfWeek']

/** The message of the parser, with the names of the fields in place of its zero-based indexes. */
function explain({ message }: Error, line: string): string {
  const [, name] = /Invalid value for (\w+)/.exec(message) ?? []
  const given = line.trim().split(/\s+/)
  const word = name === undefined ? undefined : given[fields.indexOf(name) - (6 - given.length)]
  if (word !== undefined) return `${quote(word)} is no value of the ${name}`
  return message.replace(/^CronPattern: /, '').replace(/\.$/, '')
}
