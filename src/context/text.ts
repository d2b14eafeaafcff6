import { estimateTokenCount, sliceByTokens } from 'tokenx'

/** The text of a file, with plain line ends and no byte order mark; `undefined` if it is not text. */
export function decodeText(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined
  // as a stream, because the last character may have been cut in two
  const text = new TextDecoder('utf-8').decode(content, { stream: true })
  let broken = 0
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) broken++
  return broken > text.length / 10 ? undefined : toPlainLines(text)
}

/** The same bytes in the prompt whether a file was checked out on Windows or not. */
export const toPlainLines = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')

export const countTokens = (text: string): number => estimateTokenCount(text)

/** The start of a text that has at most so many tokens, up to the end of a line where that costs little. */
export function cutToTokens(text: string, tokens: number): string {
  if (tokens <= 0) return ''
  let start = sliceByTokens(text, 0, tokens)
  // the estimate of a part can be one above its share of the whole
  for (let less = tokens - 1; countTokens(start) > tokens; less--) start = sliceByTokens(text, 0, less)
  if (start.length === text.length) return start
  const lineEnd = start.lastIndexOf('\n')
  return lineEnd > start.length / 2 ? start.slice(0, lineEnd) : start
}

export const formatCount = (count: number): string => count.toLocaleString('en')

export const cutNotice = (name: string, kept: number, bytes: number): string =>
  `[Cut: only the first ${formatCount(kept)} of ${formatCount(bytes)} bytes of ${name} were read.]`

/** A file name as it may stand in a caption: one line, no quotes, no tags. */
export const toCaption = (name: string): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}"<>]/gu, '?')
