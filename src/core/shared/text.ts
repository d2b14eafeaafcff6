/** The beginning of a text that is longer than the limit, and a mark that it was; never half a character. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`

/** A text as one line, so that nothing in it passes for a line of somebody else. */
export const toLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** An answer without the fence that models like to put around JSON. Takes no longer than the text is long. */
export function withoutFence(text: string): string {
  const bare = text.trim().replace(/^```(?:json)?\s*/i, '')
  return bare.endsWith('```') ? bare.slice(0, -3).trimEnd() : bare
}

/** A stretch of a long text around the first of the words that are in it, or its beginning. */
export function excerptAround(
  text: string,
  words: readonly string[],
  { length, leadIn }: { length: number; leadIn: number },
): { from: number; piece: string } {
  const lower = text.toLowerCase()
  const places = words
    .map((word) => (word === '' ? -1 : lower.indexOf(word.toLowerCase())))
    .filter((place) => place >= 0)
  const first = Math.min(...places)
  const from = text.length > length && Number.isFinite(first) ? Math.max(0, first - leadIn) : 0
  return { from, piece: text.slice(from, from + length).toWellFormed() }
}
