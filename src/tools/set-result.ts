import { z } from 'zod'
import { compileOutputSchema } from './output-schema.ts'
import { invalidRequest } from '../protocol/error.ts'
import { defineTool, type Tool } from './tool.ts'

const statusSchema = z.enum(['success', 'partial', 'failed'])
const maxOutput = 1_000_000

/** How a task hands in its result. Offered to background runs only; with it, the run is over. */
export const setResult: Tool = defineTool({
  name: 'set_result',
  group: 'task',
  description:
    'Hands in the result of this task and ends it. Call it once, when you are done: nothing else you say is read by anybody.',
  input: z.strictObject({
    output: z.string().min(1).max(maxOutput),
    status: statusSchema.optional(),
    structured_data: z.unknown().optional(),
    artifacts: z.array(z.string().max(4_096)).max(1_000).optional(),
  }),
  endsTurn: true,
  isIdempotent: true,
  async execute({ output, status = 'success', structured_data: structuredData, artifacts }) {
    if (output.trim() === '') throw invalidRequest('"output" is empty: say what came of the task.')
    return {
      status,
      output,
      ...(structuredData !== undefined && { structuredData }),
      ...(artifacts && { artifacts }),
    }
  },
  forTurn: ({ isTask, outputSchema }) =>
    !isTask ? undefined : outputSchema ? withSchema(outputSchema) : setResult,
})

/** The fields of the schema are the parameters, so that the model fills them in rather than describing them. */
function withSchema(schema: Record<string, unknown>): Tool {
  const fields = compileOutputSchema(schema)
  const input = z
    .looseObject({ status: statusSchema.optional() })
    .transform(({ status, ...data }, context) => {
      const result = fields.safeParse(data)
      if (result.success) return { status, data: result.data }
      for (const issue of result.error.issues) context.addIssue({ ...issue } as never)
      return z.NEVER
    })
  return {
    ...setResult,
    input: input as unknown as z.ZodType<unknown>,
    inputSchema: withStatus(schema),
    async execute(given) {
      const { status = 'success', data } = given as {
        status?: 'success' | 'partial' | 'failed'
        data: Record<string, unknown>
      }
      const text = Object.values(data).find((value) => typeof value === 'string' && value !== '')
      return { status, output: text ?? JSON.stringify(data), structuredData: data }
    },
    forTurn: undefined,
  }
}

function withStatus(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, unknown>
  const status = { type: 'string', enum: statusSchema.options }
  return { ...schema, properties: { ...properties, status: properties.status ?? status } }
}
