import { inAttribute, sealed } from '../protocol/prompt-tags.ts'
import type { FileContent } from './adapter.ts'

export interface Attachment {
  mediaType: string
  filename: string | undefined
  /** One of the three: what a provider may fetch itself, bytes, or text that any model can read. */
  source: { url: string } | { base64: string } | { text: string }
}

/** A text file becomes text: that every provider takes, while few take it as a file. */
export function readAttachment({ url, mediaType, filename }: FileContent): Attachment {
  const data = /^data:[^,]*?(;base64)?,/i.exec(url)
  if (!data) return { mediaType, filename, source: { url } }
  const payload = url.slice(data[0].length)
  const base64 = data[1] ? payload : Buffer.from(decode(payload)).toString('base64')
  if (!isText(mediaType)) return { mediaType, filename, source: { base64 } }
  const text = Buffer.from(base64, 'base64').toString('utf8')
  const name = inAttribute(filename ?? 'file')
  return { mediaType, filename, source: { text: `<file name="${name}">\n${sealed(text)}\n</file>` } }
}

const isText = (mediaType: string) =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)\b/.test(mediaType)

/** What is not written as it should be is taken as it is: it is in the log, and would fail every turn after it. */
function decode(payload: string): string {
  try {
    return decodeURIComponent(payload)
  } catch {
    return payload
  }
}
