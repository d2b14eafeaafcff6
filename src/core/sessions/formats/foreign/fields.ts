/* Single values as other tools write them. What cannot be understood is `undefined`, never a refusal. */

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The object without its undefined fields, or undefined when nothing is left. */
export function definedFields(fields: Fields): Fields | undefined {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  return defined.length > 0 ? Object.fromEntries(defined) : undefined
}

/** One line of at most `limit` characters, without control characters or half an emoji at its end. */
export function toTitle(text: unknown, limit = 500): string {
  if (typeof text !== 'string') return ''
  const line = text
    .trimStart()
    .slice(0, limit)
    .replaceAll(/\p{Cc}/gu, ' ')
  return line.replace(/[\uD800-\uDBFF]$/, '').trimEnd()
}

// a number below this counts seconds: as milliseconds it would lie in 1973, before any chat log
const smallestMilliseconds = 100_000_000_000
const endOfYear9999 = 253_402_300_800_000

/** An ISO date, or seconds or milliseconds since the epoch, as our timestamp. A missing time zone means UTC. */
export function toInstant(value: unknown): string | undefined {
  const ms =
    typeof value === 'number' ? fromEpoch(value) : typeof value === 'string' ? fromDateText(value) : NaN
  return ms >= 0 && ms < endOfYear9999 ? new Date(ms).toISOString() : undefined
}

const fromEpoch = (value: number) => Math.round(value < smallestMilliseconds ? value * 1_000 : value)

function fromDateText(text: string): number {
  if (/^\d{9,14}(\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text)
  if (!match) return NaN
  const [, day, time = '00:00', zone = 'Z'] = match
  return Date.parse(`${day}T${time}${zone.toUpperCase()}`)
}
