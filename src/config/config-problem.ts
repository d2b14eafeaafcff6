import { quote } from '../core/protocol/error.ts'
import { nearest } from '../core/protocol/nearest.ts'
import { goneKeys, settingKeys, splitKey } from './settings.ts'

export type Source = 'flag' | 'environment' | 'named' | 'project' | 'user' | 'default'

/** Where a value comes from; `name` is the flag, the variable or the path of the file. */
export interface Origin {
  source: Source
  name: string
}

/** One thing that is wrong, as a sentence. Lines and columns count from 1. */
export interface Problem extends Origin {
  message: string
  key?: string
  line?: number
  column?: number
}

/** A parsed file, as far as problems need to point into it. */
export interface FilePlace {
  origin: Origin
  /** The path as messages show it. */
  shown: string
  lineOf(path: Path): number | undefined
}

export type Path = readonly PropertyKey[]

// more than anybody reads, and a hostile file may have a hundred thousand
const maxUnknownKeys = 20

/** Problems for keys of one mapping that nothing reads, each with the nearest key that is read. */
export function unknownKeys(file: FilePlace, parent: Path, names: string[], known: string[]): Problem[] {
  const problems = names.slice(0, maxUnknownKeys).map((name): Problem => {
    const path = [...parent, name]
    const key = toKey(path)
    const gone = Object.hasOwn(goneKeys, key) ? goneKeys[key] : undefined
    const message = gone
      ? `The key ${quote(key)} ${whereIn(file, path)} is gone. Use ${gone.map((other) => quote(other)).join(' or ')}.`
      : `Unknown key ${quote(key)} ${whereIn(file, path)}. ${suggest(parent, name, known)}`
    return pointTo(file, path, message)
  })
  const rest = names.length - problems.length
  const last = problems.at(-1)
  if (rest > 0 && last) last.message += ` And ${rest} more unknown keys.`
  return problems
}

export const pointTo = (file: FilePlace, path: Path, message: string): Problem => ({
  message,
  ...file.origin,
  key: toKey(path),
  line: file.lineOf(path),
})

/** `in parley.yaml line 3` */
export function whereIn(file: FilePlace, path: Path): string {
  const line = file.lineOf(path)
  return `in ${file.shown}${line === undefined ? '' : ` line ${line}`}`
}

/** `['apiKeys', 0, 'key']` → `apiKeys[0].key` */
export function toKey(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}

export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`
}

function suggest(parent: Path, name: string, known: string[]): string {
  const close = nearest(name, known)
  if (close !== undefined) return `Did you mean ${quote(toKey([...parent, close]))}?`
  const elsewhere = settingKeys.find((key) => key.includes('.') && (key === name || key.endsWith(`.${name}`)))
  if (elsewhere === undefined) return `Known keys here: ${known.join(', ')}.`
  const group = splitKey(elsewhere)
  const leaf = group.pop()
  return `Write ${quote(leaf)} under ${quote(group.join('.'))}.`
}
