import { z } from 'zod'
import { compileObjectSchema } from '../protocol/json-schema.ts'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { invalidRequest } from '../protocol/error.ts'
import { isObject } from '../shared/type-checks.ts'
/**
 * Inputs of tools in any library that keeps to Standard Schema. Parley itself reads them with zod, so a schema of another
 * library is put behind one; the JSON Schema for the model comes from the schema where that has one.
 */

type JsonSchema = Record<string, unknown>

interface NamedInput {
  name: string
  input: StandardSchemaV1
  inputSchema?: JsonSchema
}

/** What is thrown is a refusal that names the tool. */
export function toZodInput<Input>(name: string, schema: StandardSchemaV1<unknown, Input>): z.ZodType<Input> {
  return isZod(schema)
    ? (schema as unknown as z.ZodType<Input>)
    : (z
        .unknown()
        .transform((value, context) => validate(name, schema, value, context)) as unknown as z.ZodType<Input>)
}

/** zod 4, the small variant included; zod 3 is a library like any other. */
export const isZod = (schema: StandardSchemaV1): boolean =>
  '_zod' in schema && typeof (schema as { safeParse?: unknown }).safeParse === 'function'

export const isStandardSchema = (value: unknown): value is StandardSchemaV1 =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  '~standard' in value &&
  typeof (value['~standard'] as StandardSchemaV1.Props | undefined)?.validate === 'function'

function validate(
  name: string,
  schema: StandardSchemaV1,
  value: unknown,
  context: z.core.ParsePayload,
): unknown {
  const result = schema['~standard'].validate(value)
  if ('then' in result) {
    result.catch(() => {}) // nobody waits for it
    throw new Error(`the input schema of ${name} answers later, and a call is checked at once`)
  }
  if (!result.issues) return result.value
  for (const { message, path = [] } of result.issues)
    context.issues.push({
      code: 'custom',
      message,
      path: path.map((part) => (typeof part === 'object' ? part.key : part)),
      input: value,
    })
  return z.NEVER
}

/** Made once for each schema: turning one into JSON Schema costs more than the rest of a step. */
const made = new WeakMap<object, JsonSchema>()

/** JSON Schema of what a model has to write. Throws a refusal that names the tool where there is none. */
export function inputSchemaOf({ name, input, inputSchema }: NamedInput): JsonSchema {
  if (inputSchema) return inputSchema
  const known = made.get(input)
  if (known) return known
  const schema = convert(name, input)
  made.set(input, schema)
  return schema
}

function convert(name: string, input: StandardSchemaV1): JsonSchema {
  try {
    if (isZod(input))
      return shorten(z.toJSONSchema(input as unknown as z.ZodType, { io: 'input' })) as JsonSchema
    const { jsonSchema } = input['~standard'] as Partial<StandardJSONSchemaV1.Props>
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (error) {
    throw invalidRequest(
      `The input of the tool "${name}" cannot become JSON Schema: ${(error as Error).message} ` +
        'Change the schema, or give the JSON Schema for the model as "inputSchema".',
    )
  }
  const { vendor } = input['~standard']
  throw invalidRequest(
    `The input of the tool "${name}" is a schema of ${vendor} without a JSON Schema for the model. ${adviceFor(vendor)}`,
  )
}

// shorter limits are part of what a program wants; who crosses a longer one is told so by the check of the call
const tellingLength = 200
const tellingNumber = 1_000_000

/**
 * Without what is the same in every schema, or says no more than that there is some limit: a prompt has all schemas, and
 * each call is checked against the whole of its own.
 */
function shorten(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shorten)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isIdle(key, value, schema))
      .map(([key, value]) => [key, shortenUnder(key, value)]),
  )
}

// what is under these are values; their keys are no keywords
const valued: readonly string[] = ['default', 'const', 'enum', 'example', 'examples']
// and here they are names of properties
const named: readonly string[] = ['properties', 'patternProperties', '$defs']

const shortenUnder = (key: string, value: unknown): unknown =>
  valued.includes(key) ? value : named.includes(key) ? shortenEach(value) : shorten(value)

const shortenEach = (schemas: unknown) =>
  Object.fromEntries(Object.entries(schemas as JsonSchema).map(([name, schema]) => [name, shorten(schema)]))

function isIdle(key: string, value: unknown, { format, type }: JsonSchema): boolean {
  switch (key) {
    case '$schema':
      return true
    case 'minLength':
    case 'minItems':
      return (value as number) <= 1
    case 'maxLength':
    case 'maxItems':
      return (value as number) >= tellingLength
    case 'maximum':
      return (value as number) >= tellingNumber
    case 'minimum':
      return (value as number) <= -tellingNumber
    case 'pattern':
      return format !== undefined
    // any object has names that are texts, and values
    case 'propertyNames':
      return JSON.stringify(shorten(value)) === '{"type":"string"}'
    case 'additionalProperties':
      return type === 'object' && isObject(value) && Object.keys(value).length === 0
    default:
      return false
  }
}

const adviceFor = (vendor: string) =>
  vendor === 'valibot'
    ? 'Put toStandardJsonSchema of @valibot/to-json-schema around it, or give it as "inputSchema".'
    : vendor === 'zod'
      ? 'Use zod 4, which has one, or give it as "inputSchema".'
      : 'Give it as "inputSchema".'

/** Described to models as one schema and checked against another: for what costs a prompt more than it explains. */
export const shownAs = <Input>(shown: z.ZodType, schema: z.ZodType<Input>): z.ZodType<Input> =>
  shown.transform((value, context) => {
    const result = schema.safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.addIssue({ ...issue } as never)
    return z.NEVER
  })

/** The check that the schema of a result stands for. */
export const compileOutputSchema = (schema: Record<string, unknown>) =>
  compileObjectSchema(schema, 'output schema') as z.ZodType<Record<string, unknown>>
