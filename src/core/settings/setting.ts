import type { z } from 'zod'
import type { NamedCode } from './named-code.ts'
import type { Place } from './setting-path.ts'

export interface Flag {
  /** What help calls the value: `--port <number>`. */
  value: string
  /** Every command has it, or those that are about the server: `serve`, `config` and `doctor`. */
  of: 'every command' | 'server'
}

/** What the table contains about a setting besides its type. */
interface About<T> {
  description: string
  /** A value, or how to find it on this machine; without one the setting may be undefined. */
  default?: T | ((place: Place & { dataDir: string }) => T)
  /** How the documentation writes a default that depends on the machine, or that is decided further in. */
  defaultText?: string
  /** The environment variable; a secret can also come from the file named by `<variable>_FILE`. */
  env?: string
  /** Never printed in full, nor quoted in a problem. */
  secret?: true
  /** How the value is printed; by default a secret is masked as a whole and the rest is shown. */
  mask?(value: T): unknown
  /** Makes it a flag, named after the key; a secret gets a second one that names a file, as with variables. */
  flag?: Flag
  /** A mapping whose entries are merged by name over all files, instead of the highest file winning. */
  byName?: true
  /**
   * Whether a project file may set it, which may come from a stranger: `always` what starts nothing, sends nothing
   * elsewhere, opens nothing and deletes nothing, `trusted` once a person has trusted the folder. Default: never.
   */
  project?: 'always' | 'trusted'
  /** The code that the value names, once resolved: in a project file it counts only while it is what a person has trusted. */
  code?(value: T): NamedCode[]
  /** Folders that the value names, once resolved: in a project file only those below it. */
  folders?(value: T): string[]
  /** A switch without which it is of no concern, right or wrong: its variable is read by other programs too. */
  onlyWith?: 'telemetry.enabled'
  /** Makes paths inside the value absolute, starting from the place that names them; fills in variables. */
  resolve?(value: T, toPath: (text: string) => string, env: Readonly<Record<string, string | undefined>>): T
}

export interface Declared<T> extends About<T> {
  type: z.ZodType<T>
}

export type Setting = Declared<unknown>

/** Settings by their keys; a dot makes a group. */
export type SettingsTable = Readonly<Record<string, Setting>>

type ValueOf<S> = S extends { type: z.ZodType<infer T> }
  ? T | (S extends { default: unknown } ? never : undefined)
  : never
type Under<Table, Group extends string> = {
  [K in keyof Table as K extends `${Group}.${infer Rest}` ? Rest : never]: Table[K]
}

/** The values of the settings in a table: checked, complete, paths absolute. */
export type ConfigOf<Table> = {
  [K in keyof Table as K extends `${infer Group}.${string}` ? Group : K]: K extends `${infer Group}.${string}`
    ? ConfigOf<Under<Table, Group>>
    : ValueOf<Table[K]>
}

export function setting<T>(
  type: z.ZodType<T>,
  about: NoInfer<About<T> & Required<Pick<About<T>, 'default'>>>,
): Declared<T> & { default: unknown }
export function setting<T>(type: z.ZodType<T>, about: NoInfer<About<T>>): Declared<T>
export function setting<T>(type: z.ZodType<T>, about: About<T>): Declared<T> {
  return { type, ...about }
}
