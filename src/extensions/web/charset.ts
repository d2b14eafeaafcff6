/**
 * Bytes to text by what they say of themselves: a byte order mark, then the header, then the page. Names that nobody
 * knows count as none, and bytes without a name are UTF-8 or, where that does not fit, Windows-1252.
 */
export function decodeText(body: Buffer, contentType: string): string {
  const labels = [
    labelOfMark(body),
    labelIn(contentType, /charset\s*=\s*"?([^\s";]+)/i),
    labelOfPage(body, contentType),
  ]
  for (const label of labels) {
    const text = label === undefined ? undefined : decode(body, label)
    if (text !== undefined) return text
  }
  return decode(body, 'utf-8', true) ?? decode(body, 'windows-1252')!
}

function decode(body: Buffer, label: string, fatal = false): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(body)
  } catch {
    return undefined // an unknown name, or bytes that do not fit
  }
}

function labelOfMark(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined
}

/** HTML and XML name their encoding within the first bytes, in ASCII. */
function labelOfPage(body: Buffer, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined
  const start = body.toString('latin1', 0, 1_024)
  return (
    labelIn(start, /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/i) ??
    labelIn(start, /encoding\s*=\s*["']([\w:.-]+)/i)
  )
}

const labelIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]
