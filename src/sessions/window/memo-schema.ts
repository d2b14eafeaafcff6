import { z } from 'zod'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { describeIssues } from '../../protocol/issues.ts'
import type { Memo } from '../../protocol/window.ts'

const entries = z.array(z.string()).optional()

/** What people come back to in long conversations, and one text for how it went lately. */
export const defaultMemoSchema = z.toJSONSchema(
  z.strictObject({
    profile: z.record(z.string(), z.unknown()).optional(),
    preferences: entries,
    constraints: entries,
    tasks: entries,
    decisions: entries,
    facts: entries,
    recent_summary: z.string().optional(),
  }),
) as Record<string, unknown>

const compiled = new WeakMap<object, z.ZodType>()

/** Throws when the schema is none, or is not one of an object. */
export function compileMemoSchema(schema: Record<string, unknown>): z.ZodType {
  const known = compiled.get(schema)
  if (known) return known
  if (schema.type !== 'object')
    throw invalidRequest('The schema of a memo must be a JSON Schema with "type": "object".')
  try {
    refuseCostly(schema)
    const made = z.fromJSONSchema(schema)
    made.safeParse({}) // one that refers to itself without end shows here
    compiled.set(schema, made)
    return made
  } catch (error) {
    throw invalidRequest(`The schema of the memo cannot be used: ${(error as Error).message}`)
  }
}

/** A pattern runs on this machine, over text that a model wrote: some of them never come to an end. */
function refuseCostly(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' || key === 'patternProperties') throw new Error(`${quote(key)} is not supported`)
    refuseCostly(value)
  }
}

/** The memo when it keeps to its schema and size; throws with what is wrong otherwise. */
export function checkMemo(
  value: unknown,
  { schema, maxLength }: { schema: Record<string, unknown>; maxLength: number },
): Memo {
  const result = compileMemoSchema(schema).safeParse(value)
  if (!result.success)
    throw invalidRequest(`The memo does not keep to its schema. ${describeIssues(result.error, value)}`)
  const size = memoSize(value as Memo)
  if (size > maxLength)
    throw invalidRequest(`The memo has ${size} characters; ${maxLength} are allowed (memo.max_length).`)
  return value as Memo
}

export const memoSize = (memo: Memo): number =>
  Object.keys(memo).length === 0 ? 0 : JSON.stringify(memo).length

export function diffMemos(before: Memo, after: Memo): { key: string; before?: unknown; after?: unknown }[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => ({ key, before: before[key], after: after[key] }))
}
