import { z } from 'zod'
import { invalidRequest, quote } from './error.ts'

/**
 * The check that somebody's JSON Schema stands for. Throws when it is none, is not one of an object, or could keep this
 * process busy for ever. `what` names it in the message.
 */
export function compileObjectSchema(schema: Record<string, unknown>, what: string): z.ZodType {
  if (schema.type !== 'object')
    throw invalidRequest(`The ${what} must be a JSON Schema with "type": "object".`)
  try {
    refuseCostly(schema)
    const made = z.fromJSONSchema(schema)
    made.safeParse({}) // one that refers to itself without end shows here
    return made
  } catch (error) {
    throw invalidRequest(`The ${what} cannot be used: ${(error as Error).message}`)
  }
}

/** A pattern runs on this machine, over text that a model wrote: some of them never come to an end. */
function refuseCostly(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' || key === 'patternProperties') throw new Error(`${quote(key)} is not supported`)
    refuseCostly(value)
  }
}
