import { z } from 'zod'
import { invalidRequest } from '../protocol/error.ts'

/** The check that a JSON Schema stands for. Throws when it is none, or not one of an object. */
export function compileOutputSchema(schema: Record<string, unknown>): z.ZodType<Record<string, unknown>> {
  if (schema.type !== 'object')
    throw invalidRequest('An output schema must be a JSON Schema with "type": "object".')
  try {
    return z.fromJSONSchema(schema) as z.ZodType<Record<string, unknown>>
  } catch (error) {
    throw invalidRequest(`The output schema cannot be used: ${(error as Error).message}`)
  }
}
