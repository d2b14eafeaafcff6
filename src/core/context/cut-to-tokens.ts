import { estimateTokenCount, sliceByTokens } from 'tokenx'

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
