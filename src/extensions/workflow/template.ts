import { invalidRequest } from '../../core/protocol/error.ts'
import { toReference, toText, type LookUp, type Reference } from './expression.ts'

// a dollar that begins no name, as in $5, is a dollar; two are one
const pattern = /\$\$|\$[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*/g

// a text can repeat a name thousands of times, and its value can be long: together they could exhaust memory
export const maxFilled = 4_000_000

/**
 * Replaces names by their values: `Write about $args.topic.` An unknown name, such as `$HOME`, stays as
 * it is. Throws `invalid_request` when the values have more than `maxFilled` characters in total.
 */
export const fillIn = (text: string, lookUp: LookUp, isKnown: (root: string) => boolean): string =>
  fill(text, bounded(lookUp), isKnown)

/** A value that is one name alone keeps its type; texts are filled in, also inside of lists and objects. */
export const fillInValue = (value: unknown, lookUp: LookUp, isKnown: (root: string) => boolean): unknown =>
  fillValue(value, bounded(lookUp), isKnown)

function bounded(lookUp: LookUp): LookUp {
  let filled = 0
  return (reference) => {
    const value = lookUp(reference)
    filled += toText(value).length
    if (filled > maxFilled)
      throw invalidRequest(`What its names stand for is longer than ${maxFilled} characters in all.`)
    return value
  }
}

const fill = (text: string, lookUp: LookUp, isKnown: (root: string) => boolean): string =>
  text.replace(pattern, (found) => {
    if (found === '$$') return '$'
    const reference = toReference(found)
    return isKnown(reference.root) ? toText(lookUp(reference)) : found
  })

function fillValue(value: unknown, lookUp: LookUp, isKnown: (root: string) => boolean): unknown {
  if (typeof value === 'string') {
    const [found] = value.match(pattern) ?? []
    if (found === value && found !== '$$' && isKnown(toReference(found).root))
      return lookUp(toReference(found)) ?? null
    return fill(value, lookUp, isKnown)
  }
  if (Array.isArray(value)) return value.map((item) => fillValue(item, lookUp, isKnown))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fillValue(item, lookUp, isKnown)]),
    )
  return value
}

/** All names in the texts of a value, with the path to each text. */
export function referencesIn(
  value: unknown,
  path: (string | number)[] = [],
): { reference: Reference; path: (string | number)[] }[] {
  if (typeof value === 'string')
    return (value.match(pattern) ?? [])
      .filter((found) => found !== '$$')
      .map((found) => ({ reference: toReference(found), path }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    referencesIn(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}
