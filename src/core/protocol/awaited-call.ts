import { z } from 'zod'
import { compileObjectSchema } from './json-schema.ts'
import { idSchema, listOf, pageFields, scopeSchema, timestampSchema } from './names.ts'
import { ParleyError } from './error.ts'

const maxCallerTools = 128
const maxSchemaCharacters = 100_000

const objectSchema = z.record(z.string(), z.unknown())

/** A tool that whoever sends an input executes itself. */
export const callerToolSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, "_" and "-"' })
    .meta({ description: '1 to 64 letters, digits, "_" and "-"' }),
  description: z.string().max(20_000).optional(),
  inputSchema: objectSchema
    .superRefine((schema, context) => {
      const message = whyUnfit(schema)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .optional()
    .meta({ description: 'JSON Schema of an object; left out: any object' }),
})
export type CallerTool = z.infer<typeof callerToolSchema>

export const callerToolsSchema = listOf(callerToolSchema, maxCallerTools, {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, description: { type: 'string' }, inputSchema: { type: 'object' } },
})

/** Models write what such a schema describes; checks that it has are made where they can be. */
function whyUnfit(schema: Record<string, unknown>): string | undefined {
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    return `must have at most ${maxSchemaCharacters} characters`
  if (schema['type'] !== undefined && schema['type'] !== 'object') return 'must describe an object'
  return undefined
}

/** The check that a schema of a caller stands for; one that cannot be made here is left to the caller. */
export function checkOf(schema: Record<string, unknown> | undefined): z.ZodType<Record<string, unknown>> {
  try {
    if (schema) return compileObjectSchema(schema, 'input schema') as z.ZodType<Record<string, unknown>>
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
  }
  return objectSchema
}

const awaitedCallStatuses = ['waiting', 'answered', 'expired', 'cancelled'] as const

/** A call of a tool whose result comes from outside of the turn. */
export const awaitedCallSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    sessionId: idSchema,
    runId: idSchema,
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
    status: z.enum(awaitedCallStatuses),
    output: z.unknown().optional().meta({ description: 'Until the run has ended; then its message has it' }),
    errorText: z.string().optional(),
    expiresAt: timestampSchema,
    createdAt: timestampSchema,
    settledAt: timestampSchema.optional(),
    answeredBy: z.string().optional(),
  })
  .meta({ id: 'AwaitedCall' })
export type AwaitedCall = z.infer<typeof awaitedCallSchema>

export const awaitedCallPageSchema = z
  .object({ items: z.array(awaitedCallSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'AwaitedCallPage' })

export const awaitedCallListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  status: z.enum(awaitedCallStatuses).optional().meta({ description: 'Default waiting' }),
  session: idSchema.optional(),
  run: idSchema.optional(),
  ...pageFields,
})
export type AwaitedCallListQuery = z.infer<typeof awaitedCallListQuerySchema>

export const answerCallSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    output: z.unknown().optional().meta({ description: 'What the tool returned: any JSON value' }),
    errorText: z
      .string()
      .min(1)
      .max(100_000)
      .optional()
      .meta({ description: 'Why it failed; the model sees it' }),
  })
  .superRefine(({ output, errorText }, context) => {
    if ((output === undefined) === (errorText === undefined))
      context.addIssue({
        code: 'custom',
        path: ['output'],
        message: 'give either "output" or "errorText"',
        params: { rule: 'one_of', keys: ['output', 'errorText'] },
      })
  })
  .meta({ id: 'AnswerCall' })
export type AnswerCall = z.infer<typeof answerCallSchema>
