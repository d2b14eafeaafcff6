import { z } from 'zod'
import { compileOutputSchema } from './tool-schemas.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { OpenTask } from '../protocol/background.ts'
import { defineTool, type Tool, type ToolContext } from './tool.ts'

const statusSchema = z.enum(['success', 'partial', 'failed', 'refused'])
type Status = z.infer<typeof statusSchema>
const maxOutput = 1_000_000

/** Unfinished tasks that the task started; injected, since they lie above the tools. */
export type ReadOpenTasks = (context: ToolContext) => Promise<OpenTask[]>

/** How a task submits its result. Offered to background runs only; it ends the run. */
export function createSetResult(readOpenTasks: ReadOpenTasks = async () => []): Tool {
  const submit: Submit = async (submitted, context) => {
    const tasksRunning = await readOpenTasks(context)
    if (tasksRunning.length === 0) return submitted
    return { ...submitted, tasksRunning, note: stillRunning(tasksRunning.length) }
  }
  const tool: Tool = defineTool({
    name: 'set_result',
    group: 'task',
    offered: 'whole',
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
    async execute({ output, status = 'success', structured_data: structuredData, artifacts }, context) {
      if (output.trim() === '') throw invalidRequest('"output" is empty: say what came of the task.')
      return submit(
        {
          status,
          output,
          ...(structuredData !== undefined && { structuredData }),
          ...(artifacts && { artifacts }),
        },
        context,
      )
    },
    forTurn: ({ isTask, outputSchema }) =>
      !isTask ? undefined : outputSchema ? withSchema(tool, outputSchema, submit) : tool,
  })
  return tool
}

type Submit = (submitted: object, context: ToolContext) => Promise<object>

const stillRunning = (count: number) =>
  `Tasks of this task that are still running: ${count}. Their results go to the nearest session above that still listens.`

/** The fields of the schema are the parameters, so that the model fills them in rather than describing them. */
function withSchema(tool: Tool, schema: Record<string, unknown>, submit: Submit): Tool {
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
    ...tool,
    input: input as unknown as z.ZodType<unknown>,
    inputSchema: withStatus(schema),
    async execute(given, context) {
      const { status = 'success', data } = given as {
        status?: Status
        data: Record<string, unknown>
      }
      const text = Object.values(data).find((value) => typeof value === 'string' && value !== '')
      return submit({ status, output: text ?? JSON.stringify(data), structuredData: data }, context)
    },
    forTurn: undefined,
  }
}

function withStatus(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, unknown>
  const status = { type: 'string', enum: statusSchema.options }
  return { ...schema, properties: { ...properties, status: properties.status ?? status } }
}
