import type { z } from 'zod'
import { invalidRequest, ParleyError } from '../../protocol/error.ts'
import { misfit } from '../../protocol/issues.ts'
import { compileObjectSchema } from '../../protocol/json-schema.ts'
import type { Memo } from '../../protocol/window.ts'

const entries = { type: 'array', items: { type: 'string' } }

/** What people come back to in long conversations, and one text for how it went lately. */
export const defaultMemoSchema: Record<string, unknown> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    profile: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
    preferences: entries,
    constraints: entries,
    tasks: entries,
    decisions: entries,
    facts: entries,
    recent_summary: { type: 'string' },
  },
  additionalProperties: false,
}

const compiled = new WeakMap<object, z.ZodType>()

/** Throws when the schema is none, or is not one of an object. */
export function compileMemoSchema(schema: Record<string, unknown>): z.ZodType {
  const known = compiled.get(schema)
  if (known) return known
  const made = compileObjectSchema(schema, 'schema of the memo')
  compiled.set(schema, made)
  return made
}

/** The memo when it keeps to its schema and size; throws with what is wrong otherwise. */
export function checkMemo(
  value: unknown,
  { schema, maxLength }: { schema: Record<string, unknown>; maxLength: number },
): Memo {
  const result = compileMemoSchema(schema).safeParse(value)
  if (!result.success) throw misfit(result.error, value, { before: 'The memo does not keep to its schema.' })
  const size = memoSize(value as Memo)
  if (size > maxLength)
    throw invalidRequest(`The memo has ${size} characters; ${maxLength} are allowed (memo.max_length).`)
  return value as Memo
}

export function isKept(memo: Memo, rules: Parameters<typeof checkMemo>[1]): boolean {
  try {
    checkMemo(memo, rules)
    return true
  } catch (error) {
    if (error instanceof ParleyError) return false
    throw error
  }
}

export const memoSize = (memo: Memo): number =>
  Object.keys(memo).length === 0 ? 0 : JSON.stringify(memo).length

export function diffMemos(before: Memo, after: Memo): { key: string; before?: unknown; after?: unknown }[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => ({ key, before: before[key], after: after[key] }))
}
