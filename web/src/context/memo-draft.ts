import type { Memo } from '../../../src/core/protocol/window.ts'

export type ReadMemo = { memo: Memo } | { problem: 'not-json'; reason: string } | { problem: 'not-object' }

/** What a person wrote as a memo; whether it keeps to its schema the server says. */
export function readMemo(text: string): ReadMemo {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: 'not-json', reason: error instanceof Error ? error.message : String(error) }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { memo: value as Memo }
    : { problem: 'not-object' }
}

/** The keys that a memo may have, by its JSON Schema. */
export function keysOf(schema: unknown): string[] {
  const { properties } = (schema ?? {}) as { properties?: unknown }
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}
