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
