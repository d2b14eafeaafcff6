import type { Api } from '../core/command-line/command-group.ts'
import type { Sessions } from '../core/chat/session-operations.ts'
import type { Command } from 'commander'
import { join } from 'node:path'
import { createClient, type RouteTable } from '../client/index.ts'
import { configFlags, loadConfig, type Config, type LoadedConfig } from '../config.ts'
import type { Joined } from '../core/settings/settings-slice.ts'
import { builtInSettings } from '../extensions/built-in.ts'
import type { ParleyOptions } from '../parley.ts'
import { invalidRequest, quote } from '../core/protocol/error.ts'
import { askForTrust } from './ask-trust.ts'
import { printProgress } from '../core/command-line/output.ts'

/** The configuration with the flags that were given anywhere on the command line. */
export const loadCommandConfig = (command: Command): LoadedConfig => showWarnings(readCommandConfig(command))

/** The same, after asking a person about folders that are not trusted yet. */
export async function openCommandConfig(command: Command): Promise<LoadedConfig> {
  const loaded = readCommandConfig(command)
  return showWarnings((await askForTrust(loaded)) ? readCommandConfig(command) : loaded)
}

/** The same, without a word about its warnings. */
export function readCommandConfig(command: Command): LoadedConfig {
  const options = command.optsWithGlobals<Record<string, unknown>>()
  return loadConfig({
    flags: Object.fromEntries(configFlags().map(({ name }) => [name, options[name]])),
  })
}

function showWarnings(loaded: LoadedConfig): LoadedConfig {
  for (const warning of loaded.warnings) printProgress(`parley: ${warning}`)
  return loaded
}

export function toParleyOptions({ config, userDir, environment, trust }: LoadedConfig): ParleyOptions {
  const { dataDir, databaseUrl, sqlite, postgres, limits, imports, scopes, mirror } = config
  const { model, openai, anthropic, gemini, ollama, providers, models: facts } = config
  const { chat, session, background, prices, events, audit } = config
  const { parameters, permissions, approvals, tools, hooks } = config
  const { enabled: hasTelemetry, ...telemetry } = config.telemetry
  return {
    ...toBuiltInOptions(config, environment),
    dataDir,
    databaseUrl,
    sqlite,
    postgres,
    limits: { pageSize: limits.pageSize },
    imports,
    scopes,
    trust,
    models: { model, openai, anthropic, gemini, ollama, providers, facts },
    chat,
    session,
    parameters,
    background,
    permissions,
    approvals,
    toolGroups: tools.groups,
    prices,
    events,
    audit,
    hooks: hooks.commands,
    hookTimeoutMs: hooks.timeoutMs,
    telemetry: hasTelemetry ? telemetry : undefined,
    userDir,
    shutdownMs: limits.shutdownMs,
    mirrorDir: mirror.enabled ? mirror.dir : undefined,
  }
}

/** The same, with the extensions that the configuration names. */
export async function toExtendedOptions(loaded: LoadedConfig): Promise<ParleyOptions> {
  const options = toParleyOptions(loaded)
  if (loaded.config.extensions.length === 0) return options
  const { loadExtensions } = await import('./load-extensions.ts')
  const extensions = await loadExtensions(loaded)
  return Object.assign(options, ...extensions.map((one) => one.options), {
    extensions: extensions.map(({ extension }) => extension),
  })
}

type BuiltInOptions = Joined<ReturnType<(typeof builtInSettings)[number]['toOptions']>>

const toBuiltInOptions = (config: Config, environment: LoadedConfig['environment']) =>
  Object.assign({}, ...builtInSettings.map((slice) => slice.toOptions(config, environment))) as BuiltInOptions

/** Works on the sessions; otherwise as `withApi`. */
export const withSessions = <T>(command: Command, work: (sessions: Sessions) => Promise<T>): Promise<T> =>
  withApi(command, ({ sessions }) => work(sessions))

/** Works on the server at `--url`, or on the local store when there is none. */
export async function withApi<T>(
  command: Command,
  work: (api: Api) => Promise<T>,
  /** Of extensions, which the client does not know. */
  routes: RouteTable = {},
): Promise<T> {
  const { url } = command.optsWithGlobals<{ url?: string }>()
  const loaded = url === undefined ? await openCommandConfig(command) : loadCommandConfig(command)
  const {
    dataDir,
    history: { size },
  } = loaded.config
  const history = { file: join(dataDir, 'history.jsonl'), size }
  if (url !== undefined) {
    requireAddress(url)
    const client = createClient({ baseUrl: url, apiKey: loaded.config.apiKey, routes })
    return work({ ...client, history })
  }
  // what works on a server does not need it, and it is most of all that there is to load
  const [{ createParley }, { finishIndex }] = await Promise.all([
    import('../parley.ts'),
    import('../core/store/catch-up-index.ts'),
  ])
  await using parley = await createParley({ ...(await toExtendedOptions(loaded)), takesUpRuns: false })
  return await work({
    ...parley,
    history,
    adopt: parley.chats.adopt,
    finishIndex: () => finishIndex(parley.store),
  })
}

function requireAddress(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw invalidRequest(
    `--url must be the address of a server, such as http://127.0.0.1:4127, not ${quote(url)}.`,
  )
}
