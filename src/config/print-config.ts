import { maskText } from '../core/settings/mask-settings.ts'
import type { Origin } from './config-problem.ts'
import { putValue, settingAt, settingKeys, splitKey, type Config, type SettingKey } from './settings.ts'

/** What printing needs of a loaded configuration. */
interface Printable {
  config: Config
  origins: Readonly<Record<string, Origin>>
}

export interface DescribedSetting extends Origin {
  key: string
  /** As `maskConfig` shows it; undefined when the setting has no value. */
  value: unknown
}

/** The configuration as people may see it: of every secret at most the last four characters. */
export function maskConfig({ config }: Pick<Printable, 'config'>): Record<string, unknown> {
  const masked: Record<string, unknown> = {}
  for (const key of settingKeys) {
    const value = maskedAt(config, key)
    if (value !== undefined) putValue(masked, key, value)
  }
  return masked
}

/** One line per setting, masked, with where its value comes from. */
export function describeConfig({ config, origins }: Printable): DescribedSetting[] {
  return settingKeys.flatMap((key) => {
    const value = maskedAt(config, key)
    const lines = settingAt(key).byName ? spreadByName(key, value) : []
    if (lines.length === 0) lines.push({ key, value })
    return lines.map((line) => Object.assign(line, origins[line.key]!))
  })
}

/** A mapping by name, one line per field: `scopes.notes.root`, or `tools.groups.terminal` where it has none. */
export function spreadByName(key: string, mapping: unknown): { key: string; value: unknown }[] {
  return Object.entries(mapping as Record<string, unknown>).flatMap(([name, fields]) =>
    isFields(fields)
      ? Object.entries(fields).map(([field, value]) => ({ key: `${key}.${name}.${field}`, value }))
      : [{ key: `${key}.${name}`, value: fields }],
  )
}

export const isFields = (value: unknown): value is object => typeof value === 'object' && value !== null

function maskedAt(config: Config, key: SettingKey): unknown {
  const { secret, mask } = settingAt(key)
  const value = splitKey(key).reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], config)
  if (value === undefined) return undefined
  if (mask) return mask(value)
  return secret ? maskText(String(value)) : value
}
