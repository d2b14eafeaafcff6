import { z } from 'zod'
import { quote } from '../core/protocol/error.ts'
import { maskUrl } from '../core/settings/mask-settings.ts'
import {
  describeKind,
  pointTo,
  toKey,
  unknownKeys,
  whereIn,
  type FilePlace,
  type Origin,
  type Path,
  type Problem,
} from './config-problem.ts'
import { settingAt, splitKey, type SettingKey } from './settings.ts'

/** A value as a source gives it, not yet checked. */
export interface Entry {
  key: SettingKey
  value: unknown
  origin: Origin
  /** The folder where relative paths in the value start. */
  base: string
  file?: FilePlace
}

/** What one source gives, before its values are checked. */
export interface Layer {
  entries: Entry[]
  problems: Problem[]
}

/** An entry with its value as the type has it, or with everything that is wrong with it. */
export interface Checked extends Entry {
  problems: Problem[]
}

export function checkEntry(entry: Entry): Checked {
  const parsed = settingAt(entry.key).type.safeParse(entry.value)
  if (parsed.success) return { ...entry, value: parsed.data, problems: [] }
  // one sentence per value is enough, however many of its checks fail
  const issues = new Map(parsed.error.issues.toReversed().map((issue) => [toKey(issue.path), issue]))
  const problems = [...issues.values()].toReversed().flatMap((issue) => toProblems(entry, issue))
  return { ...entry, problems }
}

export function problemAt({ key, origin, file }: Entry, message: string, inner: Path = []): Problem {
  return file ? pointTo(file, [...splitKey(key), ...inner], message) : { message, ...origin, key }
}

/** What a message calls the value, or a part of it: `PARLEY_PORT`, `port in parley.yaml line 3`. */
export function subjectOf({ key, origin, file }: Entry, inner: Path = []): string {
  const path = [...splitKey(key), ...inner]
  return file ? `${toKey(path)} ${whereIn(file, path)}` : origin.name
}

function toProblems(entry: Entry, issue: z.core.$ZodIssue): Problem[] {
  const { key, file } = entry
  if (issue.code === 'unrecognized_keys' && file) {
    const known = keysAt(settingAt(key).type, issue.path)
    return unknownKeys(file, [...splitKey(key), ...issue.path], issue.keys, known)
  }
  const message = `${subjectOf(entry, issue.path)} must be ${describeExpected(issue)}${describeActual(entry, issue)}.`
  return [problemAt(entry, message, issue.path)]
}

/** Shared schemas answer with a whole predicate, zod itself with the type it wanted. */
function describeExpected(issue: z.core.$ZodIssue): string {
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return message.replace(/^must be /, '').replace(/^Invalid input: expected (\w+).*$/, 'a $1')
}

/** Quotes what was found, unless it is a secret or has no short form. */
function describeActual({ key, value: whole }: Entry, issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return `, not ${quote(issue.path.at(-1))}`
  const value = issue.path.reduce<unknown>(
    (part, name) => (part as Record<PropertyKey, unknown>)[name],
    whole,
  )
  if (value === undefined) return ', but it is missing'
  if (value === null || typeof value === 'object')
    return issue.code === 'custom' ? '' : `, not ${describeKind(value)}`
  if (!settingAt(key).secret) return `, not ${quote(typeof value === 'string' ? maskUrl(value) : value)}`
  return typeof value === 'string' ? ` (it has ${value.length} characters)` : `, not ${describeKind(value)}`
}

/** The keys that the mapping at this path inside a value may have. */
function keysAt(type: unknown, [first, ...rest]: Path): string[] {
  if (type instanceof z.ZodArray) return keysAt(type.element, rest)
  if (type instanceof z.ZodRecord) return keysAt(type.valueType, rest)
  if (!(type instanceof z.ZodObject)) return []
  return first === undefined ? Object.keys(type.shape) : keysAt(type.shape[String(first)], rest)
}
