import type { TextRange } from './code-ranges.ts'

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
  const rest = text.slice(end + comma.length, end + comma.length + inspected)
  const hasComma = comma.trim() !== ''
  const isApart = comma !== '' || /^[\p{L}\p{N}]/u.test(rest)
  if (!isApart || rest.trim() === '' || continues.test(rest) || (!hasComma && isSpokenOf(rest))) return none
  return { end: end + comma.length, count }
}

const isBetween = (gap: string, isFirst: boolean) =>
  isFirst ? gap.trim() === '' : /^[\s,，、&+]*(?:(?:and|和|与|跟|及)\s*)?$/iu.test(gap)

const commaHere = /[ \t\u3000\u00a0]*[,:;!，：；！、]*\s*/y

// enough for the beginning of a sentence
const inspected = 40

/** How a sentence continues after a mention, also after a comma: "@milk and I". */
const continues = /^(?:(?:and|or|nor|but|vs|versus)\b|[的是和与跟或])/iu

// "can you …" and "is this …" are questions to somebody
const helping =
  /^(?:is|are|was|were|has|had|does|did|will|would|can|could|should|must|may|might)(?:n['’]t)?\s(?!\s*(?:you|we|i|it|this|that|these|those|there|he|she|they)\b)/iu
// what somebody does or did: "thinks", "asked", "never answers"
const doing =
  /^(?!(?:this|his|its|yes|thanks|congrats|cheers|always|sometimes|perhaps|besides|was|has|does|need|proceed|feed|speed)\b)[a-z]+(?:[a-rt-z]s|ed)\b/iu
const did =
  /^(?:thought|knew|made|wrote|went|got|gave|took|came|kept|left|lost|found|forgot|broke|built|felt|heard|held|meant|ran|saw|sent|spoke|told|understood|won|just|also|already|never|probably|apparently|obviously|clearly)\b/iu
const inChinese = /^(?:[也不没刚]|说[得的过]|觉得|认为|已经)/u

/**
 * Whether a sentence is about whoever it begins with: "@milk is wrong", "@milk suggested tea". Where that is
 * unclear, the mention stays, which is always safe.
 */
const isSpokenOf = (rest: string) => [helping, doing, did, inChinese].some((way) => way.test(rest))
