/** What is read of a JSON Schema. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  description?: string
  deprecated?: boolean
  default?: unknown
  const?: unknown
  enum?: unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
}

export interface Field {
  name: string
  isRequired: boolean
  schema: Schema
}

/** Writes JSON Schemas in words; those with a name are links to `page`. */
export function createTypeWriter(schemas: Record<string, Schema>, page: string) {
  /** Of an object, that of a reference too. */
  function fieldsOf(schema: Schema): Field[] {
    const { properties = {}, required = [], allOf = [], $ref } = schema
    if ($ref !== undefined) return fieldsOf(schemas[nameOf($ref)]!)
    const own = Object.entries(properties).map(([name, field]) => ({
      name,
      isRequired: required.includes(name),
      schema: field,
    }))
    return [...allOf.flatMap(fieldsOf), ...own]
  }

  /** A line for each, and below it those of an object that has no name. */
  function listFields(fields: Field[], indent = ''): string {
    return fields
      .flatMap(({ name, isRequired, schema }) => {
        const inside = fieldsInside(schema)
        const text = [
          typeOf(schema) + limitsOf(schema),
          ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
          ...(schema.deprecated ? ['deprecated'] : []),
        ].join(', ')
        const meaning = schema.description === undefined ? '' : `. ${oneLine(schema.description)}`
        return [
          `${indent}- \`${name}${isRequired ? '' : '?'}\`: ${text}${meaning}`,
          ...(inside.length > 0 ? [listFields(inside, `${indent}  `)] : []),
        ]
      })
      .join('\n')
  }

  const fieldsInside = (schema: Schema): Field[] => {
    if (schema.items) return fieldsInside(schema.items)
    return schema.$ref === undefined && schema.properties ? fieldsOf(schema) : []
  }

  function typeOf(schema: Schema): string {
    const { $ref, type, enum: values, items, properties, additionalProperties, pattern, format } = schema
    const alternatives = schema.oneOf ?? schema.anyOf
    if ($ref !== undefined) return linkTo(nameOf($ref))
    if (alternatives) return either(alternatives.map(typeOf))
    // something that has a name, or null
    if (schema.allOf)
      return either(schema.allOf.flatMap((one) => (Array.isArray(one.type) ? 'null' : typeOf(one))))
    if ('const' in schema) return code(schema.const)
    if (values) return either(values.map(code))
    if (Array.isArray(type)) return either(type.map((one) => typeOf({ ...schema, type: one })))
    if (type === 'array') return items ? `list of ${typeOf(items)}` : 'list'
    if (type === 'object' || properties)
      return typeof additionalProperties === 'object' &&
        Object.keys(additionalProperties).length > 0 &&
        !properties
        ? `map of ${typeOf(additionalProperties)}`
        : 'object'
    if (type === 'string') return format ?? (pattern === idPattern ? 'id' : 'string')
    return type ?? 'any value'
  }

  const linkTo = (name: string) => `[${name}](${page}#${name.toLowerCase()})`
  return { fieldsOf, listFields, typeOf }
}

const idPattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$'

const nameOf = (reference: string) => reference.split('/').pop()!

function limitsOf(schema: Schema): string {
  const least =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? undefined : schema.exclusiveMinimum)
  const { maximum: most = Number.MAX_SAFE_INTEGER } = schema
  if (schema.type === 'integer' || schema.type === 'number')
    return rangeOf(
      least === Number.MIN_SAFE_INTEGER ? undefined : least,
      most === Number.MAX_SAFE_INTEGER ? undefined : most,
      '',
      schema.minimum === undefined && schema.exclusiveMinimum !== undefined,
    )
  if (schema.type === 'array') return rangeOf(schema.minItems, schema.maxItems, ' items')
  return rangeOf(schema.minLength, schema.maxLength, ' characters')
}

function rangeOf(least: number | undefined, most: number | undefined, unit: string, isAbove = false): string {
  const isFirst = least === undefined || (least === 0 && unit !== '')
  if (isFirst) return most === undefined ? '' : `, at most ${toDigits(most)}${unit}`
  if (isAbove)
    return most === undefined
      ? `, above ${toDigits(least)}`
      : `, above ${toDigits(least)}, at most ${toDigits(most)}`
  if (most === undefined)
    return unit === ' characters' && least === 1 ? ', not empty' : `, at least ${toDigits(least)}${unit}`
  return least === most ? `, ${toDigits(least)}${unit}` : `, ${toDigits(least)} to ${toDigits(most)}${unit}`
}

const toDigits = (value: number) => value.toLocaleString('en')

const either = (texts: string[]) => {
  const unique = [...new Set(texts)]
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} or ${unique.at(-1)}`
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
