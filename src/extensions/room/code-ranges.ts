import type { TextRange } from './text-range.ts'
import { findTicks, type Ticks } from './code-ticks.ts'

const fenceLength = 3
const codeIndent = 4

/**
 * Where a text is code, or lines of it are a quote, as Markdown has it:
 *
 * - from as many back-ticks to as many, within a paragraph. Three or more go over paragraphs, and on to the end of the
 *   text where nothing closes them
 * - between lines of ~~~
 * - lines that are indented after an empty one, unless they go on with an item of a list
 * - lines that begin with >
 */
export function codeRanges(text: string): TextRange[] {
  if (!/[`>\t]|~{3}| {4}/.test(text)) return []
  const ranges: TextRange[] = []
  const ticks = findTicks(text)
  let next = 0 // of the ticks
  let isAfterBlank = true
  let isInList = false
  for (let from = 0; from < text.length;) {
    const line = readLine(text, from)
    const block = blockAt(text, line, isAfterBlank && !isInList)
    if (block) {
      ranges.push(block)
      while (next < ticks.length && ticks[next]!.start < block.end) next++
      isAfterBlank = line.mark !== '>'
      from = block.end + 1
      continue
    }
    if (!line.isBlank) {
      isInList = line.isItem || (isInList && !(isAfterBlank && line.indent < 2))
      isAfterBlank = false
    } else isAfterBlank = true
    from = line.end + 1
    while (next < ticks.length && ticks[next]!.start < from) {
      const code = codeAt(text, ticks, next)
      if (!code) {
        next++
        continue
      }
      ranges.push(code.range)
      next = code.next
      // what follows in that line begins no block
      if (code.range.end >= from) from = endOfLine(text, code.range.end) + 1
    }
  }
  return ranges
}

interface Line extends TextRange {
  isBlank: boolean
  isItem: boolean
  indent: number
  /** What it begins with: the tildes of a fence, the > of a quote, or that of an item of a list. */
  mark: string
  markEnd: number
}

const lineHere = /([ \t]*)(~{3,}|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))?/y

function readLine(text: string, start: number): Line {
  lineHere.lastIndex = start
  const [, blanks = '', mark = ''] = lineHere.exec(text)!
  const end = endOfLine(text, start)
  const markEnd = start + blanks.length + mark.length
  return {
    start,
    end,
    isBlank: mark === '' && (markEnd >= end || (text[markEnd] === '\r' && markEnd + 1 === end)),
    isItem: mark !== '' && mark !== '>' && mark[0] !== '~',
    indent: blanks.includes('\t') ? codeIndent : blanks.length,
    mark,
    markEnd,
  }
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline
}

/** The lines of code or of a quote that begin here. */
function blockAt(text: string, line: Line, mayBeIndented: boolean): TextRange | undefined {
  const { start, end, mark, indent, isBlank } = line
  if (isBlank) return undefined
  if ((indent >= codeIndent && mayBeIndented) || mark === '>') return { start, end }
  if (mark[0] !== '~') return undefined
  for (let from = end + 1; from < text.length;) {
    const other = readLine(text, from)
    const isAlone = text.slice(other.markEnd, other.end).trim() === ''
    if (other.mark.startsWith(mark) && isAlone) return { start, end: other.end }
    from = other.end + 1
  }
  return { start, end: text.length }
}

/** What these back-ticks open, and the first after it. */
function codeAt(
  text: string,
  ticks: readonly Ticks[],
  index: number,
): { range: TextRange; next: number } | undefined {
  const { start, end, paragraph, close } = ticks[index]!
  const isFence = end - start >= fenceLength
  if (close === undefined)
    return isFence ? { range: { start, end: text.length }, next: ticks.length } : undefined
  if (!isFence && ticks[close]!.paragraph !== paragraph) return undefined
  return { range: { start, end: ticks[close]!.end }, next: close + 1 }
}
