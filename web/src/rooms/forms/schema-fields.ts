/** The fields of a small form, made of a JSON Schema: what a mode can begin with, and what it asks people. */
export interface SchemaField {
  /** Where its value goes in the object. */
  path: readonly string[]
  /** The last word of the path. */
  name: string
  kind: 'choice' | 'switch' | 'number' | 'text' | 'lines'
  description?: string
  isRequired: boolean
  /** Of a choice. */
  values: readonly string[]
  preset?: unknown
  min?: number
  max?: number
  isWhole: boolean
}

/** What is typed: words as they are; switches true or false, and undefined until somebody chose. */
export type SchemaDraft = Readonly<Record<string, string | boolean | undefined>>

export type SchemaProblem = 'missing' | 'number' | 'range'

export type ReadDraft =
  | { value: Record<string, unknown> }
  | { problems: Readonly<Record<string, SchemaProblem>> }

type Schema = Record<string, unknown>

export const keyOf = ({ path }: Pick<SchemaField, 'path'>) => path.join('.')

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

// objects in objects in objects are nothing for a small form
const maxDepth = 3

/** What cannot be shown as a field is left out, and with it to its default. */
export function toFields(schema: unknown, path: readonly string[] = [], isWithin = true): SchemaField[] {
  if (!isSchema(schema) || !isSchema(schema.properties) || path.length >= maxDepth) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    if (!isSchema(property)) return []
    const isRequired = isWithin && required.includes(name) && property.default === undefined
    const at = [...path, name]
    if (property.type === 'object') return toFields(property, at, isRequired)
    const kind = kindOf(property)
    return kind ? toField(property, kind, at, isRequired) : []
  })
}

function kindOf({ type, enum: values, items }: Schema): SchemaField['kind'] | undefined {
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string') ? 'choice' : undefined
  if (type === 'boolean') return 'switch'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return 'text'
  return type === 'array' && isSchema(items) && items.type === 'string' ? 'lines' : undefined
}

const toField = (
  property: Schema,
  kind: SchemaField['kind'],
  path: readonly string[],
  isRequired: boolean,
): SchemaField => ({
  path,
  name: path.at(-1)!,
  kind,
  ...(typeof property.description === 'string' && { description: property.description }),
  isRequired,
  values: Array.isArray(property.enum) ? (property.enum as string[]) : [],
  ...(property.default !== undefined && { preset: property.default }),
  ...(typeof property.minimum === 'number' && { min: property.minimum }),
  // a largest number that only a computer counts to is none
  ...(typeof property.maximum === 'number' &&
    property.maximum < Number.MAX_SAFE_INTEGER && { max: property.maximum }),
  isWhole: property.type === 'integer',
})

/** The form as it opens. */
export const toDraft = (fields: readonly SchemaField[]): SchemaDraft =>
  Object.fromEntries(
    fields.map((field) => {
      const { preset, kind } = field
      if (kind === 'switch') return [keyOf(field), typeof preset === 'boolean' ? preset : undefined]
      if (Array.isArray(preset)) return [keyOf(field), preset.join('\n')]
      return [keyOf(field), preset === undefined ? '' : String(preset)]
    }),
  )

/** What was filled in; what was left empty is left out. */
export function readDraft(fields: readonly SchemaField[], draft: SchemaDraft): ReadDraft {
  const value: Record<string, unknown> = {}
  const problems: Record<string, SchemaProblem> = {}
  for (const field of fields) {
    const typed = draft[keyOf(field)]
    if (typed === undefined || (typeof typed === 'string' && typed.trim() === '')) {
      if (field.isRequired) problems[keyOf(field)] = 'missing'
      continue
    }
    const read = typeof typed === 'boolean' ? { value: typed } : readWords(field, typed)
    if ('problem' in read) problems[keyOf(field)] = read.problem
    else put(value, field.path, read.value)
  }
  return Object.keys(problems).length > 0 ? { problems } : { value }
}

function readWords(field: SchemaField, typed: string): { value: unknown } | { problem: SchemaProblem } {
  if (field.kind === 'lines')
    return {
      value: typed
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    }
  if (field.kind !== 'number') return { value: typed.trim() }
  const number = Number(typed)
  if (!Number.isFinite(number) || (field.isWhole && !Number.isInteger(number))) return { problem: 'number' }
  const isWithin = number >= (field.min ?? -Infinity) && number <= (field.max ?? Infinity)
  return isWithin ? { value: number } : { problem: 'range' }
}

function put(target: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[name!] = value
  else put((target[name!] ??= {}) as Record<string, unknown>, rest, value)
}
