import type { TextRange } from './text-range.ts'

/**
 * Whom a text addresses: the mentions that it begins with, as far as they stand before a sentence and are no part of
 * it. `count` is how many of them there are, and `end` where the sentence begins.
 */
export function addressEnd(text: string, calls: readonly TextRange[]): { end: number; count: number } {
  const none = { end: 0, count: 0 }
  let end = 0
  let count = 0
  for (const call of calls) {
    if (!isBetween(text.slice(end, call.start), count === 0)) break
    end = call.end
    count++
  }
  if (count === 0) return none
  commaHere.lastIndex = end
  const [comma] = commaHere.exec(text)!
  const rest = text.slice(end + comma.length, end + comma.length + looked)
  const isApart = comma !== '' || /^[\p{L}\p{N}]/u.test(rest)
  if (!isApart || rest.trim() === '' || spokenOf.test(rest)) return none
  return { end: end + comma.length, count }
}

const isBetween = (gap: string, isFirst: boolean) =>
  isFirst ? gap.trim() === '' : /^[\s,，、&+]*(?:(?:and|和|与|跟|及)\s*)?$/iu.test(gap)

const commaHere = /[ \t\u3000\u00a0]*[,:;!，：；！、]*\s*/y

// enough to see how a sentence begins
const looked = 40

/**
 * How a sentence goes on about somebody: "@milk is wrong", "@milk's idea", "@milk and I". Where that cannot be told, the
 * mention stays, which takes nothing away.
 */
const spokenOf =
  /^(?:(?:and|or|nor|but|vs|versus)\b|(?:is|are|was|were|has|had|does|did|will|would|can|could|should|must|may|might|says|said|thinks|thought|wants|wanted|knows|knew|seems|looks|made|wrote)(?:n['’]t)?\s(?!\s*(?:you|we|i|it|this|that|these|those|there|he|she|they)\b)|[的是和与跟或]|说[得的过])/iu
