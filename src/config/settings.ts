import type { z } from 'zod'
import { maskText, maskUrl } from './mask.ts'
import type { Place } from './place.ts'
import {
  boundKeys,
  folder,
  host,
  hostHeaders,
  httpUrl,
  model,
  ollamaHost,
  onOff,
  oneOf,
  origins,
  postgresUrl,
  scopeRoots,
  secretKey,
  wholeNumber,
} from './values.ts'

/** What the table says of a setting besides its type. */
interface About<T> {
  description: string
  /** A value, or how to find it on this machine; without one the setting may be undefined. */
  default?: T | ((place: Place & { dataDir: string }) => T)
  /** How the documentation writes a default that depends on the machine. */
  defaultText?: string
  /** The environment variable; a secret can also come from the file named by `<variable>_FILE`. */
  env?: string
  /** Never printed in full, nor quoted in a problem. */
  secret?: true
  /** How the value is printed; by default a secret is masked as a whole and the rest is shown. */
  mask?(value: T): unknown
  /** Too structured for a flag. */
  fileOnly?: true
  /** A mapping whose entries are merged by name over all files, instead of the highest file winning. */
  byName?: true
  /** The key that is sent to this address: a project file may not choose where a key of the user goes. */
  receives?: string
  /** Makes paths inside the value absolute, starting from the place that names them. */
  resolve?(value: T, toPath: (text: string) => string): T
}

interface Declared<T> extends About<T> {
  type: z.ZodType<T>
}

export type Setting = Declared<unknown>

/** Every setting, declared here and nowhere else. A dot makes a group; a key without one is also a flag. */
const settings = {
  host: setting(host, {
    description: 'Address to listen on. Anything but loopback needs `apiKey` or `apiKeys`.',
    default: '127.0.0.1',
    env: 'PARLEY_HOST',
  }),
  port: setting(wholeNumber(0, 65_535, ' (0 picks a free port)'), {
    description: 'Port to listen on; 0 picks a free one.',
    default: 4127,
    env: 'PARLEY_PORT',
  }),
  dataDir: setting(folder, {
    description: 'Folder of the SQLite database and of stored files.',
    default: ({ dataHome, path }) => path.join(dataHome, 'parley'),
    defaultText: '`$XDG_DATA_HOME/parley`, else `~/.local/share/parley`; on Windows `%LOCALAPPDATA%\\parley`',
    env: 'PARLEY_DATA_DIR',
    resolve: (value, toPath) => toPath(value),
  }),
  databaseUrl: setting(postgresUrl, {
    description: 'A `postgres://` URL switches from SQLite to PostgreSQL and multi-node mode.',
    env: 'DATABASE_URL',
    secret: true,
    mask: maskUrl,
  }),
  apiKey: setting(secretKey(16), {
    description: 'Key that clients send; opens every scope. Required when `host` is not loopback.',
    env: 'PARLEY_API_KEY',
    secret: true,
  }),
  apiKeys: setting(boundKeys, {
    description: 'More keys, each bound to scopes: `{name, key, scopes}`.',
    default: [],
    secret: true,
    mask: (keys) => keys.map((bound) => ({ ...bound, key: maskText(bound.key) })),
    fileOnly: true,
  }),
  allowedHosts: setting(hostHeaders, {
    description: 'Host headers to accept besides loopback and `host`, exactly as sent.',
    default: [],
  }),
  allowedOrigins: setting(origins, {
    description: 'Origins to accept besides the server itself, exactly as sent.',
    default: [],
  }),
  model: setting(model, {
    description: 'Model of sessions that name none, as `adapter/model`.',
    env: 'PARLEY_MODEL',
  }),
  logLevel: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    description: 'Least severe level to log: fatal, error, warn, info, debug, trace, silent.',
    default: 'info',
    env: 'PARLEY_LOG_LEVEL',
  }),
  'openai.apiKey': setting(secretKey(), {
    description: 'Key for `openai/…` models.',
    env: 'OPENAI_API_KEY',
    secret: true,
  }),
  'openai.baseUrl': setting(httpUrl, {
    description: 'Address of an OpenAI-compatible server; `openai/…` then speaks Chat Completions.',
    env: 'OPENAI_BASE_URL',
    mask: maskUrl,
    receives: 'openai.apiKey',
  }),
  'anthropic.apiKey': setting(secretKey(), {
    description: 'Key for `anthropic/…` models.',
    env: 'ANTHROPIC_API_KEY',
    secret: true,
  }),
  'anthropic.baseUrl': setting(httpUrl, {
    description: 'Address of an Anthropic-compatible server.',
    env: 'ANTHROPIC_BASE_URL',
    mask: maskUrl,
    receives: 'anthropic.apiKey',
  }),
  'gemini.apiKey': setting(secretKey(), {
    description: 'Key for `gemini/…` models.',
    env: 'GEMINI_API_KEY',
    secret: true,
  }),
  'ollama.host': setting(ollamaHost, {
    description: 'Address of the Ollama server behind `ollama/…` models.',
    env: 'OLLAMA_HOST',
    mask: maskUrl,
  }),
  'limits.bodyBytes': setting(wholeNumber(1_024, 1_073_741_824), {
    description: 'Largest request body, in bytes.',
    default: 10 * 1_024 * 1_024,
  }),
  'limits.jsonDepth': setting(wholeNumber(4, 1_000), {
    description: 'Deepest nesting of a JSON body.',
    default: 64,
  }),
  'limits.pageSize': setting(wholeNumber(1, 10_000), {
    description: 'Most items that one page of a list may have.',
    default: 200,
  }),
  'limits.shutdownMs': setting(wholeNumber(0, 600_000), {
    description: 'How long a stopping server waits for open requests, in milliseconds.',
    default: 10_000,
  }),
  'chat.maxSteps': setting(wholeNumber(1, 10_000), {
    description: 'Most model calls in one turn.',
    default: 50,
  }),
  'chat.maxSameCalls': setting(wholeNumber(2, 1_000), {
    description: 'The same tool call with the same input so often in a row ends the turn.',
    default: 5,
  }),
  'chat.tokenBudget': setting(wholeNumber(1, 1_000_000_000), {
    description: 'Most tokens of one turn, in and out. Without it there is no limit.',
  }),
  'chat.maxAttempts': setting(wholeNumber(1, 20), {
    description: 'Tries of one model call when the fault may pass, the first one included.',
    default: 4,
  }),
  'chat.maxRetryWaitMs': setting(wholeNumber(0, 3_600_000), {
    description: 'Longest wait that a provider may ask for before a turn fails instead, in milliseconds.',
    default: 60_000,
  }),
  'chat.maxToolOutput': setting(wholeNumber(100, 10_000_000), {
    description: 'Characters of one tool result that the model gets to see.',
    default: 100_000,
  }),
  'chat.leaseMs': setting(wholeNumber(1_000, 3_600_000), {
    description: 'A run whose process has not been heard of for so long is taken over, in milliseconds.',
    default: 30_000,
  }),
  'chat.maxClaims': setting(wholeNumber(1, 1_000), {
    description: 'A turn that took its process down so often is given up.',
    default: 3,
  }),
  'chat.maxTakenUp': setting(wholeNumber(1, 100_000), {
    description: 'Runs that wait in the store are taken up only while fewer than this go on in the process.',
    default: 64,
  }),
  'sqlite.synchronous': setting(oneOf('FULL', 'NORMAL'), {
    description:
      'FULL: an acknowledged write survives a power cut. NORMAL: faster, survives a crash of Parley only.',
    default: 'FULL',
  }),
  'sqlite.busyTimeoutMs': setting(wholeNumber(0, 600_000), {
    description: 'How long to wait for another process that writes to the database, in milliseconds.',
    default: 5_000,
  }),
  'postgres.poolSize': setting(wholeNumber(1, 1_000), {
    description: 'Most connections to PostgreSQL at a time.',
    default: 10,
  }),
  'mirror.enabled': setting(onOff, {
    description: 'Keep a readable copy of every session (`meta.json`, `messages.jsonl`) on disk.',
    default: false,
  }),
  'mirror.dir': setting(folder, {
    description: 'Folder of that copy.',
    default: ({ dataDir, path }) => path.join(dataDir, 'mirror'),
    defaultText: '`<dataDir>/mirror`',
    resolve: (value, toPath) => toPath(value),
  }),
  scopes: setting(scopeRoots, {
    description:
      'Scopes by name, each with its folder: `{root}`. A relative folder starts from the file that names it.',
    default: {},
    fileOnly: true,
    byName: true,
    resolve: (scopes, toPath) =>
      Object.fromEntries(
        Object.entries(scopes).map(([name, scope]) => [name, { ...scope, root: toPath(scope.root) }]),
      ),
  }),
}

export type SettingKey = keyof typeof settings
type ValueOf<S> = S extends { type: z.ZodType<infer T> }
  ? T | (S extends { default: unknown } ? never : undefined)
  : never
type GroupOf<K> = K extends `${infer Group}.${string}` ? Group : never

/** The settings as the rest of Parley sees them: checked, complete, paths absolute. */
export type Config = {
  [K in SettingKey as GroupOf<K> extends never ? K : never]: ValueOf<(typeof settings)[K]>
} & {
  [G in GroupOf<SettingKey>]: {
    [K in SettingKey as K extends `${G}.${infer Leaf}` ? Leaf : never]: ValueOf<(typeof settings)[K]>
  }
}

export const settingKeys = Object.keys(settings) as SettingKey[]

/** The same table for code that treats all settings alike. */
export const settingAt = (key: SettingKey): Setting => settings[key]

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settings, key)

/** `openai.apiKey` → `['openai', 'apiKey']`, `port` → `['port']`. */
export const splitKey = (key: string): string[] => key.split('.')

/** The keys that may stand at the top of a file, or under one of its groups. */
export function knownKeys(group?: string): string[] {
  const keys = settingKeys.map(splitKey).flatMap(([first = '', second]) => {
    if (group === undefined) return [first]
    return first === group && second !== undefined ? [second] : []
  })
  return [...new Set(keys)]
}

/** The variables that set a key: its own, and for a secret the one that names a file. */
export function variablesOf(key: SettingKey): string[] {
  const { env, secret } = settingAt(key)
  if (env === undefined) return []
  return secret ? [env, `${env}_FILE`] : [env]
}

export const isFlagKey = (key: string): key is SettingKey =>
  isSettingKey(key) && !key.includes('.') && !settingAt(key).fileOnly

/** `dataDir` → `--data-dir`. */
export const toFlag = (key: string) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** For the command line: every flag with the key under which `loadConfig` expects its value. */
export function configFlags(): { key: SettingKey; flag: string; description: string }[] {
  return settingKeys
    .filter(isFlagKey)
    .map((key) => ({ key, flag: toFlag(key), description: settingAt(key).description }))
}

function setting<T>(
  type: z.ZodType<T>,
  about: NoInfer<About<T> & Required<Pick<About<T>, 'default'>>>,
): Declared<T> & { default: unknown }
function setting<T>(type: z.ZodType<T>, about: NoInfer<About<T>>): Declared<T>
function setting<T>(type: z.ZodType<T>, about: About<T>): Declared<T> {
  return { type, ...about }
}
