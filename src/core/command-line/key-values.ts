import { invalidRequest } from '../protocol/error.ts'
import { isObject } from '../shared/type-checks.ts'

/**
 * `key=value` pairs as one object. A value that is JSON counts as that, any other as text; where the JSON Schema of the
 * object requires text, it is text whatever it looks like.
 */
export function readPairs(
  flag: string,
  pairs: readonly string[] = [],
  schema: Record<string, unknown> = {},
): Record<string, unknown> | undefined {
  if (pairs.length === 0) return undefined
  const fields = isObject(schema.properties) ? schema.properties : {}
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, text] = splitPair(flag, pair)
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined
      return [key, isObject(field) && field.type === 'string' ? text : toValue(text)]
    }),
  )
}

export function splitPair(flag: string, pair: string): [key: string, text: string] {
  const at = pair.indexOf('=')
  if (at < 1) throw invalidRequest(`${flag} is ${JSON.stringify(pair)}; it must be key=value.`)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
