import { isSpace, lineEnd, type TextRange } from './text-range.ts'

/**
 * What is left of a text without these ranges, which are in order. White space that would be left over goes too; what
 * was apart stays apart, lines stay lines.
 */
export function withoutRanges(text: string, ranges: readonly TextRange[]): string {
  let left = ''
  let from = 0
  for (let index = 0; index < ranges.length; index++) {
    const { start, end } = ranges[index]!
    const before = spacesBefore(text, start, from)
    let after = spacesAfter(text, end)
    while (index + 1 < ranges.length && ranges[index + 1]!.start === after)
      after = spacesAfter(text, ranges[++index]!.end)
    const isLineStart = before === 0 || text.charCodeAt(before - 1) === lineEnd
    // an indentation stays
    left += text.slice(from, isLineStart ? start : before)
    if (!isLineStart && after < text.length && !tight.has(text.charCodeAt(after))) left += ' '
    from = after
  }
  return left + text.slice(from)
}

// no space comes before these
const tight = new Set(Array.from('\n,.!?;:，。！？；：、…)）', (character) => character.charCodeAt(0)))

function spacesBefore(text: string, at: number, from: number): number {
  let before = at
  while (before > from && isSpace(text.charCodeAt(before - 1))) before--
  return before
}

function spacesAfter(text: string, at: number): number {
  let after = at
  while (after < text.length && isSpace(text.charCodeAt(after))) after++
  return after
}
