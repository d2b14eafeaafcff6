import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { Definition } from './named-steps.ts'

type Declared = NonNullable<Definition['args']>[string]

/**
 * The args of a run with their defaults. An empty text counts as missing. A definition that declares no
 * args accepts any.
 */
export function resolveArgs(
  { args: declared }: Definition,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (!declared) return { ...given }
  const known = Object.keys(declared).map((name) => quote(name))
  const problems: string[] = Object.keys(given)
    .filter((name) => !Object.hasOwn(declared, name))
    .map((name) => `${quote(name)} is none of ${known.join(', ')}`)
  const resolved: Record<string, unknown> = {}
  for (const [name, arg] of Object.entries(declared)) {
    const value = Object.hasOwn(given, name) && given[name] !== '' ? given[name] : arg.default
    if (value === undefined) problems.push(`${quote(name)} is missing`)
    else if (!fits(value, arg)) problems.push(`${quote(name)} must be ${word(arg)}`)
    else resolved[name] = value
  }
  if (problems.length > 0) throw invalidRequest(`The args do not fit: ${problems.join('; ')}.`, { problems })
  return resolved
}

function fits(value: unknown, { type }: Declared): boolean {
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return typeof value === type
}

const word = ({ type }: Declared) =>
  ({
    string: 'a text',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
  })[type ?? 'string']
