import { invalidRequest, quote } from '../protocol/error.ts'
import { toSearchTerms, toWords } from './search-words.ts'

// characters; splitting more would hold everything else up, so a longer text is found by how it begins
const maxSearched = 100_000

/** The words of texts, each between blanks: what can be looked through the same way in every database. */
export const toWordText = (...texts: string[]): string =>
  ` ${toWords(texts.join('\n').slice(0, maxSearched)).join(' ')} `

/** What `like` finds all the words of a search with. Words are letters and digits, so nothing in them is a wildcard. */
export function wordPatterns(query: string): string[] {
  const terms = toSearchTerms(query)
  if (terms.length === 0)
    throw invalidRequest(`The search ${quote(query)} has no letters or digits to look for.`)
  return terms.map(({ words, prefix }) => `% ${words.join(' ')}${prefix ? '' : ' '}%`)
}
