import type { CursorPlace } from './cursor-place.ts'

/** A JSON Schema, as far as it is looked into. */
export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  definitions?: Record<string, Schema>
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  type?: string | string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  required?: string[]
  enum?: unknown[]
  const?: unknown
  description?: string
}

export interface Option {
  label: string
  /** What kind of value it takes, or which one it is. */
  detail?: string
  info?: string
  isRequired?: boolean
}

/** Keys that may stand where the cursor is, without those that are there. */
export function keyOptions(root: Schema, { path, siblings }: CursorPlace): Option[] {
  const options = new Map<string, Option>()
  for (const schema of fitting(schemasAt(root, path), siblings))
    for (const [name, value] of Object.entries(schema.properties ?? {})) {
      if (Object.hasOwn(siblings, name)) continue
      const info =
        value.description ?? expand(root, value).find(({ description }) => description)?.description
      options.set(name, {
        label: name,
        detail: typesOf(root, value),
        ...(info !== undefined && { info }),
        ...(schema.required?.includes(name) && { isRequired: true }),
      })
    }
  return [...options.values()]
}

/** Values that the key may have; empty where anything goes. */
export function valueOptions(root: Schema, { path, siblings, key }: CursorPlace): Option[] {
  if (key === undefined) return []
  const { [key]: _, ...others } = siblings
  const values = new Set<string>()
  for (const schema of fitting(schemasAt(root, path), others))
    for (const option of expand(root, schema.properties?.[key])) {
      for (const value of option.enum ?? []) values.add(String(value))
      if (option.const !== undefined) values.add(String(option.const))
      if (option.type === 'boolean') ['true', 'false'].forEach((value) => values.add(value))
    }
  return [...values].map((label) => ({ label }))
}

function schemasAt(root: Schema, path: CursorPlace['path']): Schema[] {
  let schemas = expand(root, root)
  for (const part of path)
    schemas = schemas.flatMap((schema) => {
      const { properties = {}, additionalProperties: others, items } = schema
      if (typeof part === 'number') return expand(root, items)
      if (Object.hasOwn(properties, part)) return expand(root, properties[part])
      return typeof others === 'object' ? expand(root, others) : []
    })
  return schemas
}

/** All that a schema may stand for, without references and alternatives. */
function expand(root: Schema, schema: Schema | undefined, depth = 0): Schema[] {
  // one that refers to itself alone has nothing to say
  if (!schema || depth > 20) return []
  if (schema.$ref !== undefined) return expand(root, resolve(root, schema.$ref), depth + 1)
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return inner.length === 0 ? [schema] : inner.flatMap((option) => expand(root, option, depth + 1))
}

function resolve(root: Schema, reference: string): Schema | undefined {
  if (reference === '#') return root
  return reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], root) as
    | Schema
    | undefined
}

/** Of alternatives those that agree with what is written: `type: loop` leaves the loop alone. */
function fitting(schemas: Schema[], siblings: CursorPlace['siblings']): Schema[] {
  const left = schemas.filter(({ properties = {} }) =>
    Object.entries(siblings).every(([key, value]) => {
      const wanted = properties[key]
      const bare = value.replace(/^(["'])(.*)\1$/, '$2')
      if (wanted?.const !== undefined) return String(wanted.const) === bare
      if (wanted?.enum && key === 'type') return wanted.enum.map(String).includes(bare)
      return true
    }),
  )
  return left.length > 0 ? left : schemas
}

function typesOf(root: Schema, schema: Schema): string {
  const names = expand(root, schema).flatMap(({ type, enum: values, const: only }) =>
    only !== undefined ? [String(only)] : values ? values.map(String) : (type ?? []),
  )
  const unique = [...new Set(names)]
  return unique.length > 4 ? `${unique.slice(0, 4).join(' | ')} | …` : unique.join(' | ')
}
