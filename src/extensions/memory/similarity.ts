import { createHash } from 'node:crypto'
import { contentWords, toWords } from '../../core/store/search-words.ts'

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

export const isSameStatement = (one: string, other: string): boolean => likeness(one, other) >= sameShare

export const recallsSame = (one: string, other: string): boolean => likeness(one, other) >= takenAwayShare

/** How much of the words that carry meaning two texts share, from 0 to 1. */
export function likeness(one: string, other: string): number {
  const [a, b] = [contentWords(one), contentWords(other)]
  const shared = [...a].filter((word) => b.has(word)).length
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}
