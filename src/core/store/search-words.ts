import { invalidRequest, quote } from '../protocol/error.ts'
/**
 * Splits text into the words of the search index. Chinese, Japanese and Korean have no spaces, so their
 * runs become overlapping pairs ("人工智能" → 人工 工智 智能 能): any two-character word is then one index
 * entry, longer ones are a phrase of pairs, and the last character alone lets a single one match by prefix.
 */
export function toWords(text: string): string[] {
  const words: string[] = []
  for (const [run] of fold(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    for (const [piece] of run.matchAll(pieces)) {
      if (isUnspaced(piece)) for (const pair of toPairs(piece)) words.push(pair)
      else words.push(piece.slice(0, maxWordLength))
    }
  return words
}

/** One thing that must be there: words in this order; `prefix` lets the last one be only begun. */
export interface SearchTerm {
  words: string[]
  prefix: boolean
}

export function toSearchTerms(query: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  for (const [run] of fold(query).matchAll(/[\p{L}\p{N}\p{M}]+/gu))
    for (const [piece] of run.matchAll(pieces)) {
      if (!isUnspaced(piece)) terms.push({ words: [piece.slice(0, maxWordLength)], prefix: true })
      else if ([...piece].length === 1) terms.push({ words: [piece], prefix: true })
      // without the single last character: in a longer text another one follows there
      else terms.push({ words: toPairs(piece).slice(0, -1), prefix: false })
    }
  return terms.filter(isNotImplied).slice(0, maxTerms)
}

/** A text with a word contains its beginnings too: searching those as well takes time and finds nothing else. */
function isNotImplied({ words, prefix }: SearchTerm, place: number, terms: SearchTerm[]): boolean {
  const isImplied = ({ words: others, prefix: isOpen }: SearchTerm, at: number) =>
    isOpen && (others[0] === words[0] ? at < place : others[0]!.startsWith(words[0]!))
  return !prefix || !terms.some(isImplied)
}

/** Without those that are in every sentence; when there are no others, all of them. */
export function contentWords(text: string): Set<string> {
  const words = new Set(toWords(text))
  const content = [...words].filter((word) => !emptyWords.has(word))
  return content.length > 0 ? new Set(content) : words
}

/** The words to search for. Single characters mean little, and end every run of Chinese: they count when there is nothing else. */
export function significantWords(text: string): string[] {
  const words = [...contentWords(text)]
  const significant = words.filter((word) => [...word].length > 1)
  return significant.length > 0 ? significant : words
}

// longer "words" are keys, hashes and encoded data: their start is enough to find them
const maxWordLength = 64
const maxTerms = 20
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const pieces = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const startsUnspaced = new RegExp(`^[${unspaced}]`, 'u')

// "not" and its like carry meaning
const emptyWords = new Set(
  `a about all am an and any are as at be been but by can could did do does for from get had has have he her here him his
  how i if in into is it its just let me my of on or our please she should so some than that the their them then
  there these they this those to up us user was we were what when where which who will with would you your s t m re ve ll d`.split(
    /\s+/,
  ),
)

const isUnspaced = (piece: string) => startsUnspaced.test(piece)

/** Case, width and accents do not matter to a search. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
}

function toPairs(piece: string): string[] {
  const characters = [...piece]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}

// characters; splitting more would hold everything else up, so a longer text is found by how it begins
const maxSearched = 100_000

/** The words of texts, each between blanks: what can be searched the same way in every database. */
export const toWordText = (...texts: string[]): string =>
  ` ${toWords(texts.join('\n').slice(0, maxSearched)).join(' ')} `

/** What `like` finds all the words of a search with. Words are letters and digits, so nothing in them is a wildcard. */
export function wordPatterns(query: string): string[] {
  const terms = toSearchTerms(query)
  if (terms.length === 0)
    throw invalidRequest(`The search ${quote(query)} has no letters or digits to look for.`)
  return terms.map(({ words, prefix }) => `% ${words.join(' ')}${prefix ? '' : ' '}%`)
}
