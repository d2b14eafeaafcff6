/**
 * Checks of the options that a program hands in. A typing error in one would otherwise be passed over, and the default
 * would count without a word. Texts of schemas complete the sentence "<option> must be …".
 */
import { z } from 'zod'
import { invalidRequest, quote } from './error.ts'
import { isObject } from '../shared/type-checks.ts'
import { describeIssue, withheld } from './issues.ts'
import { nearest } from './nearest.ts'

/** A schema for each option of `T` and for nothing else: the compiler keeps interface and schema in line. */
export type OptionSchemas<T> = { [Key in keyof T]-?: z.ZodType<T[Key]> }

/** Options that may each be left out. Those that are not known are refused by name, with the one that was probably meant. */
export function optionGroup<T extends object>(schemas: OptionSchemas<T>): z.ZodType<Partial<T>> {
  return groupOf(schemas, () => false) as unknown as z.ZodType<Partial<T>>
}

/** The same, where some of them have to be given. */
export function requiredGroup<T extends object>(
  schemas: OptionSchemas<T>,
  required: readonly (keyof T)[],
): z.ZodType<T> {
  return groupOf(schemas, (name) => required.includes(name as keyof T)) as unknown as z.ZodType<T>
}

/**
 * Checks what is given and nothing else. A `strictObject` would be made of as many schemas again as there are options, and
 * compiled for a check that is done once.
 */
function groupOf(schemas: object, isRequired: (name: string) => boolean): z.ZodType {
  const known = Object.entries<z.ZodType>(schemas as Record<string, z.ZodType>)
  const names = known.map(([name]) => name)
  return z.unknown().superRefine((value, context) => {
    const add = (issue: object) => void context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue)
    if (!isObject(value)) return add({ code: 'custom', message: 'must be an object of options' })
    for (const [name, schema] of known) {
      if (value[name] === undefined && !isRequired(name)) continue
      for (const issue of schema.safeParse(value[name]).error?.issues ?? [])
        add({ ...issue, path: [name, ...issue.path] })
    }
    const keys = Object.keys(value).filter((key) => !names.includes(key))
    const sentences = keys.map((key) => `has no option ${quote(key)}${suggest(key, names)}`)
    if (keys.length > 0) add({ code: 'unrecognized_keys', keys, message: sentences.join(' It ') })
  })
}

function suggest(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return close === undefined ? `. Its options: ${known.join(', ')}.` : `; did you mean ${quote(close)}?`
}

const number = (error: string) => z.number({ error })
export const count = z.int({ error: 'must be a whole number from 0' }).min(0, 'must be a whole number from 0')
export const positiveCount = z
  .int({ error: 'must be a whole number from 1' })
  .min(1, 'must be a whole number from 1')
export const amount = number('must be a number from 0').min(0, 'must be a number from 0')
export const anyNumber = number('must be a number')
export const text = z.string({ error: 'must be a text' })
export const filledText = z.string({ error: 'must be a text' }).min(1, 'must be a text that is not empty')
export const flag = z.boolean({ error: 'must be true or false' })
export const textList = z.array(text, { error: 'must be a list of texts' }).readonly() as z.ZodType<
  readonly string[]
>
export const textsByName = z.record(z.string(), text, { error: 'must be an object of texts' })

export const choice = <const T extends string>(...values: T[]) =>
  z.enum(values, {
    error: ({ input }) => {
      const close = typeof input === 'string' ? nearest(input, values) : undefined
      const list = values.map((value) => quote(value)).join(', ')
      return `must be ${values.length === 1 ? list : `one of ${list}`}${close === undefined ? '' : ` (did you mean ${quote(close)}?)`}`
    },
  })

export const callable = z.custom<never>((value) => typeof value === 'function', {
  error: 'must be a function',
})

/** Something with a life of its own: only what is called of it is looked for. */
export const objectWith = <T>(what: string, ...methods: (keyof T & string)[]) =>
  z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    { error: `must be ${what}` },
  )

/** One of several forms, chosen by the value: issues of a union would not say which of them is meant. */
export const oneByOne = <T>(schemaFor: (value: unknown) => z.ZodType): z.ZodType<T> =>
  z.unknown().superRefine((value, context) => {
    for (const issue of schemaFor(value).safeParse(value).error?.issues ?? [])
      context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue)
  }) as unknown as z.ZodType<T>

// enough to repair a call by hand
const maxSentences = 5

/**
 * Throws `invalid_request` with a sentence for each thing that is wrong. What lies under one of the `secret` options is
 * not repeated: there may be keys in it.
 */
export function checkOptions(
  caller: string,
  schema: z.ZodType,
  options: unknown,
  secret: readonly string[] = [],
): void {
  const result = schema.safeParse(options)
  if (result.success) return
  const { issues } = result.error
  const sentences = issues.slice(0, maxSentences).map((issue) => describe(caller, issue, options, secret))
  if (issues.length > maxSentences) sentences.push(`And ${issues.length - maxSentences} more.`)
  throw invalidRequest(sentences.join(' '))
}

function describe(
  caller: string,
  issue: z.core.$ZodIssue,
  options: unknown,
  secret: readonly string[],
): string {
  const name = nameAt(issue.path)
  const subject = name === '' ? caller : `${caller}: ${name}`
  const isSecret = secret.includes(String(issue.path[0]))
  if (issue.message.startsWith('has no option')) return endSentence(`${subject} ${issue.message}`)
  if (!issue.message.startsWith('must be'))
    return `${caller}: ${describeIssue(issue, isSecret ? withheld : options)}`
  return `${subject} ${issue.message}, not ${describeFound(valueAt(options, issue.path), isSecret)}.`
}

const endSentence = (sentence: string) => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`)

/** `['hooks', 0, 'event']` → `hooks[0].event` */
const nameAt = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, part) =>
      typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
    '',
  )

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

function describeFound(value: unknown, isSecret: boolean): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return isSecret ? `a ${typeof value}` : typeof value === 'number' ? String(value) : quote(value)
}
