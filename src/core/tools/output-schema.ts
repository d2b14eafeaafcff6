import type { z } from 'zod'
import { compileObjectSchema } from '../protocol/json-schema.ts'

/** The check that the schema of a result stands for. */
export const compileOutputSchema = (schema: Record<string, unknown>) =>
  compileObjectSchema(schema, 'output schema') as z.ZodType<Record<string, unknown>>
