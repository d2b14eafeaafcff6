// what a model reads at once and still takes in
export const maxPartLength = 24_000

// better places first: between paragraphs, lines, sentences, words
const places = [/\n[^\S\n]*\n/g, /\n/g, /[.!?。！？]\s*/g, /\s/g]

/** Pieces of a text, none longer than the limit, split at the best places; none of a blank text. */
export function splitText(text: string, limit = maxPartLength): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > limit) {
    const end = findCut(rest, limit)
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...parts, rest].filter((part) => part.trim() !== '')
}

/** In the second half of what fits, so that no piece is small. */
function findCut(text: string, limit: number): number {
  const half = Math.floor(limit / 2)
  const window = text.slice(half, limit)
  for (const place of places) {
    const last = [...window.matchAll(place)].at(-1)
    if (last) return half + last.index + last[0].length
  }
  const isHalfCharacter = /[\uD800-\uDBFF]/.test(text[limit - 1]!)
  return isHalfCharacter ? limit - 1 : limit
}
