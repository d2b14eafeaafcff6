import type { ExportFormat } from '../../../src/core/protocol/session.ts'

const endings: Record<ExportFormat, string> = { json: 'json', yaml: 'yaml', jsonl: 'jsonl', markdown: 'md' }

/** A name that every system takes: what a title holds beside letters, digits, "." and "-" becomes a hyphen. */
export function fileNameOf(title: string, format: ExportFormat): string {
  const name = title
    .normalize('NFC')
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}._-]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
  return `${name || 'session'}.${endings[format]}`
}

/** Hands a text, or the pieces of one, to the browser as a file. */
export function saveFile(name: string, ...pieces: string[]): void {
  const url = URL.createObjectURL(new Blob(pieces, { type: 'application/octet-stream' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // the browser has it by then
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
