import { maskText, maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import {
  boundKeys,
  folder,
  host,
  hostHeaders,
  model,
  oneOf,
  origins,
  postgresUrl,
  secretKey,
  wholeNumber,
} from '../../core/settings/values.ts'

/** The process itself: where it listens, who may come in, where it keeps things, which model answers. */
export const serverSettings = {
  host: setting(host, {
    description: 'Address to listen on. Anything except loopback requires `apiKey` or `apiKeys`.',
    default: '127.0.0.1',
    env: 'PARLEY_HOST',
    flag: { value: 'address', of: 'server' },
  }),
  port: setting(wholeNumber(0, 65_535, ' (0 picks a free port)'), {
    description: 'Port to listen on; 0 picks a free one.',
    default: 4127,
    env: 'PARLEY_PORT',
    flag: { value: 'number', of: 'server' },
  }),
  dataDir: setting(folder, {
    description: 'Folder of the SQLite database and of stored files.',
    default: ({ dataHome, path }) => path.join(dataHome, 'parley'),
    defaultText: '`$XDG_DATA_HOME/parley`, else `~/.local/share/parley`; on Windows `%LOCALAPPDATA%\\parley`',
    env: 'PARLEY_DATA_DIR',
    resolve: (value, toPath) => toPath(value),
    flag: { value: 'folder', of: 'every command' },
  }),
  databaseUrl: setting(postgresUrl, {
    description: 'A `postgres://` URL switches from SQLite to PostgreSQL and multi-node mode.',
    env: 'DATABASE_URL',
    secret: true,
    mask: maskUrl,
    flag: { value: 'url', of: 'every command' },
  }),
  apiKey: setting(secretKey(16), {
    description: 'Key that clients send; opens every scope. Required when `host` is not loopback.',
    env: 'PARLEY_API_KEY',
    secret: true,
    flag: { value: 'key', of: 'every command' },
  }),
  apiKeys: setting(boundKeys, {
    description: 'Additional keys, each bound to scopes: `{name, key, scopes}`.',
    default: [],
    secret: true,
    mask: (keys) => keys.map((bound) => ({ ...bound, key: maskText(bound.key) })),
  }),
  allowedHosts: setting(hostHeaders, {
    description: 'Host headers to accept besides loopback and `host`, exactly as sent.',
    default: [],
    flag: { value: 'hosts', of: 'server' },
  }),
  allowedOrigins: setting(origins, {
    description: 'Origins to accept besides the server itself, exactly as sent.',
    default: [],
    flag: { value: 'origins', of: 'server' },
  }),
  model: setting(model, {
    description: 'Model of sessions that specify none, as `adapter/model`.',
    env: 'PARLEY_MODEL',
    project: 'trusted',
    flag: { value: 'adapter/model', of: 'server' },
  }),
  logLevel: setting(oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    description: 'Least severe level to log: fatal, error, warn, info, debug, trace, silent.',
    default: 'info',
    env: 'PARLEY_LOG_LEVEL',
    flag: { value: 'level', of: 'server' },
  }),
  'limits.bodyBytes': setting(wholeNumber(1_024, 1_073_741_824), {
    description: 'Largest body of a request that carries files, documents or an import, in bytes.',
    default: 10 * 1_024 * 1_024,
  }),
  'limits.jsonBytes': setting(wholeNumber(1_024, 1_073_741_824), {
    description: 'Largest body of any other request, in bytes; never more than `limits.bodyBytes`.',
    default: 1_024 * 1_024,
  }),
  'limits.jsonValues': setting(wholeNumber(1_000, 10_000_000), {
    description:
      'Maximum number of values, not counting keys, in one JSON body, and in one message of an import.',
    default: 75_000,
  }),
  'limits.jsonDepth': setting(wholeNumber(4, 1_000), {
    description: 'Deepest nesting of a JSON body.',
    default: 64,
  }),
  'limits.pageSize': setting(wholeNumber(1, 10_000), {
    description: 'Maximum number of items on one page of a list.',
    default: 200,
  }),
  'limits.shutdownMs': setting(wholeNumber(0, 600_000), {
    description: 'How long a stopping server waits for open requests, in milliseconds.',
    default: 10_000,
  }),
}
