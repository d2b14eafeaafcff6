import { invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { fromClaudeCodeRows } from './foreign/claude-code.ts'
import { isFields } from './foreign/fields.ts'
import { fromOpenAiRows } from './foreign/openai-jsonl.ts'
import { fromUiMessages } from './foreign/ui-messages.ts'
import { parseJson, readJson } from './json.ts'
import { parseRows, readJsonl } from './jsonl.ts'
import { readMarkdown } from './markdown.ts'
import { parseYaml, readYaml } from './yaml.ts'

type Reader = (text: string, rules?: DocumentRules) => SessionDocument[]

/** What can be imported as text; all but the first four were written by other tools. */
const readers = {
  json: (text, rules) => [readJson(text, rules)],
  yaml: (text, rules) => [readYaml(text, rules)],
  jsonl: (text, rules) => [readJsonl(text, rules)],
  markdown: (text, rules) => [readMarkdown(text, rules)],
  'ui-messages': (text) => [
    fromUiMessages(startsAsJson(text) ? parseJson(text, 'The file') : parseYaml(text)),
  ],
  'openai-jsonl': (text) => fromOpenAiRows(parseRows(text)),
  'claude-code': (text) => [fromClaudeCodeRows(parseRows(text)).document],
} satisfies Record<string, Reader>

export type ReadableFormat = keyof typeof readers
export const readableFormats = Object.keys(readers) as ReadableFormat[]

/**
 * The sessions in a text, recognised by its content unless `format` names one of `readableFormats`.
 * All or nothing: a file that is cut short, does not fit or holds what no store should keep is refused.
 */
export function readDocuments(
  text: string,
  options: { format?: string; rules?: DocumentRules } = {},
): SessionDocument[] {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (content.trim() === '') throw invalidRequest(`The file is empty. ${understood}`)
  const format = options.format === undefined ? requireRecognised(content) : requireReadable(options.format)
  try {
    return (readers[format] as Reader)(content, options.rules)
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    throw invalidRequest(`${error.message} The file was read as ${format}. ${understood}`, error.details)
  }
}

const understood = `Formats that can be imported: ${readableFormats.join(', ')}.`

function requireReadable(name: string): ReadableFormat {
  const known = readableFormats.find((format) => format === name)
  if (!known) throw invalidRequest(`Unknown format ${quote(name)}. ${understood}`)
  return known
}

function requireRecognised(text: string): ReadableFormat {
  const format = startsAsJson(text) ? recogniseJson(text) : recogniseMarkup(text)
  if (!format)
    throw invalidRequest(
      `The file has no known format; it begins with ${quote(text.slice(0, 60))}. ${understood}`,
    )
  return format
}

const startsAsJson = (text: string) => /^\s*[[{]/.test(text)

function recogniseMarkup(text: string): ReadableFormat | undefined {
  if (text.startsWith('---') && text.includes('\n<!-- parley:')) return 'markdown'
  if (/^format:/m.test(text)) return 'yaml'
  return /^messages:/m.test(text) ? 'ui-messages' : undefined
}

// a log of Claude Code may begin with lines of other kinds, though hardly with so many
const maxLeadingLines = 1_000

/** One JSON value, or several, one per line. Where not even the first line is whole, `json` reports why. */
function recogniseJson(text: string): ReadableFormat | undefined {
  const whole = parseOrUndefined(text)
  if (whole !== undefined) return recogniseValue(whole)
  const start = text.search(/\S/)
  const end = text.indexOf('\n', start)
  if (end === -1) return 'json'
  const first = parseOrUndefined(text.slice(start, end))
  if (first === undefined) return 'json'
  return (
    recogniseRow(first) ??
    (text.split('\n', maxLeadingLines).some(isClaudeCodeLine) ? 'claude-code' : undefined)
  )
}

function recogniseValue(value: unknown): ReadableFormat | undefined {
  if (Array.isArray(value)) return 'ui-messages'
  if (!isFields(value)) return undefined
  if (value.format === undefined && Array.isArray(value.messages)) return 'ui-messages'
  return value.format === 'parley.session' && value.type === undefined ? 'json' : recogniseRow(value)
}

function recogniseRow(value: unknown): ReadableFormat | undefined {
  if (!isFields(value)) return undefined
  if (value.format !== undefined && value.format !== 'parley.session') return undefined
  if (value.format === 'parley.session') return 'jsonl'
  if (isClaudeCode(value)) return 'claude-code'
  return 'role' in value || Array.isArray(value.messages) ? 'openai-jsonl' : undefined
}

function isClaudeCode(value: unknown): boolean {
  if (!isFields(value)) return false
  if (value.type === 'summary') return typeof value.leafUuid === 'string'
  return (value.type === 'user' || value.type === 'assistant') && isFields(value.message)
}

const isClaudeCodeLine = (line: string) => isClaudeCode(parseOrUndefined(line))

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the reader that is chosen reports it, with its place
  }
}
