import { literalRanges } from './literal-ranges.ts'
import type { Lookup } from './lookup.ts'
import type { TextRange } from './text-range.ts'
import { withoutRanges } from './without-ranges.ts'

export interface Mentions {
  /** Agents that the text calls, in order, each once. */
  mentions: string[]
  /** The text without what calls them; the text as it is when nothing else is in it. */
  cleanText: string
}

/**
 * Finds who is called by `@name`. Where a script has spaces between words, a name must be a whole word; where it has
 * none, anything may follow: `@牛奶你好`. E-mail addresses, words that nobody goes by, URLs and code are left as they
 * are. The time it takes grows with the length of the text and nothing else.
 */
export function parseMentions(text: string, lookup: Lookup): Mentions {
  const calls = findCalls(text, lookup)
  if (calls.length === 0) return { mentions: [], cleanText: text }
  const called = new Set<readonly string[]>()
  for (const { agents } of calls) called.add(agents)
  return {
    mentions: [...new Set([...called].flat())],
    cleanText: withoutRanges(text, calls).trim() || text,
  }
}

interface Call extends TextRange {
  agents: readonly string[]
}

const atSign = 0x40
const wideAtSign = 0xff20

function findCalls(text: string, lookup: Lookup): Call[] {
  const calls: Call[] = []
  let lastEnd = 0
  for (const { start, end } of spokenRanges(text))
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      if ((unit !== atSign && unit !== wideAtSign) || !mayBegin(text.charCodeAt(at + 1))) continue
      const called = lookup.match(text, at + 1, mayEnd)
      if (!called || isInAddress(text, at, lastEnd)) continue
      lastEnd = called.end
      calls.push({ start: at, end: lastEnd, agents: called.value })
      at = lastEnd - 1
    }
  return calls
}

/** Whether it is a digit, or may be a letter; most of what follows an @ that calls nobody is neither. */
const mayBegin = (unit: number) => unit > atSign || (unit >= 0x30 && unit <= 0x39)

/** What lies between the parts that mean what they are letter by letter. */
function spokenRanges(text: string): TextRange[] {
  const ranges: TextRange[] = []
  let from = 0
  for (const { start, end } of literalRanges(text)) {
    if (start > from) ranges.push({ start: from, end: start })
    from = Math.max(from, end)
  }
  return [...ranges, { start: from, end: text.length }]
}

/** Whether it goes on from `name@`, `a.b+@` or `x.com/@`. What follows a mention does not. */
function isInAddress(text: string, at: number, lastEnd: number): boolean {
  const before = at > lastEnd && '_%+-/'.includes(text[at - 1]!) ? at - 2 : at - 1
  return before >= lastEnd && isSpaced(text, before) && isSpaced(text, at + 1)
}

function mayEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end)
  // a domain or a package: @milk.com, @milk/core
  if ((next === dot || next === slash) && /[a-z]/.test(text[end + 1] ?? '')) return false
  if (!isSpaced(text, end - 1) && !isJoiner(text.charCodeAt(end - 1))) return true
  return !isSpaced(text, isJoiner(next) ? end + 1 : end)
}

const dot = 0x2e
const slash = 0x2f
const isJoiner = (unit: number) => unit === 0x5f || unit === 0x2d

const spacedHere =
  /(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}])[\p{L}\p{N}\p{M}]/uy

/** Whether this is a letter or a digit of a script that has spaces between words. */
function isSpaced(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit < 0x80)
    return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39)
  // most of what is written without spaces, so that the rest need not be fast
  if ((unit >= 0x3000 && unit < 0xa000) || (unit >= 0xac00 && unit < 0xd800)) return false
  const isSecondHalf = unit >= 0xdc00 && unit < 0xe000
  spacedHere.lastIndex = isSecondHalf ? Math.max(at - 1, 0) : at
  return spacedHere.test(text)
}
