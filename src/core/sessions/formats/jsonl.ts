import { invalidRequest, quote } from '../../protocol/error.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { fromHeader, toHeader } from './header.ts'
import { parseJson } from './json.ts'
import type { DocumentHead, Writing } from './document.ts'

/** A row of a JSON Lines file, with the line it stood on, from 1. */
export type Row = { line: number; value: unknown }

/** The session on the first line, then one message per line. */
export function startJsonl(head: DocumentHead, messageCount: number): Writing {
  return {
    begin: `${JSON.stringify({ type: 'session', ...toHeader(head, messageCount) })}\n`,
    message: (message) => `${JSON.stringify({ type: 'message', ...message })}\n`,
    end: '',
  }
}

export function readJsonl(text: string, rules?: DocumentRules): SessionDocument {
  const [first, ...rest] = parseRows(text)
  if (!first) throw invalidRequest('The file is empty.')
  return fromHeader(
    withoutType(first, 'session'),
    rest.map((row) => withoutType(row, 'message')),
    rules,
  )
}

/** Every line as JSON; blank lines are passed over. Lines end at "\n" only: U+2028 may stand in a string. */
export function parseRows(text: string): Row[] {
  const lines = text.split('\n')
  const rows: Row[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const isLast = index === lines.length - 1
    const what = isLast ? `Line ${index + 1}, the last one and perhaps cut off,` : `Line ${index + 1}`
    rows.push({ line: index + 1, value: parseJson(line, what) })
  }
  return rows
}

function withoutType(row: Row, expected: string): object {
  if (typeof row.value !== 'object' || row.value === null)
    throw invalidRequest(`Line ${row.line} is not an object: ${quote(row.value)}.`)
  const { type, ...rest } = row.value as { type?: unknown }
  if (type !== expected)
    throw invalidRequest(`Line ${row.line} has the type ${quote(type)}, but "${expected}" belongs there.`)
  return rest
}
