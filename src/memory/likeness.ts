import { createHash } from 'node:crypto'
import { toWords } from '../store/search-words.ts'

// texts that share so much of their words say the same
const sameShare = 0.85
// a text that somebody took away does not come back in other words either
const takenAwayShare = 0.6

/** The same for texts that differ in case, accents and punctuation only. */
export function hashText(text: string): string {
  const words = toWords(text)
  return createHash('sha256')
    .update(words.length > 0 ? words.join(' ') : text.trim())
    .digest('base64url')
}

export const saysTheSame = (one: string, other: string): boolean => likeness(one, other) >= sameShare

export const recallsTheSame = (one: string, other: string): boolean => likeness(one, other) >= takenAwayShare

/** How much of the words that carry meaning two texts share, from 0 to 1. */
export function likeness(one: string, other: string): number {
  const [a, b] = [contentWords(one), contentWords(other)]
  const shared = [...a].filter((word) => b.has(word)).length
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

/** Without those that are in every sentence; when there are no others, all of them. */
export function contentWords(text: string): Set<string> {
  const words = new Set(toWords(text))
  const content = [...words].filter((word) => !emptyWords.has(word))
  return content.length > 0 ? new Set(content) : words
}

// "not" and its like carry meaning
const emptyWords = new Set(
  `a about all am an and any are as at be been but by can could did do does for from get had has have he her here him his
  how i if in into is it its just let me my of on or our please she should so some than that the their them then
  there these they this those to up us user was we were what when where which who will with would you your s t m re ve ll d`.split(
    /\s+/,
  ),
)
