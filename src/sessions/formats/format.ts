import { invalidRequest, quote } from '../../protocol/error.ts'
import { type ExportFormat, exportFormats, type SessionDocument } from '../../protocol/session.ts'
import { readJson, writeJson } from './json.ts'
import { readJsonl, writeJsonl } from './jsonl.ts'
import { readMarkdown, writeMarkdown } from './markdown.ts'
import { readYaml, writeYaml } from './yaml.ts'

/**
 * A way to write a session as text. `read(write(document))` is the same document, and what is written
 * depends on the document alone, so an export, imported and exported again, is the same to the byte.
 * A file that was cut short or does not fit the schema is refused as a whole.
 */
export type Format = {
  readonly name: ExportFormat
  readonly mediaType: string
  /** Of a file name, without the dot. */
  readonly extension: string
  write(document: SessionDocument): string
  read(text: string): SessionDocument
}

export const formats: Record<ExportFormat, Format> = {
  json: { name: 'json', mediaType: 'application/json', extension: 'json', write: writeJson, read: readJson },
  yaml: { name: 'yaml', mediaType: 'application/yaml', extension: 'yaml', write: writeYaml, read: readYaml },
  jsonl: {
    name: 'jsonl',
    mediaType: 'application/jsonl',
    extension: 'jsonl',
    write: writeJsonl,
    read: readJsonl,
  },
  markdown: {
    name: 'markdown',
    mediaType: 'text/markdown',
    extension: 'md',
    write: writeMarkdown,
    read: readMarkdown,
  },
}

export function requireFormat(name: string): Format {
  const known = exportFormats.find((format) => format === name)
  if (!known)
    throw invalidRequest(`Unknown format ${quote(name)}. Known formats: ${exportFormats.join(', ')}.`)
  return formats[known]
}
