/** What is wrong with a value that was sent, for programs: `details.issues` of an `invalid_request`. Free of zod. */

export const issueCodes = [
  'required',
  'invalid_type',
  'invalid_value',
  'invalid_format',
  'too_small',
  'too_big',
  'not_multiple',
  'unknown_key',
  'invalid_key',
  'no_match',
  'custom',
] as const
export type IssueCode = (typeof issueCodes)[number]
export type IssuePath = (string | number)[]

type Plain = string | number | boolean | null

/** What a sentence about the issue needs. None of it is the value that was sent. */
export interface IssueParams {
  /** Types that would have fitted: `string`, `number`, `integer`, `boolean`, `array`, `object`, `null`. */
  expected?: string[]
  /** The values that would have fitted. */
  values?: Plain[]
  /** What has the wrong size: `string` (characters), `array` (items), `object` (entries), `number`, `date`. */
  origin?: string
  minimum?: number
  maximum?: number
  /** Whether the bound itself is allowed. */
  inclusive?: boolean
  /** Nothing but this size is allowed. */
  exact?: true
  divisor?: number
  /** The form that a string must have: `datetime`, `url`, …, one of `wordings`, or `regex`. */
  format?: string
  pattern?: string
  prefix?: string
  suffix?: string
  includes?: string
  /** Keys that are not known, or that exclude one another. */
  keys?: string[]
  /** How many more of those there are. */
  more?: number
  /** The rule that was broken, one of `wordings` or as a schema names it. */
  rule?: string
  /** What the schema itself says, in English, where it has words of its own. */
  message?: string
}

export interface Issue {
  /** From the value that was sent to the place; the value itself when empty. */
  path: IssuePath
  code: IssueCode
  params: IssueParams
}

/** The issues that an error carries; none where it is about something else. */
export function issuesOf(error: unknown): Issue[] {
  const { issues } = detailsOf(error)
  return Array.isArray(issues) ? issues.filter(isIssue) : []
}

/** How many issues there are beyond those that `issuesOf` answers. */
export function countMoreIssues(error: unknown): number {
  const { more } = detailsOf(error)
  return typeof more === 'number' ? more : 0
}

const detailsOf = (error: unknown) =>
  ((error as { details?: unknown } | undefined | null)?.details ?? {}) as { issues?: unknown; more?: unknown }

/** A server of another version may have codes that are not known here. */
function isIssue(value: unknown): value is Issue {
  const { path, code, params } = (value ?? {}) as Partial<Issue>
  return Array.isArray(path) && issueCodes.includes(code!) && typeof params === 'object' && params !== null
}
