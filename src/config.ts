/**
 * The only reader of the environment and of configuration files. Flags win over the environment, the
 * environment over the project's `parley.yaml`, that over the user's file, and that over the defaults.
 * Every source is checked, also where a higher one wins, and all problems are reported at once.
 */
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { checkEntry, problemAt, subjectOf, type Checked } from './config/check-entries.ts'
import { readFiles, type ConfigFile } from './config/config-files.ts'
import { isLoopbackHost } from './core/settings/host.ts'
import { pathFrom, toPlace, type Place } from './core/settings/setting-path.ts'
import { isFields, spreadByName } from './config/print-config.ts'
import type { Origin, Problem } from './config/config-problem.ts'
import type { NamedCode } from './core/settings/named-code.ts'
import type { Setting } from './core/settings/setting.ts'
import { putValue, settingAt, settingKeys, type Config } from './config/settings.ts'
import { readEnvironment, readFlags, warnOfUnknownVariables } from './config/read-sources.ts'
import { builtInSettings } from './extensions/built-in.ts'
import { isInside } from './core/files/file-rules.ts'
import { invalidRequest, quote, type ParleyError } from './core/protocol/error.ts'
import { openTrustedFolders, type TrustedCode, type TrustedFolders } from './core/files/trusted-folders.ts'

export { configFlags, describeFlag, type ConfigFlag } from './config/flags.ts'
export { configJsonSchema } from './config/json-schema.ts'
export { describeConfig, maskConfig } from './config/print-config.ts'
export type { Origin, Problem } from './config/config-problem.ts'
export { secretsOf } from './config/secrets.ts'
export type { Config } from './config/settings.ts'
export type { ConfigFile } from './config/config-files.ts'

export interface LoadOptions {
  /** Values from the command line by name, as `configFlags` lists them; undefined is not given. */
  flags?: Readonly<Record<string, unknown>>
  /** Default: process.env. */
  env?: Readonly<Record<string, string | undefined>>
  /** Default: the current folder of the process. */
  cwd?: string
  /** Default: the home folder of the user. */
  home?: string
  /** Default: the platform of the process. */
  platform?: NodeJS.Platform
}

export interface LoadedConfig {
  config: Config
  /** Where each value comes from, by dotted key; `scopes` has one entry per field (`scopes.notes.root`). */
  origins: Record<string, Origin>
  /** Slips that do not stop anything, as sentences. */
  warnings: string[]
  /** The files that were read, highest precedence first. */
  files: ConfigFile[]
  /** Where the user's own config, rules, skills and commands are. */
  userDir: string
  /** The folder of the project file that was read, and what in it counts only once that folder is trusted. */
  project?: {
    folder: string
    waiting: string[]
    /** What it names to be run, trusted or not. */
    code: NamedCode[]
  }
  trust: TrustedFolders
  /** The environment it was read from, for code that starts programs: never passed on as a whole. */
  environment: LoadOptions['env']
}

/** Depends on its options and on files only. Throws one `invalid_request` that lists all problems in `details`. */
export function loadConfig(options: LoadOptions = {}): LoadedConfig {
  const {
    flags = {},
    env = process.env,
    cwd = process.cwd(),
    home = homedir(),
    platform = process.platform,
  } = options
  const place = toPlace({ env, cwd, home, platform })
  // a file in the current folder would pass for the user's own, and be trusted
  if (!place.path.isAbsolute(home))
    throw invalidRequest(
      `HOME is ${quote(home)}, which is not the full path of a folder. Set it to one, or unset it.`,
    )
  const { files, layers: fileLayers } = readFiles(place)
  const layers = [readFlags(flags, place), readEnvironment(place), ...fileLayers]
  const checked = layers.flatMap(({ entries }) => entries.map(checkEntry))
  // a project file may come from a stranger's repository: it may set what is on the list, and nothing else
  const overreaching = checked.filter(
    (entry) => isOfProject(entry) && settingAt(entry.key).project === undefined,
  )
  const given = checked.filter((entry) => !overreaching.includes(entry))
  const userDir = place.path.join(place.configHome, 'parley')
  const trust = openTrustedFolders(userDir)
  const projectFile = files.find(({ source }) => source === 'project')?.path
  const folder = projectFile && place.path.dirname(projectFile)
  const isTrusted = folder !== undefined && trust.has(folder)
  const foreign = findForeignFolders(given, place)
  const ofProject = given.filter((entry) => isOfProject(entry) && entry.problems.length === 0)
  const code = foreign.length > 0 ? [] : ofProject.flatMap((entry) => codeOf(entry, place))
  const changes = folder === undefined ? [] : findChangedCode(code, trust.codeOf(folder))
  const waiting = given.filter(
    (entry) =>
      isOfProject(entry) && needsTrust(entry) && (!isTrusted || (namesCode(entry) && changes.length > 0)),
  )

  const { config, origins } = merge(
    given.filter((entry) => !waiting.includes(entry)),
    place,
  )
  const problems = [
    ...layers.flatMap((layer) => layer.problems),
    ...given.filter((entry) => isOfConcern(entry, config)).flatMap((entry) => entry.problems),
    ...overreaching.map(toOverreach),
    ...foreign,
    ...findOpenDoor(given),
    ...checkBuiltIn(given, config, origins),
  ]
  const warnings = [
    ...warnOfUnknownVariables(place),
    ...waiting.map((entry) =>
      isTrusted
        ? `${subjectOf(entry)} is not used: ${changes.join(', ')}. If you trust its authors: parley trust ${folder}`
        : `${subjectOf(entry)} is not used until you trust this folder: parley trust ${folder}`,
    ),
  ]
  if (problems.length > 0) throw invalidConfig(problems, warnings)
  const project = folder === undefined ? undefined : { folder, waiting: waiting.map(({ key }) => key), code }
  return { config, origins, warnings, files, userDir, project, trust, environment: env }
}

const isOfProject = ({ origin }: Checked) => origin.source === 'project'
const needsTrust = ({ key }: Checked) => settingAt(key).project === 'trusted'
const namesCode = ({ key }: Checked) => settingAt(key).code !== undefined

const resolveValue = ({ key, value, base }: Checked, place: Place): unknown =>
  settingAt(key).resolve?.(value, pathFrom(place, base), place.env) ?? value

const codeOf = (entry: Checked, place: Place): NamedCode[] =>
  settingAt(entry.key).code?.(resolveValue(entry, place)) ?? []

/** What a folder names to be run and nobody has trusted as it is now, as parts of a sentence. */
function findChangedCode(code: readonly NamedCode[], trusted: readonly TrustedCode[]): string[] {
  return code.flatMap(({ module, digest, problem }) => {
    if (problem !== undefined) return `${quote(module)} ${problem}`
    if (trusted.some((one) => one.digest === digest)) return []
    const isKnown = trusted.some((one) => one.module === module)
    return `${quote(module)} ${isKnown ? 'has changed' : 'is new'} since you trusted this folder`
  })
}

/** A file is meant for Parley; a variable may be meant for other programs. */
function isOfConcern({ key, origin }: Checked, { telemetry }: Config): boolean {
  return settingAt(key).onlyWith === undefined || telemetry.enabled || origin.source !== 'environment'
}

/** The highest valid value of every setting; `given` has the highest source first. */
function merge(given: Checked[], place: Place): Pick<LoadedConfig, 'config' | 'origins'> {
  const config: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  for (const key of settingKeys) {
    const setting = settingAt(key)
    const layers = given
      .filter((entry) => entry.key === key && entry.problems.length === 0)
      .map((entry) => ({ value: resolveValue(entry, place), origin: entry.origin }))
    layers.push({ value: defaultOf(setting, config, place), origin: { source: 'default', name: 'default' } })
    const { value, origin } = layers[0]!
    if (!setting.byName || layers.length === 1) origins[key] = origin
    putValue(config, key, setting.byName ? mergeByName(key, layers, origins) : value)
  }
  return { config: config as Config, origins } // the table that typed Config drove this loop
}

/** Without a prototype, because a scope may be called `constructor`. */
function mergeByName(
  key: string,
  layers: { value: unknown; origin: Origin }[],
  origins: Record<string, Origin>,
) {
  const merged: Record<string, unknown> = Object.create(null)
  for (const { value, origin } of layers.toReversed()) {
    for (const [name, fields] of Object.entries(value as Record<string, unknown>))
      merged[name] = isFields(fields) ? { ...(merged[name] as object), ...fields } : fields
    for (const field of spreadByName(key, value)) origins[field.key] = origin
  }
  return merged
}

function defaultOf(setting: Setting, config: Record<string, unknown>, place: Place): unknown {
  const { default: value } = setting
  return typeof value === 'function'
    ? value({ ...place, dataDir: config['dataDir'] })
    : structuredClone(value)
}

function toOverreach(entry: Checked): Problem {
  const { env } = settingAt(entry.key)
  return problemAt(
    entry,
    `${subjectOf(entry)} may not be set by a project file, which may come from someone else. ` +
      `If you want it, ${env === undefined ? '' : `set ${env} or `}put ${entry.key} into your own config file, and remove the line.`,
  )
}

/** Folders in a project file must be inside its own, links resolved, and it overrides none of the user's. */
function findForeignFolders(given: Checked[], place: Place): Problem[] {
  return given.filter(isOfProject).flatMap((entry) => {
    const { folders, byName } = settingAt(entry.key)
    if (!folders || entry.problems.length > 0) return []
    const outside = folders(resolveValue(entry, place))
      .filter((folder) => !isInside(realPathOf(entry.base, place), realPathOf(folder, place)))
      .map((folder) =>
        problemAt(
          entry,
          `${subjectOf(entry)} names ${quote(folder)}, which is outside the folder of that file. ` +
            `A project file may come from someone else; if you want this folder, put ${entry.key} into your own config file.`,
        ),
      )
    const own = given.find(({ key, origin }) => key === entry.key && origin.source === 'user')
    const names = byName && own ? Object.keys(own.value as object) : []
    const taken = names
      .filter((name) => Object.hasOwn(entry.value as object, name))
      .map((name) =>
        problemAt(
          entry,
          `${subjectOf(entry, [name])} has another folder in your own config file. A project file may not change that.`,
          [name],
        ),
      )
    return [...outside, ...taken]
  })
}

/** Without links as far as it exists. */
function realPathOf(path: string, place: Place): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = place.path.dirname(path)
    return parent === path ? path : place.path.join(realPathOf(parent, place), place.path.basename(path))
  }
}

/** Whoever can reach the server can use it, unless it requires a key. */
function findOpenDoor(given: Checked[]): Problem[] {
  const entry = given.find(({ key }) => key === 'host')
  if (!entry || entry.problems.length > 0 || isLoopbackHost(String(entry.value))) return []
  const isKey = ({ key, value }: Checked) =>
    key === 'apiKey' || (key === 'apiKeys' && !(Array.isArray(value) && value.length === 0))
  if (given.some(isKey)) return []
  const message =
    `${subjectOf(entry)} is ${quote(entry.value)}, which other machines may reach, but there is no key to keep them out. ` +
    `Set PARLEY_API_KEY to at least 16 characters (openssl rand -hex 32 makes a good one), or use host 127.0.0.1.`
  return [problemAt(entry, message)]
}

/** Checks of capabilities across values that are valid one by one. */
function checkBuiltIn(given: Checked[], config: Config, origins: LoadedConfig['origins']): Problem[] {
  const problems: Problem[] = []
  const entryAt = (key: string) => given.find((one) => one.key === key && one.origin === origins[key])
  for (const { check } of builtInSettings)
    check?.(config, {
      nameOf(key) {
        const entry = entryAt(key)
        return entry && subjectOf(entry)
      },
      refuse(key, message) {
        const entry = entryAt(key)
        problems.push(entry ? problemAt(entry, message) : { message, key, ...origins[key]! })
      },
    })
  return problems
}

/** The warnings come along, because a misspelt variable is often why something is missing. */
function invalidConfig(problems: Problem[], warnings: string[]): ParleyError {
  const sentences = [...problems.map(({ message }) => message), ...warnings]
  const [only] = sentences
  if (only !== undefined && sentences.length === 1) return invalidRequest(only, problems)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  const list = sentences.map((sentence) => `\n- ${sentence}`).join('')
  return invalidRequest(`The configuration has ${count}:${list}`, problems)
}
