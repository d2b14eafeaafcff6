import type { Part } from '../../../../src/client/index.ts'
import { randomKey } from '../../../../src/client/random-key.ts'

/** A file that goes along with a message, whole. */
export interface Attachment {
  id: string
  name: string
  mediaType: string
  /** A data URL. */
  url: string
  bytes: number
}

export type Refusal = 'too-large' | 'too-many' | 'unreadable'

// a request holds 10 MiB by default, and what is sent grows by a third on its way
export const maxTotalBytes = 7_000_000
export const maxAttachments = 20
// about three pages; more than that is rather a file that is talked about
export const longPasteLength = 6_000

const binaryTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']
// what the server hands to models as text
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)$/

/** Images, PDFs, and whatever is text: nothing else can be shown to a model. */
export async function readFile(file: File): Promise<Attachment | Refusal> {
  if (file.size > maxTotalBytes) return 'too-large'
  const bytes = new Uint8Array(await file.arrayBuffer())
  const mediaType = binaryTypes.includes(file.type) ? file.type : isText(bytes) && toTextType(file.type)
  return mediaType ? toAttachment(file.name, mediaType, bytes) : 'unreadable'
}

/** The ones that fit beside those that are there, and why others do not. */
export function addAttachments(
  present: readonly Attachment[],
  read: readonly { name: string; result: Attachment | Refusal }[],
): { attachments: readonly Attachment[]; refused: { name: string; reason: Refusal }[] } {
  const attachments = [...present]
  const refused: { name: string; reason: Refusal }[] = []
  for (const { name, result } of read) {
    const total = attachments.reduce((sum, { bytes }) => sum + bytes, 0)
    if (typeof result === 'string') refused.push({ name, reason: result })
    else if (attachments.length >= maxAttachments) refused.push({ name, reason: 'too-many' })
    else if (total + result.bytes > maxTotalBytes) refused.push({ name, reason: 'too-large' })
    else attachments.push(result)
  }
  return { attachments, refused }
}

export function textToAttachment(name: string, text: string): Attachment {
  return toAttachment(name, 'text/plain', new TextEncoder().encode(text))
}

/** Files of a message that is written anew; what is elsewhere cannot be sent from here. */
export const toAttachments = (parts: readonly Part[]): Attachment[] =>
  parts.flatMap(({ type, url, mediaType, filename }) =>
    type === 'file' && typeof url === 'string' && url.startsWith('data:')
      ? {
          id: randomKey(),
          name: String(filename ?? 'file'),
          mediaType: String(mediaType),
          url,
          // three bytes are four letters
          bytes: Math.floor(((url.length - url.indexOf(',') - 1) * 3) / 4),
        }
      : [],
  )

/** `pasted.txt`, `pasted-2.txt`, … */
export function freeName(present: readonly Attachment[], base = 'pasted'): string {
  const taken = new Set(present.map(({ name }) => name))
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${base}.txt` : `${base}-${number}.txt`
    if (!taken.has(name)) return name
  }
}

function toAttachment(name: string, mediaType: string, bytes: Uint8Array): Attachment {
  const url = `data:${mediaType};base64,${toBase64(bytes)}`
  return { id: randomKey(), name: name.slice(-255) || 'file', mediaType, url, bytes: bytes.length }
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')
  } catch {
    return false
  }
}

const toTextType = (type: string) => {
  const [plain = ''] = type.split(';')
  return textTypes.test(plain) ? plain : 'text/plain'
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  // a call cannot take more arguments than this everywhere
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}
