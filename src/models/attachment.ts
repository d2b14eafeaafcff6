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
  const base64 = data[1] ? payload : Buffer.from(decodeURIComponent(payload)).toString('base64')
  if (!isText(mediaType)) return { mediaType, filename, source: { base64 } }
  const text = Buffer.from(base64, 'base64').toString('utf8')
  return { mediaType, filename, source: { text: `<file name="${filename ?? 'file'}">\n${text}\n</file>` } }
}

const isText = (mediaType: string) =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|javascript)\b/.test(mediaType)
