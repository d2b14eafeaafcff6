import { builtInSettings } from '../extensions/built-in.ts'
import type { ConfigOf, Setting, SettingsTable } from '../core/settings/setting.ts'
import type { Joined, SettingsTopic } from '../core/settings/settings-slice.ts'
import { backgroundSettings } from './settings/background.ts'
import { chatSettings } from './settings/chat.ts'
import { extensionSettings } from './settings/extensions.ts'
import { hookSettings } from './settings/hooks.ts'
import { importSettings } from './settings/imports.ts'
import { modelSettings } from './settings/models.ts'
import { permissionSettings } from './settings/permissions.ts'
import { serverSettings } from './settings/server.ts'
import { storageSettings } from './settings/storage.ts'
import { telemetrySettings } from './settings/telemetry.ts'
import { windowSettings } from './settings/window.ts'

/** The settings of the core; those of a capability are in its folder. */
const coreSettings = {
  server: { ...serverSettings, ...importSettings },
  models: modelSettings,
  chat: chatSettings,
  background: backgroundSettings,
  permissions: permissionSettings,
  window: windowSettings,
  hooks: hookSettings,
  extensions: extensionSettings,
  storage: storageSettings,
  telemetry: telemetrySettings,
} satisfies Record<SettingsTopic, SettingsTable>

type Settings = Joined<(typeof coreSettings)[SettingsTopic] | (typeof builtInSettings)[number]['table']>

/** Every setting in the order in which they are listed. A dot makes a group. */
const settings = Object.assign(
  {},
  ...Object.entries(coreSettings).flatMap(([topic, table]): SettingsTable[] => [
    table,
    ...builtInSettings.filter(({ listedAfter }) => listedAfter === topic).map((slice) => slice.table),
  ]),
) as Settings

export type SettingKey = keyof Settings

/** The settings as the rest of Parley sees them. */
export type Config = ConfigOf<Settings>

/** Keys of an earlier system, with their replacements: silently ignored, nobody would notice the difference. */
export const goneKeys: Readonly<Record<string, string[]>> = {
  'session.resize.max_current_chars': ['session.limit.chars', 'session.resize.max_messages_text_length'],
  'session.resize.keep_last_messages': ['session.limit.messages', 'session.resize.max_keep_messages_count'],
}

export const settingKeys = Object.keys(settings) as SettingKey[]

/** The same table for code that treats all settings alike. */
export const settingAt = (key: SettingKey): Setting => settings[key]

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settings, key)

/** `openai.apiKey` → `['openai', 'apiKey']`, `port` → `['port']`, `session.limit.chars` → three parts. */
export const splitKey = (key: string): string[] => key.split('.')

/** The keys that may stand at the top of a file, or within a group of it. */
export function knownKeys(...group: string[]): string[] {
  const keys = settingKeys.map(splitKey).filter((path) => group.every((name, depth) => path[depth] === name))
  return [...new Set(keys.flatMap((path) => path[group.length] ?? []))]
}

/** Sets a key, creating the groups on the way. */
export function putValue(target: Record<string, unknown>, key: SettingKey, value: unknown): void {
  const path = splitKey(key)
  const leaf = path.pop()!
  const group = path.reduce((part, name) => (part[name] ??= {}) as Record<string, unknown>, target)
  group[leaf] = value
}

/** The variables that set a key: its own, and for a secret the one that names a file. */
export function variablesOf(key: SettingKey): string[] {
  const { env, secret } = settingAt(key)
  if (env === undefined) return []
  return secret ? [env, `${env}_FILE`] : [env]
}
