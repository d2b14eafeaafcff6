import { isSpace, lineEnd, type TextRange } from './text-range.ts'

interface Ticks extends TextRange {
  paragraph: number
}

const fence = 3

/** Where a text means what it is letter by letter: code and URLs, in order. A URL may lie within code. */
export function literalRanges(text: string): TextRange[] {
  const code = text.includes('`') ? codeRanges(text) : []
  const urls = text.includes('://') ? urlRanges(text) : []
  if (code.length === 0 || urls.length === 0) return [...code, ...urls]
  return [...code, ...urls].sort((a, b) => a.start - b.start)
}

// from the colon on; without brackets, quotes and letters of other scripts, which rather follow a URL
const urlRanges = (text: string): TextRange[] =>
  [...text.matchAll(/:\/\/[\w\-.~:/?#@!$&'*+,;=%]*/g)].map(({ index, 0: url }) => ({
    start: index,
    end: index + url.length,
  }))

/**
 * Where a text is code: from as many back-ticks to as many, within a paragraph. Three or more go over paragraphs, and
 * on to the end of the text where nothing closes them.
 */
function codeRanges(text: string): TextRange[] {
  const runs = findTicks(text)
  const closes = findCloses(runs)
  const ranges: TextRange[] = []
  for (let index = 0; index < runs.length; index++) {
    const { start, end, paragraph } = runs[index]!
    const isFence = end - start >= fence
    const close = closes[index]
    if (close === undefined) {
      if (isFence) return [...ranges, { start, end: text.length }]
    } else if (isFence || runs[close]!.paragraph === paragraph) {
      ranges.push({ start, end: runs[close]!.end })
      index = close
    }
  }
  return ranges
}

const tick = 0x60

function findTicks(text: string): Ticks[] {
  const runs: Ticks[] = []
  let paragraph = 0
  let isBlank = false // nothing but spaces since the line began
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === lineEnd) {
      if (isBlank) paragraph++
      isBlank = true
    } else if (!isSpace(unit)) isBlank = false
    if (unit !== tick) continue
    const start = at
    while (text.charCodeAt(at + 1) === tick) at++
    runs.push({ start, end: at + 1, paragraph })
  }
  return runs
}

/** For each run the next one of its length; looked up from the end, so that no run is looked at twice. */
function findCloses(runs: readonly Ticks[]): (number | undefined)[] {
  const nextOfLength = new Map<number, number>()
  const closes: (number | undefined)[] = []
  for (let index = runs.length - 1; index >= 0; index--) {
    const { start, end } = runs[index]!
    closes[index] = nextOfLength.get(end - start)
    nextOfLength.set(end - start, index)
  }
  return closes
}
