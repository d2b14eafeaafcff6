import { closest } from 'fastest-levenshtein'
import { invalidRequest, quote } from '../protocol/error.ts'

/** Refuses what is no name of the IANA time zone database; a fixed offset is none, since it knows no summer time. */
export function requireTimeZone(name: string): void {
  if (/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name) && isKnown(name)) return
  const hint = closest(name, ['UTC', ...Intl.supportedValuesOf('timeZone')])
  throw invalidRequest(
    `The time zone ${quote(name)} is not known. Name one of the IANA database, such as ${quote(hint)}.`,
  )
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Shows instants as the clocks of a zone do, with their offset: `2026-03-29T03:00:00+02:00`. */
export function createLocalClock(timeZone: string): (time: number) => { local: string; offset: string } {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  return (time) => {
    const parts = format.formatToParts(time).map(({ type, value }) => [type, value])
    const { year, month, day, hour, minute, second, timeZoneName = '' } = Object.fromEntries(parts)
    // "GMT" alone is an offset of zero; offsets of long ago have seconds, which ISO 8601 does not
    const offset = /[+-]\d\d:\d\d/.exec(timeZoneName)?.[0] ?? '+00:00'
    return { local: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`, offset }
  }
}

/** A day as prompts contain it: `Monday, 2026-01-05 (Europe/Berlin)`. Without a zone, by the clock of the machine. */
export function createToday(timeZone?: string): (time: number) => string {
  let made: Intl.DateTimeFormat | undefined
  let last = { minute: Number.NaN, day: '' }
  return (time) => {
    // no day of any zone begins within a minute
    const minute = Math.floor(time / 60_000)
    if (last.minute === minute) return last.day
    // made with the first prompt: it costs more than opening the database, and most commands send none
    const format = (made ??= new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }))
    const zone = timeZone ?? format.resolvedOptions().timeZone
    const { weekday, year, month, day } = Object.fromEntries(
      format.formatToParts(time).map(({ type, value }) => [type, value]),
    )
    last = { minute, day: `${weekday}, ${year}-${month}-${day} (${zone})` }
    return last.day
  }
}
