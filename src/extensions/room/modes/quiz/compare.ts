/** How answers are compared by code. */

const first = 'A'.charCodeAt(0)
/** Only what ends a sentence, quotes or brackets: "C#" is not "C", and 3.14 is not 314. */
const edges = new Set('.,;:!?。、"\'“”‘’`()[]「」『』《》〈〉【】')
/** From here on two texts say the same, but for a typing error. */
const likeEnough = 0.8

export const letterOf = (index: number) => String.fromCharCode(first + index)

/** Case, width, blanks, punctuation at the edges of words and an article in front do not count. */
export function normalised(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/u)
    .map(withoutEdges)
    .filter((word) => word !== '')
  const [article = '', ...rest] = words
  return (rest.length > 0 && ['the', 'a', 'an'].includes(article) ? rest : words).join(' ')
}

const leadIn =
  /^(?:(?:i|we)(?: would|'d)? (?:think|guess|believe|say)(?: that)?|(?:(?:the|my) )?(?:(?:right|correct|final) )?(?:answer|guess)(?: is| would be)?|(?:it|that|this)(?:'s| is| was| would be| must be)|我(?:们)?(?:觉得|认为|想|猜|选)|(?:正确)?答案(?:应该)?(?:是|为)?|(?:应该|大概|可能)是?|是)[\s,:，：]*/u

// "I think the answer is it's …" has three
const maxLeadIns = 4

/** An answer without what people say before one: "I think it's Rome" is "rome". */
export function withoutLeadIn(answer: string): string {
  let normal = answer.normalize('NFKC').toLowerCase().replaceAll('’', "'").replaceAll(/\s+/gu, ' ').trim()
  for (let count = 0; count < maxLeadIns; count++) {
    const rest = normal.replace(leadIn, '')
    if (rest === normal || rest === '') break
    normal = rest
  }
  return normal
}

function withoutEdges(word: string): string {
  let [start, end] = [0, word.length]
  while (start < end && edges.has(word[start]!)) start++
  while (end > start && edges.has(word[end - 1]!)) end--
  return word.slice(start, end)
}

/** Which option is meant, by its text or its letter. */
export function chosenOption(options: readonly string[], answer: string): number | undefined {
  const normal = normalised(answer)
  const byText = options.findIndex((option) => normalised(option) === normal)
  if (byText !== -1) return byText
  const match =
    /^[\s\p{P}]*(?:(?:option|answer|选项|答案|选)\s*(?:is|是|为)?\s*:?\s*)?\(?([a-h])(?![\p{L}\p{N}'’])(.*)$/isu.exec(
      // a pattern with several blanks in a row would try every way to share them
      answer.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim(),
    )
  const index = match ? match[1]!.toUpperCase().charCodeAt(0) - first : -1
  const option = options[index]
  if (option === undefined) return undefined
  const rest = normalised(match![2]!.replace(/^[\s).、:,-]+/u, ''))
  return rest === '' || rest === normalised(option) ? index : undefined
}

export const isLike = (one: string, other: string) =>
  likeness(normalised(one), normalised(other)) >= likeEnough

/** Dice: how many pairs of neighbouring characters two texts share, from 0 to 1. */
function likeness(one: string, other: string): number {
  if (one === other) return 1
  const pairs = pairsOf(one)
  const left = [...pairs]
  const others = pairsOf(other)
  for (const pair of others) {
    const at = left.indexOf(pair)
    if (at !== -1) left.splice(at, 1)
  }
  const total = pairs.length + others.length
  return total === 0 ? 0 : (2 * (pairs.length - left.length)) / total
}

function pairsOf(text: string): string[] {
  const characters = Array.from(text)
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
