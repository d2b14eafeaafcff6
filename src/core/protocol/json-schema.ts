import { z } from 'zod'
import { isObject } from '../shared/type-checks.ts'
import { invalidRequest, quote } from './error.ts'
import { requireCheap } from './schema-cost.ts'

/**
 * The check that somebody's JSON Schema stands for. Throws when it is none, is not one of an object, or could keep this
 * process busy for ever. `what` names it in the message.
 */
export function compileObjectSchema(schema: Record<string, unknown>, what: string): z.ZodType {
  if (schema.type !== 'object')
    throw invalidRequest(`The ${what} must be a JSON Schema with "type": "object".`)
  try {
    refusePatterns(schema)
    requireCheap(schema)
    // a list of its own: the one that all share would keep every schema with an "id" for ever
    const made = z.fromJSONSchema(schema, { registry: z.registry() })
    made.safeParse({}) // one that refers to itself without end shows here
    return made
  } catch (error) {
    throw invalidRequest(`The ${what} cannot be used: ${(error as Error).message}`)
  }
}

/** The same without its patterns, which are checked nowhere then. */
export const withoutPatterns = (schema: Record<string, unknown>): Record<string, unknown> =>
  strip(schema) as Record<string, unknown>

// what is under these are values, and under those names: their keys are no keywords
const valued: readonly string[] = ['default', 'const', 'enum', 'examples']
const naming: readonly string[] = ['properties', '$defs', 'definitions']

function strip(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strip)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'pattern' && key !== 'patternProperties')
      .map(([key, value]) => {
        if (valued.includes(key)) return [key, value]
        if (!naming.includes(key) || !isObject(value)) return [key, strip(value)]
        return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, strip(inner)]))]
      }),
  )
}

/** A pattern runs on this machine, over text that a model wrote: some of them never come to an end. */
function refusePatterns(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(refusePatterns)
  if (!isObject(schema)) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'patternProperties' || (key === 'pattern' && typeof value === 'string'))
      throw new Error(`${quote(key)} is not supported`)
    refusePatterns(value)
  }
}
