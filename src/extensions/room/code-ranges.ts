const fenceLength = 3
const codeIndent = 4

/**
 * Where a text is code, or lines of it are a quote, as Markdown has it:
 *
 * - from as many back-ticks to as many, within a paragraph. Three or more go over paragraphs, and on to the end of the
 *   text where nothing closes them
 * - between lines of ~~~
 * - lines that are indented after an empty one, unless they continue an item of a list
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

/** A part of a text, in UTF-16 units; the end is not in it. */
export interface TextRange {
  start: number
  end: number
}

export const lineEnd = 0x0a

/** Space, tab, carriage return, no-break and ideographic space. */
export const isSpace = (unit: number): boolean =>
  unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0xa0 || unit === 0x3000

/** Back-ticks in a row. */
export interface Ticks extends TextRange {
  paragraph: number
  /** Which of them closes what these open: the next that are as many. */
  close?: number
}

const tick = 0x60

export function findTicks(text: string): Ticks[] {
  const runs: Ticks[] = []
  if (!text.includes('`')) return runs
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
  return withCloses(runs)
}

/** From the end, so that no run of ticks is visited twice. */
function withCloses(runs: Ticks[]): Ticks[] {
  const nextOfLength = new Map<number, number>()
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index]!
    const close = nextOfLength.get(run.end - run.start)
    if (close !== undefined) run.close = close
    nextOfLength.set(run.end - run.start, index)
  }
  return runs
}
