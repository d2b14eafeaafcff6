import { invalidRequest, quote } from '../../protocol/error.ts'
import { type Fields, isFields } from '../formats/foreign/fields.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'
import { recogniseSource, sources } from './sources.ts'
import type { Source } from './sources/source.ts'
import { splitJson } from './split-json.ts'
import type { SourceFile } from './open-file.ts'

/**
 * What a file is: the export of a program; sessions of Parley, as JSON values or as lines; conversations that are lists of
 * messages; or a text that has to be read as a whole.
 */
export type FileFormat =
  | { kind: 'source'; source: Source }
  | { kind: 'documents' }
  | { kind: 'lines' }
  | { kind: 'messages' }
  | { kind: 'text' }

export interface Unknown {
  kind: 'unknown'
  /** What was seen of it, for a person. */
  seen: string
  isJson: boolean
}

export const unknownFile = (seen: string) =>
  invalidRequest(`${seen} Formats that can be imported: ${knownFormats.join('; ')}.`)

export const nameOf = (format: FileFormat): string =>
  format.kind === 'source' ? format.source.name : format.kind === 'messages' ? 'messages' : 'parley'

export const knownFormats = [
  ...sources.map(({ label }) => label),
  'Parley (JSON, JSONL, YAML, Markdown)',
  'lists of AI SDK or OpenAI-style messages',
]

// a log may begin with lines of other kinds, though hardly with so many
const maxLeadingValues = 1_000
const headBytes = 2_000

export async function recogniseFile(file: SourceFile, limits: ImportLimits): Promise<FileFormat | Unknown> {
  const head = await readHead(file)
  let seen: string | undefined
  let count = 0
  try {
    for await (const { bytes } of splitJson(file.open(), limits)) {
      const value = parseOrUndefined(bytes)
      const format = isFields(value) ? recogniseValue(value) : undefined
      if (format) return format
      seen ??= isFields(value) ? describeFields(value) : value === undefined ? undefined : describe(value)
      if (++count === maxLeadingValues) break
    }
  } catch (error) {
    // what is no JSON may be a text that people write
    if ((error as { code?: string }).code !== 'invalid_request' || /^\s*[[{]/.test(head)) throw error
  }
  if (isMarkup(head)) return { kind: 'text' }
  if (file.bytes === 0 || head.trim() === '') return { kind: 'unknown', seen: 'it is empty', isJson: false }
  return {
    kind: 'unknown',
    seen: seen ?? `it begins with ${quote(head.slice(0, 60))}`,
    isJson: seen !== undefined,
  }
}

function recogniseValue(value: Fields): FileFormat | undefined {
  if (value.format === 'parley.session') return { kind: value.type === 'session' ? 'lines' : 'documents' }
  if (value.format !== undefined) return undefined
  const source = recogniseSource(value)
  if (source) return { kind: 'source', source }
  if (Array.isArray(value.messages)) return { kind: 'messages' }
  return 'role' in value ? { kind: 'text' } : undefined
}

function describeFields(value: Fields): string {
  const names = Object.keys(value)
  if (names.length === 0) return 'it holds an empty JSON object'
  const shown = names.slice(0, 8).map((name) => quote(name, 40))
  return `it holds JSON objects with the fields ${shown.join(', ')}${names.length > 8 ? ', …' : ''}`
}

const describe = (value: unknown) =>
  Array.isArray(value) ? 'it holds JSON lists' : `it holds JSON values such as ${quote(value, 40)}`

const isMarkup = (text: string) =>
  (text.startsWith('---') && text.includes('\n<!-- parley:')) ||
  /^---\r?\n[^]*?^format: *parley\.session/m.test(text) ||
  /^(format|messages):/m.test(text)

async function readHead(file: SourceFile): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of file.open()) {
    pieces.push(piece)
    size += piece.length
    if (size >= headBytes) break
  }
  return Buffer.concat(pieces)
    .subarray(0, headBytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}

export function parseOrUndefined(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined // whoever reads the value in earnest reports it, with its place
  }
}
