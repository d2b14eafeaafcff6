import type { Flag } from '../core/settings/setting.ts'
import { settingAt, settingKeys, type SettingKey } from './settings.ts'

/** A flag of the command line that sets a key. */
export interface ConfigFlag extends Flag {
  key: SettingKey
  /** Under which `loadConfig` expects its value: the key, or `apiKeyFile` for the file that holds it. */
  name: string
  /** `--api-key-file` */
  flag: string
  isFile?: true
}

/** Every flag in the table. */
export const configFlags = (): ConfigFlag[] => settingKeys.flatMap(flagsOf)

/** The flags that set a key: its own, and for a secret the one that names a file. */
export function flagsOf(key: SettingKey): ConfigFlag[] {
  const { flag, secret } = settingAt(key)
  if (!flag) return []
  const own: ConfigFlag = { ...flag, key, name: key, flag: toFlag(key) }
  const name = `${key}File`
  return secret ? [own, { ...own, name, flag: toFlag(name), value: 'file', isFile: true }] : [own]
}

/** `dataDir` → `--data-dir` */
export const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Its help text: the description from the table in the style of other options, without Markdown. */
export function describeFlag({ key, flag, isFile }: ConfigFlag): string {
  const { description, default: value, env, secret } = settingAt(key)
  if (isFile) return `file that holds the value of ${toFlag(key)}`
  const text = description
    .replaceAll('`', '')
    .replace(/\.$/, '')
    .replace(/^./, (first) => first.toLowerCase())
  if (Array.isArray(value)) return `${text}; several are separated by commas`
  if (secret) return `${text}. Others on this machine can see a command line; ${env} and ${flag}-file hide it`
  return typeof value === 'string' || typeof value === 'number' ? `${text} (default: ${value})` : text
}
