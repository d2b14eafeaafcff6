import type { HookEvent } from '../hooks/hook.ts'
import type { ConfigOf, SettingsTable } from './setting.ts'

/** The settings of one capability, and what they are for. */
export interface SettingsSlice<Table extends SettingsTable, Options extends object, Read> {
  table: Table
  /** After which topic of the core they come where all settings are listed. */
  listedAfter: SettingsTopic
  /** More events that programs can be asked at, and the words for when that is. */
  hookEvents?: { names: readonly HookEvent[]; when: string }
  /** The options of a Parley that they fill. `environment` is for those that start programs. */
  toOptions(config: ConfigOf<Table>, environment: Environment): Options
  /** Refuses what the type of one setting cannot, or makes a default give way to other settings. */
  check?(config: Read, given: GivenSettings): void
}

export type SettingsTopic =
  | 'server'
  | 'models'
  | 'chat'
  | 'background'
  | 'permissions'
  | 'window'
  | 'hooks'
  | 'extensions'
  | 'storage'
  | 'telemetry'

type Environment = Readonly<Record<string, string | undefined>> | undefined

/** What a check gets to know of where values come from. */
export interface GivenSettings {
  /** What messages call it: `PARLEY_PORT`, `port in parley.yaml line 3`; undefined for a default. */
  nameOf(key: string): string | undefined
  /** The message is a whole sentence. */
  refuse(key: string, message: string): void
}

export const defineSettings = <Table extends SettingsTable, Options extends object, Read = unknown>(
  slice: SettingsSlice<Table, Options, Read>,
): SettingsSlice<Table, Options, Read> => slice

/** What all members of a union have together. */
export type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
