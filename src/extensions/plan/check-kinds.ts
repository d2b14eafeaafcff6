import type { Workspaces } from '../../core/files/workspaces.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import type { NodeResult } from './protocol/plan-node.ts'
import { countFiles, readJson, readText, requireFile, requirePattern, Unmet } from './checked-files.ts'

/** The outcome of a node: its workspaces and its result. */
export interface NodeOutcome {
  workspaces: Workspaces
  result?: Pick<NodeResult, 'output' | 'structuredData'>
}

export interface CheckLimits {
  /** Of one check. */
  maxMs: number
  /** Of all checks of a node together. */
  maxAllMs: number
  /** Files and folders that a pattern is matched against. */
  maxEntries: number
}

/** The arguments of a check, by their names in the usage. */
type Arguments = Record<'path' | 'pattern' | 'text' | 'field' | 'value' | 'least', string>

export interface CheckKind {
  usage: string
  form: RegExp
  /** Throws when the arguments are well-formed but cannot be checked. */
  require?(given: Arguments): void
  /** Returns what was found; throws `Unmet` when the check does not pass. */
  run(given: Arguments, outcome: NodeOutcome, limits: CheckLimits): Promise<string>
}

// searching for a longer one takes quadratic time: seconds in a malicious file
const maxText = 250
// the colon after the letter of a drive belongs to the path
const pathForm = String.raw`(?<path>(?:[A-Za-z]:(?=[\\/]))?[^:]+)`

const kinds: CheckKind[] = [
  {
    usage: 'file_exists:PATH',
    form: /^(?<path>.+)$/s,
    async run({ path }, { workspaces }) {
      await requireFile(workspaces, path)
      return `${quote(path)} is there.`
    },
  },
  {
    usage: 'file_nonempty:PATH',
    form: /^(?<path>.+)$/s,
    async run({ path }, { workspaces }) {
      const bytes = await requireFile(workspaces, path)
      if (bytes === 0n) throw new Unmet(`${quote(path)} is empty.`)
      return `${quote(path)} has ${bytes} bytes.`
    },
  },
  {
    usage: 'glob_nonempty:PATTERN',
    form: /^(?<pattern>.+)$/s,
    require: ({ pattern }) => requirePattern(pattern),
    run: ({ pattern }, { workspaces }, limits) => requireCount(workspaces, pattern, 1, limits),
  },
  {
    usage: 'glob_count_at_least:PATTERN:N',
    form: /^(?<pattern>.+):\s*(?<least>[1-9]\d{0,5})\s*$/s,
    require: ({ pattern }) => requirePattern(pattern),
    run: ({ pattern, least }, { workspaces }, limits) =>
      requireCount(workspaces, pattern, Number(least), limits),
  },
  {
    usage: 'text_contains:PATH:TEXT',
    form: new RegExp(`^${pathForm}:(?<text>.+)$`, 's'),
    require: requireShort,
    async run({ path, text }, { workspaces }) {
      const { content, isCut } = await readText(workspaces, path)
      if (content.includes(text)) return `${quote(path)} contains ${quote(text)}.`
      const where = isCut ? ' in as much of it as is read' : ''
      throw new Unmet(`${quote(path)} does not contain ${quote(text)}${where}.`)
    },
  },
  {
    usage: 'json_field_equals:PATH:FIELD=VALUE',
    form: new RegExp(`^${pathForm}:(?<field>[^=]+)=(?<value>.*)$`, 's'),
    run: async ({ path, field, value }, { workspaces }) =>
      requireEqual(await readJson(workspaces, path), field, value),
  },
  {
    usage: 'json_field_at_least:PATH:FIELD=N',
    form: new RegExp(String.raw`^${pathForm}:(?<field>[^=]+)=\s*(?<least>-?\d{1,15}(?:\.\d{1,15})?)\s*$`),
    async run({ path, field, least }, { workspaces }) {
      const found = fieldOf(await readJson(workspaces, path), field)
      if (typeof found === 'number' && found >= Number(least)) return `${quote(field)} is ${found}.`
      throw new Unmet(`${quote(field)} is ${shown(found)}, not a number of at least ${Number(least)}.`)
    },
  },
  {
    usage: 'result_contains:TEXT',
    form: /^(?<text>.+)$/s,
    require: requireShort,
    async run({ text }, { result }) {
      if (result?.output.includes(text)) return `The result contains ${quote(text)}.`
      throw new Unmet(`The result does not contain ${quote(text)}.`)
    },
  },
  {
    usage: 'result_field_equals:FIELD=VALUE',
    form: /^(?<field>[^=]+)=(?<value>.*)$/s,
    run: async ({ field, value }, { result }) => requireEqual(result?.structuredData, field, value),
  },
]

export const checkKinds: ReadonlyMap<string, CheckKind> = new Map(
  kinds.map((kind) => [kind.usage.slice(0, kind.usage.indexOf(':')), kind]),
)

/** Texts and values are taken as they are written, all else without the space around it. */
export function readArguments({ form }: CheckKind, rest: string): Arguments | undefined {
  const { groups } = form.exec(rest.trimStart()) ?? {}
  if (!groups) return undefined
  const given = Object.entries(groups).map(([name, text]) => [
    name,
    name === 'text' || name === 'value' ? text : text.trim(),
  ])
  return given.some(([name, text]) => text === '' && name !== 'value')
    ? undefined
    : (Object.fromEntries(given) as Arguments)
}

function requireShort({ text }: Arguments): void {
  if (text.length > maxText)
    throw invalidRequest(`A check cannot look for a text of more than ${maxText} characters: ${quote(text)}.`)
}

async function requireCount(
  workspaces: Workspaces,
  pattern: string,
  least: number,
  limits: CheckLimits,
): Promise<string> {
  const { count, isCut } = await countFiles(workspaces, pattern, limits)
  const found = `${count} ${count === 1 ? 'file matches' : 'files match'} ${quote(pattern)}`
  if (count >= least) return `${found}.`
  throw new Unmet(
    `${found}${isCut ? ' in as much of the folder as is looked at' : ''}; at least ${least} should.`,
  )
}

function requireEqual(value: unknown, field: string, wanted: string): string {
  const found = fieldOf(value, field)
  if (found === wanted || found === fromJson(wanted)) return `${quote(field)} is ${shown(found)}.`
  throw new Unmet(`${quote(field)} is ${shown(found)}, not ${quote(wanted)}.`)
}

/** A field that is not there is undefined. Names are separated by dots; in a list they are numbers, or `length`. */
function fieldOf(value: unknown, field: string): unknown {
  let found = value
  for (const name of field.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** A value that is not JSON only equals a text. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'not there'
  if (typeof value !== 'object' || value === null) return quote(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
