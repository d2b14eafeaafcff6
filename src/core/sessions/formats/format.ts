import { invalidRequest, quote } from '../../protocol/error.ts'
import { type ExportFormat, exportFormats, type SessionDocument } from '../../protocol/session.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import { type DocumentHead, requireDocument, type Writing } from './document.ts'
import { readJson, startJson } from './json.ts'
import { readJsonl, startJsonl } from './jsonl.ts'
import { readMarkdown, startMarkdown } from './markdown.ts'
import { readYaml, startYaml } from './yaml.ts'

/**
 * A way to write a session as text. `read(write(document))` is the same document, and what is written
 * depends on the document alone, so an export, imported and exported again, is the same to the byte.
 * A file that was cut short or does not fit the schema is refused as a whole.
 */
export type Format = {
  readonly name: ExportFormat
  readonly mediaType: string
  /** It can turn out to be too long only when it is written. */
  readonly isWhole?: boolean
  /** Of a file name, without the dot. */
  readonly extension: string
  /** `rules` are those of the Parley whose session it is; without them, of one without extensions. */
  write(document: SessionDocument, rules?: DocumentRules): string
  /** The same text, piece by piece. What it is given has been checked: see `requireHead` and `requireMessage`. */
  start(head: DocumentHead, messageCount: number, rules?: DocumentRules): Writing
  read(text: string, rules?: DocumentRules): SessionDocument
}

type Start = Format['start']

export const formats: Record<ExportFormat, Format> = {
  json: {
    name: 'json',
    mediaType: 'application/json',
    extension: 'json',
    write: wholly(startJson),
    start: startJson,
    read: readJson,
  },
  yaml: {
    name: 'yaml',
    mediaType: 'application/yaml',
    extension: 'yaml',
    isWhole: true,
    write: wholly(startYaml),
    start: startYaml,
    read: readYaml,
  },
  jsonl: {
    name: 'jsonl',
    mediaType: 'application/jsonl',
    extension: 'jsonl',
    write: wholly(startJsonl),
    start: startJsonl,
    read: readJsonl,
  },
  markdown: {
    name: 'markdown',
    mediaType: 'text/markdown',
    extension: 'md',
    write: wholly(startMarkdown),
    start: startMarkdown,
    read: readMarkdown,
  },
}

function wholly(start: Start): Format['write'] {
  return (document, rules) => {
    const { messages, ...head } = requireDocument(document, rules)
    const writing = start(head, messages.length, rules)
    return [writing.begin, ...messages.map(writing.message), writing.end].join('')
  }
}

export function requireFormat(name: string): Format {
  const known = exportFormats.find((format) => format === name)
  if (!known)
    throw invalidRequest(`Unknown format ${quote(name)}. Known formats: ${exportFormats.join(', ')}.`)
  return formats[known]
}
