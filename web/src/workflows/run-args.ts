import type { Arg } from './definition.ts'

/** What is typed into the form of a run, by arg: texts as they are, switches as true and false. */
export type ArgDraft = Record<string, string | boolean>

export type ArgProblem = 'missing' | 'number' | 'json' | 'object' | 'array'

export type ReadArgs = { args: Record<string, unknown> } | { problems: Record<string, ArgProblem> }

export const isRequired = ({ default: preset }: Arg) => preset === undefined

/** The form as it opens. */
export const toDraft = (
  args: Readonly<Record<string, Arg>>,
  given: Readonly<Record<string, unknown>> = {},
): ArgDraft =>
  Object.fromEntries(
    Object.entries(args).map(([name, arg]) => {
      const value = Object.hasOwn(given, name) ? given[name] : arg.default
      if (arg.type === 'boolean') return [name, value === true || value === 'true']
      return [name, structureOf(arg) ? toJson(value) : toWords(value)]
    }),
  )

/** Which kind of JSON is wanted; undefined where words are. */
export function structureOf({ type, default: preset }: Arg): 'object' | 'array' | undefined {
  if (type === 'object' || type === 'array') return type
  if (type !== undefined || typeof preset !== 'object' || preset === null) return undefined
  return Array.isArray(preset) ? 'array' : 'object'
}

const toJson = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))
const toWords = (value: unknown) => (value === undefined || value === null ? '' : String(value))

/** What is left empty and has a default is left to it. */
export function readArgs(args: Readonly<Record<string, Arg>>, draft: ArgDraft): ReadArgs {
  const read: Record<string, unknown> = {}
  const problems: Record<string, ArgProblem> = {}
  for (const [name, arg] of Object.entries(args)) {
    const typed = draft[name] ?? ''
    if (typeof typed === 'boolean') {
      read[name] = typed
      continue
    }
    if (typed.trim() === '') {
      // an empty text may be meant where the default is another
      if (isRequired(arg)) problems[name] = 'missing'
      else if (arg.type === 'string' && arg.default !== '') read[name] = ''
      continue
    }
    const value = readOne(arg, typed)
    if ('problem' in value) problems[name] = value.problem
    else read[name] = value.value
  }
  return Object.keys(problems).length > 0 ? { problems } : { args: read }
}

function readOne(arg: Arg, typed: string): { value: unknown } | { problem: ArgProblem } {
  if (arg.type === 'number') {
    const value = Number(typed)
    return Number.isFinite(value) ? { value } : { problem: 'number' }
  }
  const structure = structureOf(arg)
  if (!structure) return { value: typed }
  let value: unknown
  try {
    value = JSON.parse(typed)
  } catch {
    return { problem: 'json' }
  }
  if (structure === 'array') return Array.isArray(value) ? { value } : { problem: 'array' }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value }
    : { problem: 'object' }
}
