/** The fields of requests as the OpenAPI document has them, so that a test finds new ones by itself. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}

export interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Every field of a body, those within others too. */
export function* fieldsOf(
  schema: Schema,
  document: ApiDocument,
  above: Set<Schema>,
  keys: string[] = [],
): Generator<{ keys: string[]; isList: boolean; isText: boolean }> {
  const known =
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!
  if (above.has(known) || keys.length > 3) return
  const within = new Set([...above, known])
  for (const inner of [...(known.allOf ?? []), ...(known.anyOf ?? []), ...(known.oneOf ?? [])])
    yield* fieldsOf(inner, document, within, keys)
  for (const [key, field] of Object.entries(known.properties ?? {})) {
    const types = [field, ...(field.anyOf ?? [])].map(({ type }) => type)
    const isList = types.includes('array')
    yield { keys: [...keys, key], isList, isText: isList || types.includes('string') }
    yield* fieldsOf(field, document, within, [...keys, key])
  }
}

export function withField(
  body: Record<string, unknown>,
  keys: string[],
  value: unknown,
): Record<string, unknown> {
  const [key = '', ...rest] = keys
  if (rest.length === 0) return { ...body, [key]: value }
  return { ...body, [key]: withField((body[key] as Record<string, unknown>) ?? {}, rest, value) }
}
