import type { z } from 'zod'
import { quote } from './error.ts'

// enough to repair a file by hand; a file that is wrong everywhere must not fill the log
const maxSentences = 5

/** Stands for a value that must not be repeated, since there are secrets in it. */
export const withheld = Symbol('withheld')

/** One sentence per issue: where, what was expected, what was found. `value` is what was checked, or `withheld`. */
export function describeIssues(error: z.ZodError, value: unknown): string {
  const sentences = error.issues.slice(0, maxSentences).map((issue) => describeIssue(issue, value))
  const more = error.issues.length - sentences.length
  if (more > 0) sentences.push(`And ${more} more.`)
  return sentences.join(' ')
}

type Issue = z.core.$ZodIssue

/** One of them, as a sentence. */
export function describeIssue(issue: Issue, value: unknown): string {
  const where = issue.path.length > 0 ? quote(issue.path.map(String).join('.')) : 'the top level'
  if (issue.code === 'unrecognized_keys')
    return `At ${where}: ${issue.message.startsWith('Unrecognized key') ? `unknown ${namesOf(issue.keys)}` : issue.message}.`
  if (value === withheld) return `At ${where}: ${describeExpectation(issue)}.`
  const found = valueAt(value, issue.path)
  return `At ${where}: ${describeExpectation(issue)}; got ${found === undefined ? 'nothing' : quote(found)}.`
}

function describeExpectation(issue: Issue): string {
  const isPlain = issue.message.startsWith('Invalid input')
  if (issue.code === 'invalid_type' && isPlain) return `expected ${issue.expected}`
  if (issue.code === 'invalid_value')
    return `expected ${issue.values.map((value) => quote(value)).join(' or ')}`
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
}

function namesOf(keys: readonly string[]): string {
  const names = keys.slice(0, maxSentences).map((key) => quote(key))
  if (keys.length > names.length) names.push(`${keys.length - names.length} more`)
  return `${keys.length === 1 ? 'key' : 'keys'} ${names.join(', ')}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}
