import { realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { Closed } from '../files/file-rules.ts'
import { listConfined, readConfined } from '../files/confined-file.ts'
import { decodeText } from '../files/decode-text.ts'
import type { Refusal } from '../files/file-refusal.ts'
import type { Reference } from './references.ts'
import { cutNotice, formatCount, toCaption } from './cut-to-tokens.ts'

export interface FileReferenceOptions extends Closed {
  /** Most bytes of one file. Default 64 KiB. */
  maxBytes?: number
  /** Most files and folders. Default 20. */
  maxFiles?: number
  /** The scope that `root` belongs to; references that name another are not resolved. */
  scope?: string
}

export interface ResolvedFile {
  reference: Reference
  kind: 'file' | 'folder' | 'binary' | 'unresolved'
  /** From the root, as it may be shown. */
  path: string
  /** The size on disk; 0 if there is none. */
  bytes: number
  /** The content, the entries of a folder, or a note about why there is nothing to show. */
  text: string
  isCut: boolean
}

const maxFolderEntries = 200

const notes: Record<Exclude<Refusal, 'folder'>, string> = {
  absent: 'was not found',
  outside: 'is outside the folder of this scope',
  denied: 'is closed by a rule',
  special: 'is not a regular file',
  linked: 'has a second name (a hard link) and was not read',
  unreadable: 'could not be read',
}

/**
 * Reads what the `file` references point to, each path once, in their order. Nothing outside `root` is read, not
 * through links either. References of other types are passed over; one that cannot be resolved leaves a note.
 */
export async function resolveFileReferences(
  references: readonly Reference[],
  root: string,
  { maxBytes = 64 * 1024, maxFiles = 20, scope, ...closed }: FileReferenceOptions = {},
): Promise<ResolvedFile[]> {
  const folder = await realpath(root).catch(() => resolve(root))
  const resolved = new Map<string, ResolvedFile>()
  for (const reference of references) {
    const isElsewhere = reference.scope !== undefined && reference.scope !== scope
    const path = relative(resolve(root), resolve(root, reference.id)) || '.'
    const key = isElsewhere ? reference.raw : path
    if (reference.type !== 'file' || resolved.has(key)) continue
    const found = isElsewhere
      ? toUnresolved(reference, 'belongs to another scope')
      : resolved.size >= maxFiles
        ? toUnresolved(reference, `was not read: there are more than ${maxFiles} files`)
        : await readReferenced(reference, { folder, closed }, path, maxBytes)
    resolved.set(key, found)
  }
  return [...resolved.values()]
}

interface Root {
  folder: string
  closed: Closed
}

async function readReferenced(
  reference: Reference,
  root: Root,
  path: string,
  maxBytes: number,
): Promise<ResolvedFile> {
  const file = await readConfined(root.folder, path, maxBytes, root.closed)
  if (file === 'folder') return listReferenced(reference, root, path)
  if (typeof file === 'string') return toUnresolved(reference, notes[file])
  const shown = toShown(path)
  const { content, isCut } = file
  const bytes = Number(file.stats.size)
  const text = decodeText(content)
  if (text === undefined) {
    const note = `[${shown} is not text: ${formatCount(bytes)} bytes.]`
    return { reference, kind: 'binary', path: shown, bytes, text: note, isCut: false }
  }
  const whole = isCut ? `${text}\n${cutNotice(shown, content.length, bytes)}` : text
  return { reference, kind: 'file', path: shown, bytes, text: whole, isCut }
}

async function listReferenced(reference: Reference, root: Root, path: string): Promise<ResolvedFile> {
  const listed = await listConfined(root.folder, path, maxFolderEntries, root.closed)
  if (typeof listed === 'string')
    return toUnresolved(reference, notes[listed === 'folder' ? 'absent' : listed])
  const names = listed.entries.map((entry) => toCaption(entry.name) + (entry.isDirectory() ? '/' : ''))
  if (listed.isCut) names.push(`[Cut: the folder has more than ${maxFolderEntries} entries.]`)
  const text = names.length > 0 ? names.join('\n') : '[The folder is empty.]'
  return { reference, kind: 'folder', path: toShown(path), bytes: 0, text, isCut: listed.isCut }
}

function toUnresolved(reference: Reference, why: string): ResolvedFile {
  const path = toCaption(reference.id)
  const text = `[${toCaption(reference.raw)} ${why}.]`
  return { reference, kind: 'unresolved', path, bytes: 0, text, isCut: false }
}

const toShown = (path: string): string => toCaption(path.split(sep).join('/'))
