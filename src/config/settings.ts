import type { z } from 'zod'
import { maxTimeoutMs } from '../protocol/background.ts'
import { permissionModes } from '../protocol/permission.ts'
import { windowModes, windowPresets } from '../protocol/window.ts'
import { maskCommand, maskServers, maskText, maskUrl } from './mask.ts'
import type { Place } from './place.ts'
import {
  boundKeys,
  commandHooks,
  folder,
  groupSwitches,
  host,
  hostHeaders,
  expandVariables,
  httpUrl,
  instruction,
  mcpServers,
  memoSchema,
  model,
  ollamaHost,
  onOff,
  oneOf,
  origins,
  permissionRules,
  postgresUrl,
  prices,
  privateHosts,
  scopeRoots,
  secretKey,
  testCommands,
  variableNames,
  wholeNumber,
} from './values.ts'

/** What the table says of a setting besides its type. */
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
  /** Too structured for a flag. */
  fileOnly?: true
  /** A mapping whose entries are merged by name over all files, instead of the highest file winning. */
  byName?: true
  /** The key that is sent to this address: a project file may not choose where a key of the user goes. */
  receives?: string
  /** Opens something that a stranger must not open: a project file may not set it. */
  userOnly?: true
  /** Makes paths inside the value absolute, starting from the place that names them; fills in variables. */
  resolve?(value: T, toPath: (text: string) => string, env: Readonly<Record<string, string | undefined>>): T
}

interface Declared<T> extends About<T> {
  type: z.ZodType<T>
}

export type Setting = Declared<unknown>

// as far as the protocol lets a session go
const windowLimit = wholeNumber(0, 1_000_000_000, ' (0 is no limit)')

/**
 * Every setting, declared here and nowhere else. A dot makes a group; a key without one is also a flag. Under
 * "session" the names are those of a session's own window; what is unset there falls to the engine's defaults.
 */
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
  'background.maxPerParent': setting(wholeNumber(1, 100_000), {
    description: 'Most tasks of one session at a time.',
    default: 5,
  }),
  'background.maxGlobal': setting(wholeNumber(1, 100_000), {
    description: 'Most background sessions at a time, over all processes of a store.',
    default: 10,
  }),
  'background.maxDepth': setting(wholeNumber(0, 100), {
    description: 'How deep tasks may start tasks: 1 is tasks of a chat only, 0 is none at all.',
    default: 2,
  }),
  'background.overLimit': setting(oneOf('reject', 'queue'), {
    description: 'What happens to a task over these limits. reject: it is refused. queue: it waits.',
    default: 'reject',
  }),
  'background.maxQueued': setting(wholeNumber(0, 1_000_000), {
    description: 'With `queue`: so many wait at most.',
    default: 1_000,
  }),
  'background.timeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
    description: 'How long a background session may go on when it says nothing else, in milliseconds.',
    default: 600_000,
  }),
  'background.onCrash': setting(oneOf('resume', 'interrupt'), {
    description:
      'What becomes of a task whose process died: it goes on after its last stored step, or ends as interrupted.',
    default: 'resume',
  }),
  'permissions.mode': setting(oneOf(...permissionModes), {
    description:
      'What sessions may do that say nothing else. default: asks before anything is changed. acceptEdits: files may be ' +
      'changed. plan: nothing is changed. dontAsk: what would be asked is refused. bypassPermissions: nothing is asked.',
    default: 'default',
    userOnly: true,
  }),
  'permissions.rules': setting(permissionRules, {
    description:
      'Rules about tools, in order: `{tool, action, path, decision: allow | ask | deny, message}`.',
    default: [],
    fileOnly: true,
    userOnly: true,
  }),
  'tools.groups': setting(groupSwitches, {
    description: 'Groups of tools that are switched on or off, such as `{terminal: true}`.',
    defaultText: 'all but `terminal`',
    fileOnly: true,
    byName: true,
    default: {},
    userOnly: true,
  }),
  'approvals.timeoutMs': setting(wholeNumber(1_000, 30 * 86_400_000), {
    description: 'How long a person has to answer when a session asks, in milliseconds.',
    default: 300_000,
  }),
  'approvals.fallback': setting(oneOf('deny', 'allow'), {
    description: 'What counts when nobody answers in time.',
    default: 'deny',
    userOnly: true,
  }),
  'workflows.maxTotalTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
    description: 'How long a workflow may take in all that says nothing else, in milliseconds.',
    default: 24 * 3_600_000,
  }),
  'workflows.maxStepOutputChars': setting(wholeNumber(100, 1_000_000), {
    description: 'Most characters that are kept of the output of a step when the workflow says nothing else.',
    default: 50_000,
  }),
  'workflows.approvalTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
    description: 'How long a workflow that says nothing else waits for a person, in milliseconds.',
    default: 24 * 3_600_000,
  }),
  'workflows.maxDepth': setting(wholeNumber(1, 20), {
    description: 'How deep workflows may start workflows as their steps.',
    default: 5,
  }),
  'workflows.maxRunSteps': setting(wholeNumber(1, 1_000_000), {
    description: 'Most steps of one run of a workflow, each round and each item counted.',
    default: 10_000,
  }),
  'workflows.maxOpenRuns': setting(wholeNumber(1, 1_000_000), {
    description: 'Most runs of workflows that are not over, those that are steps of others included.',
    default: 10_000,
  }),
  'workflows.runsKeptDays': setting(wholeNumber(1, 36_500), {
    description: 'For how many days runs of workflows that are over are kept.',
    default: 90,
  }),
  'plans.maxParallel': setting(wholeNumber(1, 100), {
    description: 'Most nodes of one plan that are done at once.',
    default: 5,
  }),
  'plans.nodeRetries': setting(wholeNumber(0, 10), {
    description: 'How often a node of a plan that failed is tried again.',
    default: 2,
  }),
  'plans.nodeTimeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
    description: 'How long one node of a plan may take, in milliseconds.',
    default: 600_000,
  }),
  'plans.runTimeoutMs': setting(wholeNumber(1_000, 2_592_000_000), {
    description: 'How long a run of a plan may take in all, in milliseconds.',
    default: 24 * 3_600_000,
  }),
  'plans.maxFollowUps': setting(wholeNumber(0, 100), {
    description: 'Most answers in a row that results of actions alone ask a model for.',
    default: 3,
  }),
  'plans.runsKeptDays': setting(wholeNumber(1, 36_500), {
    description: 'For how many days runs of plans that are over are kept; what came of nodes stays.',
    default: 90,
  }),
  'plans.autoDecompose': setting(onOff, {
    description: 'Take a plan that a model makes apart into nodes at once.',
    default: true,
  }),
  'rooms.hopLimit': setting(wholeNumber(0, 20), {
    description: 'How often in a row the agents of a room may call one another.',
    default: 3,
  }),
  'rooms.coolDown': setting(wholeNumber(0, 20), {
    description: 'Rounds for which an agent that spoke rests before another agent can call it.',
    default: 0,
  }),
  'rooms.maxReplies': setting(wholeNumber(1, 1_000), {
    description: 'Most answers to one input, of all agents of a room.',
    default: 50,
  }),
  'rooms.agentTimeoutMs': setting(wholeNumber(1_000, maxTimeoutMs), {
    description: 'How long an agent may take for one answer, in milliseconds.',
    default: 300_000,
  }),
  'rooms.testCommands': setting(testCommands, {
    description:
      'What the test commands of a room may begin with, by words. They are run without a shell in the folder of the scope.',
    default: [],
    defaultText: '`npm test`, `npm run test`, `node --test`, `pnpm test`, `yarn test`',
    userOnly: true,
  }),
  'rooms.testTimeoutMs': setting(wholeNumber(1_000, 3_600_000), {
    description: 'How long one of them may take, in milliseconds.',
    default: 120_000,
  }),
  'documents.maxBytes': setting(wholeNumber(1_024, 10_485_760), {
    description: 'The most bytes of one document.',
    default: 1_048_576,
  }),
  'locks.ttlMs': setting(wholeNumber(1_000, 3_600_000), {
    description:
      'How long a lock on a document or todo list holds without a sign of its session, in milliseconds.',
    default: 300_000,
  }),
  'memory.enabled': setting(onOff, {
    description: 'Tell turns what is remembered, and let models remember things.',
    default: true,
  }),
  'memory.learn': setting(onOff, {
    description:
      'Learn from each turn, by two short model calls that are counted as `memory`, and one more for each document that ' +
      'was changed. The demo model learns nothing.',
    defaultText: 'on where `memory.model` is set',
  }),
  'memory.model': setting(model, {
    description: 'Model that learns, as `adapter/model`; a small one will do.',
    defaultText: 'the one that answered',
  }),
  'memory.embeddingModel': setting(model, {
    description:
      'Embedding model of an OpenAI-compatible provider, as `openai/model`: memories are found by meaning too.',
  }),
  'memory.shareUser': setting(onOff, {
    description: 'What is known of the user in one scope is told in all of them.',
    default: false,
  }),
  'memory.maxPerLayer': setting(wholeNumber(10, 5_000), {
    description:
      'Most memories of models for a scope, its user or a session; those that were not used for longest go first.',
    default: 2_000,
  }),
  prices: setting(prices, {
    description:
      'Prices of models per million tokens, by id: `{input, output, cacheRead}`. Budgets of cost need them.',
    default: {},
    fileOnly: true,
    byName: true,
  }),
  'events.keptDays': setting(wholeNumber(1, 36_500), {
    description: 'Days for which what happened in a scope can be read again.',
    default: 7,
  }),
  'audit.keptDays': setting(wholeNumber(1, 36_500), {
    description: 'Days for which the audit is kept.',
    default: 90,
  }),
  'session.mode': setting(oneOf(...windowModes), {
    description:
      'What happens to messages that leave the window of a session. lite: they are only in the log. ' +
      'memo: they are summed up first.',
    defaultText: '`lite`',
  }),
  'session.preset': setting(oneOf(...windowPresets), {
    description:
      'A ready-made window: last-20 and last-10 keep so many messages, rounds-4-3 keeps four turns and drops ' +
      'three at a time, unlimited keeps all. Limits that are set here go before it.',
  }),
  'session.limit.chars': setting(windowLimit, {
    description: 'Most characters in the window of a session; 0 is no limit. Goes before `session.resize`.',
    defaultText: '`400000`',
  }),
  'session.limit.messages': setting(windowLimit, {
    description: 'Most messages in the window; 0 is no limit. Goes before `session.resize`.',
    defaultText: '`400`',
  }),
  'session.limit.tokens': setting(windowLimit, {
    description: 'Most tokens in the window, as estimated; 0 is no limit.',
    defaultText: '`0`',
  }),
  'session.resize.every_n_turns': setting(windowLimit, {
    description: 'Cut the window back after so many turns, also when it is not full; 0 is never.',
    defaultText: '`0`',
  }),
  'session.resize.max_messages_text_length': setting(windowLimit, {
    description: 'The same as `session.limit.chars`, where that is not set.',
  }),
  'session.resize.max_keep_messages_count': setting(windowLimit, {
    description: 'The same as `session.limit.messages`, where that is not set.',
  }),
  'session.memo.enabled': setting(onOff, {
    description: 'Keep a memo of what left the window, or not, whatever `session.mode` says.',
    defaultText: 'by `session.mode`',
  }),
  'session.memo.instruct': setting(instruction, {
    description: 'What the model is told when it updates the memo, in place of the built-in words.',
  }),
  'session.memo.schema': setting(memoSchema, {
    description:
      'JSON Schema of the memo. The built-in one has profile, preferences, constraints, tasks, decisions, facts ' +
      'and recent_summary.',
    fileOnly: true,
  }),
  'session.memo.model': setting(model, {
    description: 'Model that updates the memo, as `adapter/model`.',
    defaultText: 'that of the session',
  }),
  'session.memo.max_length': setting(wholeNumber(100, 1_000_000), {
    description: 'Most characters of the memo, as JSON.',
    defaultText: '`8000`',
  }),
  'session.memo.timeout_ms': setting(wholeNumber(100, 3_600_000), {
    description: 'How long one update of the memo may take, in milliseconds.',
    defaultText: '`60000`',
  }),
  'web.allowPrivate': setting(privateHosts, {
    description:
      'Hosts, addresses and ranges (`10.0.0.0/8`) that `web_fetch` may reach although they are not public.',
    default: [],
    env: 'PARLEY_WEB_ALLOW_PRIVATE',
    userOnly: true,
  }),
  'web.maxBytes': setting(wholeNumber(1_024, 104_857_600), {
    description: 'So much of a page is read, in bytes, unpacked.',
    default: 5 * 1_024 * 1_024,
  }),
  'web.maxCharacters': setting(wholeNumber(500, 1_000_000), {
    description: 'Characters of a page in one answer to the model; it can ask for more.',
    default: 20_000,
  }),
  'web.timeoutMs': setting(wholeNumber(100, 600_000), {
    description: 'How long a page or a search may take, in milliseconds.',
    default: 30_000,
  }),
  'web.search.searxngUrl': setting(httpUrl, {
    description: 'Address of a SearXNG server with JSON results; goes before the other engines.',
    env: 'SEARXNG_URL',
    mask: maskUrl,
    userOnly: true,
  }),
  'web.search.braveKey': setting(secretKey(), {
    description: 'Key of the Brave Search API; goes before Tavily.',
    env: 'BRAVE_API_KEY',
    secret: true,
  }),
  'web.search.tavilyKey': setting(secretKey(), {
    description: 'Key of the Tavily API.',
    env: 'TAVILY_API_KEY',
    secret: true,
  }),
  'terminal.timeoutSeconds': setting(wholeNumber(1, 86_400), {
    description: 'How long a command may take when the model says nothing else, in seconds.',
    default: 30,
  }),
  'terminal.maxTimeoutSeconds': setting(wholeNumber(1, 86_400), {
    description: 'The most that the model may ask for, in seconds.',
    default: 300,
  }),
  'terminal.maxOutput': setting(wholeNumber(500, 1_000_000), {
    description: 'Characters of output in one answer to the model: the beginning and the end.',
    default: 8_192,
  }),
  'terminal.maxLogBytes': setting(wholeNumber(0, 10_737_418_240), {
    description: 'Longer output is kept in a file of the session, up to so many bytes.',
    default: 10 * 1_024 * 1_024,
  }),
  'terminal.maxPerSession': setting(wholeNumber(0, 100), {
    description: 'Most shells that one session may keep open at a time.',
    default: 5,
  }),
  'terminal.idleMs': setting(wholeNumber(1_000, 604_800_000), {
    description: 'A shell that the model has not used for so long is ended, in milliseconds.',
    default: 1_800_000,
  }),
  'terminal.variables': setting(variableNames, {
    description: 'Names of variables that commands get to see, besides those that every program needs.',
    default: [],
    userOnly: true,
  }),
  mcpServers: setting(mcpServers, {
    description:
      'MCP servers whose tools models may use, by name: `{command, args, env, cwd}` or `{type: http, url, headers}`. ' +
      'Only in your own file.',
    default: {},
    secret: true,
    mask: maskServers,
    fileOnly: true,
    byName: true,
    userOnly: true,
    resolve: (servers, toPath, env) =>
      Object.fromEntries(
        Object.entries(expandVariables(servers, env)).map(([name, server]) => [
          name,
          'cwd' in server && server.cwd !== undefined ? { ...server, cwd: toPath(server.cwd) } : server,
        ]),
      ),
  }),
  'hooks.commands': setting(commandHooks, {
    description:
      'Programs that are asked before and after calls of tools, and before memories are told or stored: ' +
      '`{event, tool, command, timeoutMs, priority, id, onFailure}`. Only in your own file.',
    default: [],
    secret: true,
    mask: (hooks) => hooks.map((hook) => ({ ...hook, command: maskCommand(hook.command) })),
    fileOnly: true,
    userOnly: true,
    resolve: (hooks, toPath) =>
      hooks.map(({ command: [program = '', ...args], ...hook }) => ({
        ...hook,
        // a bare name is looked for in the PATH
        command: [/[\\/]/.test(program) ? toPath(program) : program, ...args],
      })),
  }),
  'hooks.timeoutMs': setting(wholeNumber(1, 600_000), {
    description: 'How long a hook may take that says nothing else, in milliseconds.',
    default: 10_000,
    // hooks that have no time to answer are none
    userOnly: true,
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
