import type { Memo } from '../../../src/core/protocol/window.ts'

export interface MemoChange {
  key: string
  before: string
  after: string
}

/** The keys that differ, each as text that can be compared line by line. */
export function diffMemos(before: Memo, after: Memo): MemoChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .map((key) => ({ key, before: toText(before[key]), after: toText(after[key]) }))
    .filter((change) => change.before !== change.after)
}

/** One entry in each line. */
export function toText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map((entry) => `- ${toLine(entry)}`).join('\n')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, entry]) => `${key}: ${toLine(entry)}`)
      .join('\n')
  return String(value)
}

const toLine = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
