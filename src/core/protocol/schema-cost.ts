import { isObject } from '../shared/type-checks.ts'

/**
 * How long it takes to hold a value against a JSON Schema is decided by the schema: one of 30 lines, each of which refers
 * twice to the next, has a billion ways to be tried. Refused is what comes to too many parts when references are written
 * out, and what tries a part of itself in more than one way: that doubles with each level of the value.
 */

type Schema = Record<string, unknown>

const maxParts = 10_000
// a reader that goes through a chain of references calls itself for each
const maxReferences = 500

/** Keywords for what is in a value. They share it out: no part of the value is held against two of them. */
const ofInner = ['properties', 'items', 'prefixItems', 'additionalProperties', 'additionalItems']
/** Keywords that hold the same value, or the same parts of it, against a schema once more. */
const ofSame = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']

export function requireCheap(root: Schema): void {
  const graph = new Map<Schema, Parts>()
  const waiting: Schema[] = [root]
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    if (graph.has(schema)) continue
    const parts = partsOf(root, schema)
    graph.set(schema, parts)
    if (graph.size > maxParts) throw tooLarge()
    waiting.push(...parts.inner, ...parts.same)
  }
  if ([...graph.keys()].filter(({ $ref }) => $ref !== undefined).length > maxReferences)
    throw new Error(`it has more than ${maxReferences} references`)
  measure(root, graph, new Map())
  const circles = findCircles(root, graph)
  const circleOf = (schema: Schema) => circles.get(schema)
  for (const [schema, { inner, same }] of graph) {
    const ways = [inner, ...same.map((one) => [one])]
    // what is in the same circle leads back here
    if (ways.filter((way) => way.some((part) => circleOf(part) === circleOf(schema))).length > 1)
      throw new Error('it refers to itself in more than one alternative for the same value')
  }
}

interface Parts {
  inner: Schema[]
  same: Schema[]
}

function partsOf(root: Schema, schema: Schema): Parts {
  const { type, $ref } = schema
  if (Array.isArray(type) && new Set(type).size < type.length) throw new Error('a "type" has an entry twice')
  const schemasAt = (keys: string[]) => keys.flatMap((key) => schemasIn(key, schema[key]))
  return { inner: schemasAt(ofInner), same: [...schemasAt(ofSame), ...referred(root, $ref)] }
}

function schemasIn(key: string, value: unknown): Schema[] {
  if (Array.isArray(value)) return value.filter(isObject)
  if (!isObject(value)) return []
  return key === 'properties' ? Object.values(value).filter(isObject) : [value]
}

/** Where a reference leads; one that leads nowhere is refused by whoever makes the check. */
function referred(root: Schema, reference: unknown): Schema[] {
  if (typeof reference !== 'string') return []
  let found: unknown = root
  for (const part of reference.split('/').slice(1).filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return isObject(found) ? [found] : []
}

/** The number of parts with references written out; those that lead back count once. */
function measure(schema: Schema, graph: Map<Schema, Parts>, known: Map<Schema, number>): number {
  const before = known.get(schema)
  if (before !== undefined) return before
  known.set(schema, 1)
  const { inner, same } = graph.get(schema)!
  const size = [...inner, ...same].reduce((sum, part) => sum + measure(part, graph, known), 1)
  if (size > maxParts) throw tooLarge()
  known.set(schema, size)
  return size
}

/** Gives schemas the same number that lead to each other (the algorithm of Tarjan). */
function findCircles(root: Schema, graph: Map<Schema, Parts>): Map<Schema, number> {
  const circles = new Map<Schema, number>()
  const order = new Map<Schema, number>()
  const open: Schema[] = []
  const visit = (schema: Schema): number => {
    const own = order.size
    let lowest = own
    order.set(schema, own)
    open.push(schema)
    const { inner, same } = graph.get(schema)!
    for (const part of [...inner, ...same])
      if (!circles.has(part)) lowest = Math.min(lowest, order.get(part) ?? visit(part))
    if (lowest === own) for (const member of open.splice(open.lastIndexOf(schema))) circles.set(member, own)
    return lowest
  }
  visit(root)
  return circles
}

const tooLarge = () => new Error(`it comes to more than ${maxParts} parts`)
