import type { Command } from 'commander'
import type { Logger } from 'pino'
import { secretsOf, type Config } from '../config.ts'
import { createParley, type Parley } from '../parley.ts'
import type { AppSettings } from '../server/app.ts'
import type { ApiKey } from '../server/authenticate.ts'
import { createApp, createMetrics, serve } from '../server/index.ts'
import { systemClock } from '../core/shared/clock.ts'
import { inPackage } from '../core/shared/package-folder.ts'
import { describeOpen, makeDataDir } from '../core/store/data-dir.ts'
import { lockDataDir } from '../core/store/sqlite/data-dir-lock.ts'
import { createLogTrail } from '../telemetry/log-trail.ts'
import { logWork } from '../telemetry/log-work.ts'
import { createLogger } from '../telemetry/logger.ts'
import { readVersion } from '../version.ts'
import { openCommandConfig, toExtendedOptions } from './open-parley.ts'
import { returnMemoryWhenIdle } from './return-memory.ts'
import { printAnswer, printJson } from '../core/command-line/output.ts'

export async function runServer(command: Command): Promise<void> {
  const loaded = await openCommandConfig(command)
  const { config } = loaded
  const trail = createLogTrail()
  const configured = secretsOf(config)
  let readStoredKeys: () => string[] = () => []
  const logger = createLogger({
    level: config.logLevel,
    ids: trail.ids,
    secrets: () => [...configured, ...readStoredKeys()],
  })
  for (const found of makeDataDir(config.dataDir)) logger.warn(describeOpen(found))
  const lock = config.databaseUrl === undefined ? lockDataDir(config.dataDir) : undefined
  try {
    await using parley = await createParley({ ...(await toExtendedOptions(loaded)), logger })
    readStoredKeys = () => parley.registry.providers().flatMap(({ settings }) => settings.apiKey ?? [])
    parley.watchers.add(trail.watcher)
    parley.watchers.add(logWork(logger))
    const deps = toServerDeps(parley, config, logger)
    const app = createApp({ ...deps, metrics: createMetrics(deps) }, toAppSettings(config))
    const server = await serve(app, config)
    using _memory = returnMemoryWhenIdle()
    const stopped = untilSignal()
    lock?.announce({ pid: process.pid, startedAt: new Date().toISOString(), url: server.url })
    logger.info({ url: server.url, store: parley.store.backend, version: deps.version }, 'ready')
    if (command.optsWithGlobals<{ json?: boolean }>().json)
      printJson({ url: server.url, store: parley.store.backend })
    else printAnswer(`Parley is ready at ${server.url}`)
    logger.info({ signal: await stopped }, 'stopping')
    // turns and the connections that watch them end together
    await Promise.all([server.stop(config.limits.shutdownMs), parley.chats.close(config.limits.shutdownMs)])
  } finally {
    lock?.release()
  }
}

const toServerDeps = (parley: Parley, { limits, imports }: Config, logger: Logger) => ({
  ...parley,
  clock: systemClock,
  logger,
  version: readVersion(),
  limits,
  imports,
})

const toAppSettings = (config: Config): AppSettings => ({
  apiKeys: toApiKeys(config),
  allowedHosts: [...config.allowedHosts, ...boundHosts(config)],
  allowedOrigins: config.allowedOrigins,
  workbenchDir: inPackage('web', 'dist'),
})

function toApiKeys({ apiKey, apiKeys }: Config): ApiKey[] {
  return [...(apiKey === undefined ? [] : [{ key: apiKey }]), ...apiKeys]
}

/**
 * Bound to one address, that address is a name of this server. Bound to all of them, any name may be; the key,
 * which such a server always has, keeps strangers out then.
 */
function boundHosts({ host, allowedHosts }: Config): string[] {
  const isWildcard = host === '0.0.0.0' || host === '::'
  return isWildcard ? (allowedHosts.length === 0 ? ['*'] : []) : [host.includes(':') ? `[${host}]` : host]
}

// a signal to a whole process group arrives twice: directly, and passed on by npm
const repeatMs = 1_000

/** Resolves on the first signal; a second, deliberate one ends the process immediately. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        first ??= performance.now()
        if (performance.now() - first > repeatMs) process.exit(signal === 'SIGINT' ? 130 : 143)
        resolve(signal)
      })
  })
}
