import { z } from 'zod'
import { quote } from '../core/protocol/error.ts'
import { nearest } from '../core/protocol/nearest.ts'
import type { Layer } from './check-entries.ts'
import { configVariable, readText } from './config-files.ts'
import { configFlags, toFlag, type ConfigFlag } from './flags.ts'
import { pathFrom, type Place } from '../core/settings/setting-path.ts'
import { settingAt, settingKeys, variablesOf } from './settings.ts'

/** Flags from the command line parser: by name (`dataDir`), absent ones undefined. */
export function readFlags(flags: Readonly<Record<string, unknown>>, place: Place): Layer {
  const layer: Layer = { entries: [], problems: [] }
  const known = configFlags()
  const given: (ConfigFlag & { text: unknown })[] = []
  for (const [name, text] of Object.entries(flags).filter(([, value]) => value !== undefined)) {
    const flag = known.find((candidate) => candidate.name === name)
    if (flag) given.push({ ...flag, text })
    else {
      const origin = { source: 'flag', name: toFlag(name) } as const
      layer.problems.push({ message: `Unknown flag ${quote(origin.name)}.${suggestFlag(name)}`, ...origin })
    }
  }
  for (const { key, flag, text, isFile } of given) {
    const origin = { source: 'flag', name: flag } as const
    const refuse = (message: string) => layer.problems.push({ message, key, ...origin })
    const content = isFile ? readSecret(String(text), place) : { value: text }
    const other = given.find((candidate) => candidate.key === key && candidate.flag !== flag)
    if (other && isFile) refuse(`${other.flag} and ${flag} are both given. Leave one of them out.`)
    else if ('failure' in content) refuse(`${flag} names ${quote(text)}, which ${content.failure}.`)
    else
      layer.entries.push({
        key,
        value: fromText(settingAt(key).type, content.value),
        origin,
        base: place.cwd,
      })
  }
  return layer
}

/** Variables of the table. An empty one counts as not set. */
export function readEnvironment(place: Place): Layer {
  const layer: Layer = { entries: [], problems: [] }
  for (const key of settingKeys) {
    const { env, type } = settingAt(key)
    const [name, other] = variablesOf(key).filter((variable) => place.env[variable])
    if (name === undefined) continue
    const origin = { source: 'environment', name } as const
    const refuse = (message: string) => layer.problems.push({ message, key, ...origin })
    const text = place.env[name]!
    const content = name === env ? { value: text } : readSecret(text, place)
    if (other !== undefined) refuse(`${name} and ${other} are both set. Unset one of them.`)
    else if ('failure' in content) refuse(`${name} names ${quote(text)}, which ${content.failure}.`)
    else layer.entries.push({ key, value: fromText(type, content.value), origin, base: place.cwd })
  }
  return layer
}

/** A variable that looks like ours but is never read is probably a typo. */
export function warnOfUnknownVariables({ env }: Place): string[] {
  const prefix = 'PARLEY_'
  const known = [...settingKeys.flatMap(variablesOf), configVariable]
  // some have the name that other programs know them by, such as DATABASE_URL
  const byEnding = new Map(known.map((name) => [name.replace(prefix, ''), name]))
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .map((name) => {
      const close = nearest(name.slice(prefix.length), [...byEnding.keys()])
      return `${name} is not a setting and is ignored.${close === undefined ? '' : ` Did you mean ${byEnding.get(close)}?`}`
    })
}

function readSecret(file: string, place: Place): { value: string } | { failure: string } {
  const content = readText(pathFrom(place, place.cwd)(file))
  if ('failure' in content) return content
  const value = content.text.trim() // editors and `echo` end a file with a newline
  return value === '' ? { failure: 'is empty' } : { value }
}

/** Text that cannot be converted is left as it is, for the type to refuse. */
function fromText(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type instanceof z.ZodNumber && /^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value)
  if (type instanceof z.ZodBoolean && /^(true|false|1|0)$/.test(value))
    return value === 'true' || value === '1'
  if (type instanceof z.ZodArray) return value.split(',').map((part) => part.trim())
  if (type instanceof z.ZodRecord) return toFields(value) ?? value
  return value
}

/** `name=value,name=value`, with what is special in a value percent-encoded. */
function toFields(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair))
  try {
    return Object.fromEntries(pairs.map((pair) => [pair![1], decodeURIComponent(pair![2]!)]))
  } catch {
    return undefined // it is something else
  }
}

function suggestFlag(name: string): string {
  const close = nearest(
    name,
    configFlags().map((flag) => flag.name),
  )
  return close === undefined ? '' : ` Did you mean ${quote(toFlag(close))}?`
}
