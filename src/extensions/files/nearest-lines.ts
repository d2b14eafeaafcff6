import { distance } from 'fastest-levenshtein'

// comparing costs the product of both lengths
const maxComparedLines = 5_000
const maxComparedLength = 200
const maxShownLength = 300

/** The lines of a text that are most similar to the start of a piece that is not in it: what was probably meant. */
export function describeNearest(text: string, piece: string): string {
  const wanted = piece.split('\n').find((line) => line.trim() !== '')
  const lines = text.split('\n').slice(0, maxComparedLines)
  if (wanted === undefined || text === '') return 'Read the file and copy the text exactly.'
  const key = toKey(wanted)
  let best = { index: 0, score: Infinity }
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const score = distance(key, toKey(line))
    if (score < best.score) best = { index, score }
  }
  if (best.score > key.length * 0.6) return 'Nothing in it is like that: read the file again.'
  const from = Math.max(0, best.index - 1)
  const height = Math.min(6, piece.split('\n').length + 2)
  const shown = lines
    .slice(from, from + height)
    .map((line, index) => `${from + index + 1}\t${line.slice(0, maxShownLength).toWellFormed()}`)
  const hint =
    best.score === 0 ? 'White space or later lines differ; the nearest lines are' : 'The nearest lines are'
  return `${hint}:\n${shown.join('\n')}`
}

const toKey = (line: string) => line.trim().replaceAll(/\s+/g, ' ').slice(0, maxComparedLength)
