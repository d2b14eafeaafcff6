import type { z } from 'zod'
import type { Setting } from './setting.ts'
import { backgroundSettings } from './settings/background.ts'
import { chatSettings } from './settings/chat.ts'
import { documentSettings } from './settings/documents.ts'
import { memorySettings } from './settings/memory.ts'
import { modelSettings } from './settings/models.ts'
import { permissionSettings } from './settings/permissions.ts'
import { planSettings } from './settings/plans.ts'
import { roomSettings } from './settings/rooms.ts'
import { serverSettings } from './settings/server.ts'
import { storageSettings } from './settings/storage.ts'
import { telemetrySettings } from './settings/telemetry.ts'
import { toolSettings } from './settings/tools.ts'
import { webhookSettings } from './settings/webhooks.ts'
import { windowSettings } from './settings/window.ts'
import { workflowSettings } from './settings/workflows.ts'

/** Every setting, declared in one of these tables and nowhere else. A dot makes a group. */
const settings = {
  ...serverSettings,
  ...modelSettings,
  ...chatSettings,
  ...backgroundSettings,
  ...permissionSettings,
  ...workflowSettings,
  ...planSettings,
  ...roomSettings,
  ...documentSettings,
  ...memorySettings,
  ...windowSettings,
  ...toolSettings,
  ...webhookSettings,
  ...storageSettings,
  ...telemetrySettings,
}

export type SettingKey = keyof typeof settings
type ValueOf<S> = S extends { type: z.ZodType<infer T> }
  ? T | (S extends { default: unknown } ? never : undefined)
  : never
type Under<Table, Group extends string> = {
  [K in keyof Table as K extends `${Group}.${infer Rest}` ? Rest : never]: Table[K]
}
type Grouped<Table> = {
  [K in keyof Table as K extends `${infer Group}.${string}` ? Group : K]: K extends `${infer Group}.${string}`
    ? Grouped<Under<Table, Group>>
    : ValueOf<Table[K]>
}

/** The settings as the rest of Parley sees them: checked, complete, paths absolute. */
export type Config = Grouped<typeof settings>

/** Keys of an earlier system, with those that took their place: passed over, nobody would notice the difference. */
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

/** Gives a key its value, and makes the groups on the way. */
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
