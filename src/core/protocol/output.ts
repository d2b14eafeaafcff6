import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { ChatAnswer, ChatBody, RunRecord } from './chat.ts'
import { invalidRequest, ParleyError } from './error.ts'
import type { Message } from './message.ts'

/** Structured answers, for programs. Free of zod: browsers have it too. */

/** The form of an answer, as it crosses the wire. */
export interface OutputForm {
  /** JSON Schema of an object. */
  schema: Record<string, unknown>
  name?: string
}

/** What an answer is to be: a schema that has a JSON Schema of its own, such as one of zod, or any with one beside it. */
export type OutputSchema<Value> =
  | StandardSchemaV1<unknown, Value>
  | { schema: StandardSchemaV1<unknown, Value>; jsonSchema?: Record<string, unknown>; name?: string }

/** The answer of a turn that ended with a value of the requested form. */
export interface TypedAnswer<Value> extends ChatAnswer {
  output: Value
}

export interface ReadOutput<Value> {
  form: OutputForm
  /** Checks what was answered, as the schema does; throws `turn_failed` where it does not fit. */
  read(value: unknown): Promise<Value>
}

const isSchema = (value: unknown): value is StandardSchemaV1 =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value

/** Refuses what is no schema, and one that a model cannot be told of. */
export function readOutputSchema<Value>(output: OutputSchema<Value>): ReadOutput<Value> {
  const { schema, jsonSchema, name } = isSchema(output)
    ? { schema: output, jsonSchema: undefined, name: undefined }
    : output
  if (!isSchema(schema))
    throw invalidRequest('"output" must be a schema of a library that keeps to Standard Schema, such as zod.')
  return {
    form: { schema: jsonSchema ?? toJsonSchema(schema), ...(name !== undefined && { name }) },
    async read(value) {
      const result = await schema['~standard'].validate(value)
      if (!result.issues) return result.value as Value
      const [issue] = result.issues
      const path = (issue?.path ?? []).map((part) => (typeof part === 'object' ? part.key : part)).join('.')
      throw new ParleyError(
        'turn_failed',
        `The answer does not fit "output": ${path && `${path}: `}${issue?.message}`,
        {
          details: { code: 'output_invalid', issues: result.issues.map(({ message }) => message) },
        },
      )
    },
  }
}

function toJsonSchema(schema: StandardSchemaV1): Record<string, unknown> {
  const { vendor, jsonSchema } = schema['~standard'] as StandardSchemaV1.Props &
    Partial<StandardJSONSchemaV1.Props>
  if (!jsonSchema)
    throw invalidRequest(
      `"output" is a schema of ${vendor} without a JSON Schema for the model: give both, as {schema, jsonSchema}.`,
    )
  try {
    const { $schema: _, ...made } = jsonSchema.input({ target: 'draft-2020-12' })
    return made
  } catch (error) {
    throw invalidRequest(
      `"output" cannot become JSON Schema: ${(error as Error).message} Change it, or give both, as {schema, jsonSchema}.`,
    )
  }
}

/** The value that a turn with a requested form ended with; undefined where it did not. */
export function outputOf({ status, input }: RunRecord, message: Pick<Message, 'parts'> | undefined): unknown {
  const wanted = (input as { output?: unknown } | undefined)?.output
  if (wanted === undefined || status !== 'completed') return undefined
  const text = message?.parts.findLast(({ type }) => type === 'text')?.text
  return typeof text === 'string' ? JSON.parse(text) : undefined
}

/** The same body, with the form that was asked for beside it. */
export const withOutput = (body: ChatBody | string, output: OutputForm): ChatBody => ({
  ...(typeof body === 'string' ? { content: body } : body),
  output,
})

export const readTyped = async <Value>(
  wanted: ReadOutput<Value>,
  answer: ChatAnswer,
): Promise<TypedAnswer<Value>> => ({ ...answer, output: await wanted.read(requireOutput(answer)) })

/** Refuses an answer without a value: the turn failed, or was stopped. */
function requireOutput({ run, output }: ChatAnswer): unknown {
  if (output !== undefined) return output
  const { code = run.status, message } = (run.outcome ?? {}) as { code?: string; message?: string }
  throw new ParleyError('turn_failed', message ?? `The turn ended as ${run.status}.`, {
    details: { code, runId: run.id, status: run.status },
  })
}
