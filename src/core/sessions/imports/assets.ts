import type { Block } from '../formats/foreign/blocks.ts'
import { assetScheme, type Conversation } from './conversation.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'
import type { ImportNotes } from './import-notes.ts'
import type { ArchivedFile } from './zip-file.ts'

/** Finds what conversations refer to among the other files of their archive. */
export interface Assets {
  find(pointer: string, filename?: string): ArchivedFile | undefined
}

// `file-service://file-AbC…`, `sediment://file_0123…`, and names of files that begin with the same
const ids = /file[-_][A-Za-z0-9]+/

export function createAssets(files: readonly ArchivedFile[]): Assets {
  const byId = new Map<string, ArchivedFile>()
  const byName = new Map<string, ArchivedFile>()
  for (const file of files) {
    const base = file.name.slice(file.name.lastIndexOf('/') + 1)
    const [id] = ids.exec(base) ?? []
    if (id !== undefined && base.startsWith(id)) byId.set(id, file)
    byName.set(base, file)
    // others put the id of a file in front of its ending
    byName.set(base.replace(/\.[^.]*$/, ''), file)
  }
  return {
    find(pointer, filename) {
      const base = pointer.slice(pointer.lastIndexOf('/') + 1)
      const [id] = ids.exec(base) ?? []
      return (
        (id === undefined ? undefined : byId.get(id)) ??
        byName.get(base) ??
        (filename === undefined ? undefined : byName.get(filename))
      )
    },
  }
}

/**
 * Puts the files that messages refer to into them, as files that people attach are. What is missing or too large is named
 * in its place and counted.
 */
export async function fillAssets(
  conversation: Conversation,
  assets: Assets,
  { assetBytes, conversationBytes }: Pick<ImportLimits, 'assetBytes' | 'conversationBytes'>,
  notes: ImportNotes,
): Promise<void> {
  let left = conversationBytes
  for (const { message } of conversation.nodes) {
    if (!message) continue
    for (const [index, block] of message.blocks.entries()) {
      const asset = assetOf(block)
      if (!asset) continue
      const { pointer, filename, mediaType } = asset
      const file = assets.find(pointer, filename)
      const name = filename ?? baseName(file?.name ?? pointer)
      const isImage = mediaType.startsWith('image/')
      if (!file) {
        notes.add(isImage ? 'images_missing' : 'files_missing')
        message.blocks[index] = missing(isImage ? 'Image' : 'File', name, 'not in the export')
      } else if (file.bytes > assetBytes || file.bytes > left) {
        notes.add('files_too_large')
        message.blocks[index] = missing(
          isImage ? 'Image' : 'File',
          name,
          `${file.bytes} bytes, too large to import`,
        )
      } else {
        const bytes = await file.read(Math.min(assetBytes, left))
        left -= bytes.length
        const type = typeOf(bytes) ?? typeByName(file.name) ?? typeByName(name) ?? plain(mediaType)
        const url = `data:${type};base64,${bytes.toString('base64')}`
        message.blocks[index] = { kind: 'part', part: { type: 'file', mediaType: type, filename: name, url } }
      }
    }
  }
}

function assetOf(block: Block) {
  if (block.kind !== 'part' || block.part.type !== 'file') return undefined
  const { url, filename, mediaType } = block.part
  if (typeof url !== 'string' || !url.startsWith(assetScheme)) return undefined
  return {
    pointer: url.slice(assetScheme.length),
    filename: typeof filename === 'string' ? filename : undefined,
    mediaType: String(mediaType),
  }
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const missing = (what: string, name: string, why: string): Block => ({
  kind: 'part',
  part: { type: 'text', text: `[${what} ${name}: ${why}]` },
})

const plain = (mediaType: string) => (mediaType.endsWith('/*') ? 'application/octet-stream' : mediaType)

const signatures: [type: string, at: number, bytes: string][] = [
  ['image/png', 0, '\x89PNG'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mpeg', 0, 'ID3'],
]

/** Names lie, and some archives name every file `.dat`. */
const typeOf = (bytes: Buffer) =>
  signatures.find(([, at, expected]) => bytes.toString('latin1', at, at + expected.length) === expected)?.[0]

const endings: Record<string, string> = {
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  py: 'text/x-python',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
}

function typeByName(name: string): string | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined
}
