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
