import { addressEnd } from './address-end.ts'
import { literalRanges } from './literal-ranges.ts'
import type { Called, Lookup } from './name-lookup.ts'
import type { TextRange } from './code-ranges.ts'

export interface Mentions {
  /** Agents that the text calls, in order, each once. */
  mentions: string[]
  /** People that it mentions, in order, each once. */
  people: string[]
  /** Those of both whom it addresses with its first words. */
  addressed: string[]
  /** The text without these words; the text as it is when it addresses nobody, or nothing else is in it. */
  cleanText: string
}

/**
 * Finds who is called by `@name`. Where a script has spaces between words, a name must be a whole word; where it has
 * none, anything may follow: `@牛奶你好`. E-mail addresses, words that nobody goes by, URLs, code, quotes and what is
 * written as `\@name` call nobody. A mention within a sentence is a part of it, and stays. The time it takes grows with
 * the length of the text and nothing else.
 */
export function parseMentions(text: string, lookup: Lookup): Mentions {
  const calls = findCalls(text, lookup)
  const { end, count } = addressEnd(text, calls)
  return {
    mentions: namesOf(calls, ({ agents }) => agents),
    people: namesOf(calls, ({ people }) => people),
    addressed: namesOf(calls.slice(0, count), ({ agents, people }) => [...agents, ...people]),
    cleanText: count > 0 ? text.slice(end).trim() : text,
  }
}

export interface Call extends TextRange {
  called: Called
}

function namesOf(calls: readonly Call[], pick: (called: Called) => readonly string[]): string[] {
  const distinct = new Set(calls.map(({ called }) => called))
  return [...new Set([...distinct].flatMap(pick))]
}

const atSign = 0x40
const wideAtSign = 0xff20

function findCalls(text: string, lookup: Lookup): Call[] {
  if (!text.includes('@') && !text.includes('＠')) return []
  const calls: Call[] = []
  let lastEnd = 0
  for (const { start, end } of spokenRanges(text))
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at)
      if ((unit !== atSign && unit !== wideAtSign) || !mayBegin(text.charCodeAt(at + 1))) continue
      const called = lookup.match(text, at + 1, mayEnd)
      if (!called || isEscaped(text, at) || isInAddress(text, at, lastEnd)) continue
      lastEnd = called.end
      calls.push({ start: at, end: lastEnd, called: called.value })
      at = lastEnd - 1
    }
  return calls
}

/** After a back-slash that is not escaped itself. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

/** Whether it is a digit, or may be a letter; most of what follows an @ that calls nobody is neither. */
const mayBegin = (unit: number) => unit > atSign || (unit >= 0x30 && unit <= 0x39)

/** The text between the literal ranges. */
function spokenRanges(text: string): TextRange[] {
  const ranges: TextRange[] = []
  let from = 0
  for (const { start, end } of literalRanges(text)) {
    if (start > from) ranges.push({ start: from, end: start })
    from = Math.max(from, end)
  }
  return [...ranges, { start: from, end: text.length }]
}

/** Whether it continues `name@`, `a.b+@` or `x.com/@`. What follows a mention does not. */
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
