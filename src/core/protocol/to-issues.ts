import type { z } from 'zod'
import type { Issue, IssueParams, IssuePath } from './issue.ts'
import { wordingOf } from './wordings.ts'

// as many as there are sentences
const maxIssues = 5
// a hostile value must not come back as a path, and no schema of ours has names of this length
const maxNameLength = 200
const maxPathLength = 50
const maxKeys = 5
const maxValues = 100

type ZodIssue = z.core.$ZodIssue
type Found = Pick<Issue, 'code' | 'params'>

interface Options {
  /** Where the value is in what was sent. */
  within?: IssuePath
  /** Says nothing but what schemas of ours say by themselves. */
  isSecret?: boolean
}

/**
 * What zod found in codes of ours, which stay when zod's change. The first five, with how many more there are; of a
 * union the issues of the alternative that was meant, when there is no doubt which.
 */
export function toIssues(
  error: z.core.$ZodError,
  value: unknown,
  { within = [], isSecret = false }: Options = {},
): { issues: Issue[]; more?: number } {
  const all = error.issues.flatMap((issue) => resolveUnions(issue))
  const issues = all.slice(0, maxIssues).map((issue) => {
    const { code, params } = toFound(issue, valueAt(value, issue.path) === undefined)
    const { message: _message, ...plain } = params
    return { path: toPath([...within, ...issue.path]), code, params: isSecret ? plain : params }
  })
  const more = all.length - issues.length
  return { issues, ...(more > 0 && { more }) }
}

/** Undefined for what is not there; what every object inherits is not. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

function toFound(issue: ZodIssue, isAbsent: boolean): Found {
  const found = toPlainFound(issue)
  const message = ownWords(issue)
  const params = message === undefined ? found.params : { ...found.params, message }
  const isMissing = isAbsent && ['invalid_type', 'invalid_value', 'no_match'].includes(found.code)
  return { code: isMissing ? 'required' : found.code, params }
}

function toPlainFound(issue: ZodIssue): Found {
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'invalid_type', params: { expected: [toType(issue.expected)] } }
    case 'invalid_value':
      return { code: 'invalid_value', params: { values: toValues(issue.values) } }
    case 'too_small':
      return { code: 'too_small', params: { ...boundOf(issue), minimum: Number(issue.minimum) } }
    case 'too_big':
      return { code: 'too_big', params: { ...boundOf(issue), maximum: Number(issue.maximum) } }
    case 'not_multiple_of':
      return { code: 'not_multiple', params: { divisor: Number(issue.divisor) } }
    case 'invalid_format':
      return { code: 'invalid_format', params: formOf(issue) }
    case 'unrecognized_keys':
      return { code: 'unknown_key', params: keysOf(issue.keys) }
    case 'invalid_key': {
      // what is wrong with the key is reported as if it were a value
      const [inner] = issue.issues
      return { code: 'invalid_key', params: inner ? toPlainFound(inner).params : {} }
    }
    case 'invalid_union':
      return ofUnion(issue)
    case 'custom':
      return { code: 'custom', params: ruleOf(issue) }
    default:
      return { code: 'custom', params: {} }
  }
}

const types: Record<string, string> = { int: 'integer', record: 'object', tuple: 'array', map: 'object' }
const toType = (expected: string) => types[expected] ?? expected

const origins: Record<string, string> = {
  int: 'number',
  bigint: 'number',
  set: 'array',
  map: 'object',
  record: 'object',
}

const boundOf = ({ origin, inclusive, exact }: { origin: string; inclusive?: boolean; exact?: boolean }) => ({
  origin: origins[origin] ?? origin,
  inclusive: inclusive ?? true,
  ...(exact && { exact: true as const }),
})

/** Leaving it out is no value that could be sent. */
const toValues = (values: readonly unknown[]) =>
  values
    .filter((value) => value !== undefined)
    .slice(0, maxValues)
    .map((value) => (typeof value === 'bigint' ? Number(value) : (value as string)))

function formOf(issue: ZodIssue & { code: 'invalid_format' }): IssueParams {
  const { format, pattern, message } = issue
  const name = wordingOf(message)
  if (name !== undefined) return { format: name }
  const { prefix, suffix, includes } = issue as { prefix?: string; suffix?: string; includes?: string }
  return {
    format,
    ...(format === 'regex' && pattern !== undefined && { pattern }),
    ...(prefix !== undefined && { prefix }),
    ...(suffix !== undefined && { suffix }),
    ...(includes !== undefined && { includes }),
  }
}

function keysOf(keys: readonly string[]): IssueParams {
  const more = keys.length - maxKeys
  return { keys: keys.slice(0, maxKeys).map(cut), ...(more > 0 && { more }) }
}

/** Schemas of ours name their rules by their words, or in the params of the check; those of others may say anything. */
function ruleOf({ message, params }: ZodIssue & { code: 'custom' }): IssueParams {
  const name = wordingOf(message)
  if (name !== undefined) return { rule: name }
  const { rule, keys, maximum } = (params ?? {}) as IssueParams
  if (typeof rule !== 'string') return {}
  return { rule, ...(keys && { keys }), ...(maximum !== undefined && { maximum }) }
}

/** The words of a schema, where they are not those that zod has for everybody. */
const ownWords = ({ message }: ZodIssue) =>
  /^(Invalid|Too (small|big):|Unrecognized key)/.test(message) ? undefined : message

/** A union that nothing fits: by the field that decides, by types, by values, or without a reason. */
function ofUnion(issue: ZodIssue & { code: 'invalid_union' }): Found {
  if ('options' in issue && issue.options)
    return { code: 'invalid_value', params: { values: toValues(issue.options) } }
  const firsts = issue.errors.map(([first]) => first && toPlainFound(first))
  const areAll = (code: string) => firsts.length > 0 && firsts.every((found) => found?.code === code)
  if (areAll('invalid_type') && issue.errors.every(isOtherType))
    return {
      code: 'invalid_type',
      params: { expected: unique(firsts.flatMap((found) => found!.params.expected!)) },
    }
  if (areAll('invalid_value') && issue.errors.every(([first]) => first!.path.length === 0))
    return {
      code: 'invalid_value',
      params: { values: unique(firsts.flatMap((found) => found!.params.values!)) },
    }
  return { code: 'no_match', params: {} }
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

/** The issues of the one alternative that fits by its type and by its fixed values; the union itself otherwise. */
function resolveUnions(issue: ZodIssue): ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.filter((issues) => !isOtherType(issues) && !issues.some(isOtherValue))
  if (meant.length !== 1) return [issue]
  return meant[0]!.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(resolveUnions)
}

/** The value is of another kind altogether. */
const isOtherType = (issues: readonly ZodIssue[]): boolean =>
  issues.some((issue) => {
    if (issue.path.length > 0) return false
    if (issue.code === 'invalid_union') return issue.errors.length > 0 && issue.errors.every(isOtherType)
    return issue.code === 'invalid_type' || issue.code === 'invalid_value'
  })

/** A field with one possible value, such as `type`, has another one. */
const isOtherValue = (issue: ZodIssue) =>
  issue.code === 'invalid_value' && issue.path.length === 1 && issue.values.length === 1

const cut = (text: string) => (text.length <= maxNameLength ? text : `${text.slice(0, maxNameLength)}…`)

const toPath = (path: readonly PropertyKey[]): IssuePath =>
  path.slice(0, maxPathLength).map((key) => (typeof key === 'number' ? key : cut(String(key))))
