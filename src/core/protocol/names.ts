import { z } from 'zod'
import { wordings } from './wordings.ts'

/** Letters, digits, `_` and `-` only: an id is safe in a URL, a file name and a log line. */
export const idSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, wordings.id)

export const scopeSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, wordings.slug)
  .meta({ description: 'The workspace a thing belongs to', example: 'default' })

export const defaultScope = 'default'

export interface InScope {
  /** Default `default`. */
  scope?: string
}

/** For what needs nothing but its scope. */
export const inScopeSchema = z.strictObject({ scope: scopeSchema.optional() })

/** Letters of any script, so that whoever is called so can be mentioned; safe in a URL when encoded. */
const speakerNamePattern = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u
export const speakerNameSchema = z
  .string()
  .regex(speakerNamePattern, wordings.agent_name)
  // what is made for the OpenAPI document would end with the flag
  .meta({ example: 'milk', pattern: speakerNamePattern.source })

/** One line of text a person reads: a title, a label. */
export const labelSchema = z
  .string()
  .max(500)
  .refine((text) => !hasControlCharacter(text), wordings.no_control_characters)

/**
 * Counts before it looks: a million wrong items would otherwise become a million complaints. `documented` is the
 * item in the API's documentation, which sees the counting step only.
 */
export const listOf = <Item extends z.ZodType>(item: Item, max: number, documented: object) =>
  z.array(z.unknown()).max(max).pipe(z.array(item)).meta({ items: documented })

export const nameListSchema = listOf(z.string().min(1).max(200), 1_000, { type: 'string' })

const numeral = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/, wordings.whole_number)
    .transform(Number),
])

/** A number that may come as a query parameter; only digits count, so that an empty one is not zero. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER): z.ZodType<number, number> =>
  numeral.pipe(z.int().check(z.gte(min), z.lte(max))).meta({
    type: 'integer',
    minimum: min,
    ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
  }) as unknown as z.ZodType<number, number>

/** Of a query for one page of a list. */
export const pageFields = { limit: wholeNumber(1).optional(), cursor: z.string().max(500).optional() }
export const pageQuerySchema = inScopeSchema.extend(pageFields)

/** Yes or no, which may come as a query parameter. */
export const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .meta({ type: 'boolean' }) as unknown as z.ZodType<boolean, boolean>

/** An instant on the wire; stored as milliseconds. */
export const timestampSchema = z.iso
  .datetime({ offset: true })
  .refine(hasPlainYear, wordings.plain_year)
  .meta({ example: '2026-11-15T08:30:00.000Z' })

export const toTimestamp = (ms: number): string => new Date(ms).toISOString()
export const fromTimestamp = (text: string): number => Date.parse(text)

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** Other years are written with a sign and six digits, which most readers do not know. */
function hasPlainYear(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && /^\d{4}-/.test(new Date(time).toISOString())
}
