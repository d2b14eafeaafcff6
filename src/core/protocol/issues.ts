import type { z } from 'zod'
import { invalidRequest, ParleyError, quote } from './error.ts'
import { issuesOf, type IssuePath } from './issue.ts'
import { toIssues, valueAt } from './to-issues.ts'

// enough to repair a file by hand; a file that is wrong everywhere must not fill the log
const maxSentences = 5

/** Stands for a value that must not be repeated, since there are secrets in it. */
export const withheld = Symbol('withheld')

interface About {
  /** Said before what is wrong. */
  before?: string
  /** Where the value is in what was sent. */
  within?: IssuePath
  /** None of the value is repeated. */
  isSecret?: boolean
}

/** The refusal of a value that does not fit its schema: sentences for people, `details.issues` for programs. */
export function misfit(error: z.ZodError, value: unknown, about: About = {}): ParleyError {
  const { before, within, isSecret = false } = about
  const sentences = describeIssues(error, isSecret ? withheld : value)
  return invalidRequest(
    before === undefined ? sentences : `${before} ${sentences}`,
    toIssues(error, value, { within, isSecret }),
  )
}

/** A refusal about one field that no schema could make. */
export const invalidAt = (path: IssuePath, message: string): ParleyError =>
  invalidRequest(message, { issues: [{ path, code: 'custom', params: {} }] })

/** Does a check of one field, so that what it refuses says where. */
export function checkAt<Answer>(path: IssuePath, check: () => Answer): Answer {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== 'invalid_request') throw error
    if (issuesOf(error).length > 0) throw error
    const details = {
      ...(error.details as object | undefined),
      issues: [{ path, code: 'custom', params: {} }],
    }
    throw new ParleyError(error.code, error.message, { details, cause: error.cause })
  }
}

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
