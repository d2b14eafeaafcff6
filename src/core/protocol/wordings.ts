import type { Wordings } from './facets.ts'

/**
 * What schemas say about strings and rules for which zod has no words, by the names that clients know them by
 * (`params.format` and `params.rule` of an issue). A name stays; its words may change.
 */
export const wordings = {
  id: 'must be 1 to 128 letters, digits, "_" or "-", starting with a letter or digit',
  slug: 'must be 1 to 64 lower-case letters, digits, "_" or "-"',
  agent_name: 'must be 1 to 64 letters, digits, "_" or "-", starting with a letter or digit',
  word: 'must be one word of letters, digits, "_" or "-"',
  color: 'must be a colour such as "#b45309"',
  whole_number: 'must be a whole number',
  printable_ascii: 'must be printable ASCII characters without spaces',
  plain_url: 'must be an http:// or https:// URL without user name, password, query and fragment',
  not_blank: 'must not be empty',
  no_control_characters: 'must not contain control characters',
  plain_year: 'must be in the years 0 to 9999, in UTC',
  not_dots: 'must not be "." or ".."',
} as const
export type Wording = keyof typeof wordings | keyof Wordings

const namesByWords = new Map<string, string>(Object.entries(wordings).map(([name, words]) => [words, name]))

/** The name of what a schema has said; undefined for the words of others. */
export const wordingOf = (message: string): string | undefined => namesByWords.get(message)

/**
 * The same for words of an extension, as parameters of a check: no list has them, so the check names itself in its issue. Its
 * JSON Schema stays as it is.
 */
export const named = (name: keyof Wordings, words: string) => ({
  error(issue: { code?: string; format?: string; params?: Record<string, unknown> }): string {
    if (issue.code === 'custom') issue.params = { rule: name }
    else issue.format = name
    return words
  },
})
