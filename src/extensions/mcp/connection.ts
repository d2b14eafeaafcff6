/**
 * One MCP server as Parley sees it.
 *
 *   idle ──first need──▶ starting ──▶ ready
 *                         ▲     └──▶ failed ◀──┘ it ended
 *                         └──────────┘ the next need after the wait
 *
 * Nothing is started before it is needed. After a failure the next start waits, each time twice as long, so a server
 * that cannot live costs next to nothing. Its tools stay listed in the meantime, so prompts do not change.
 */
import type { Client, Tool as ListedTool } from '@modelcontextprotocol/client'
import type { Logger } from 'pino'
import { ParleyError } from '../../core/protocol/error.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { ReadTraceContext } from '../../core/models/trace-context.ts'
import { createSecretMask } from '../../core/shared/secret-mask.ts'
import { secretsIn } from './server-secrets.ts'
import { defaultTimeoutMs, isHttp, missingVariables, type McpServerSettings } from './server-settings.ts'

export interface ConnectionDeps {
  clock: Clock
  logger: Logger
  version: string
  /** Sent along with calls: in `_meta`, and over HTTP as headers too. */
  traceContext?: ReadTraceContext
  /** Called with the whole list, at each start and whenever the server reports a change. */
  onTools(tools: readonly ListedTool[]): void
}

export interface McpConnection {
  readonly name: string
  state(): { state: 'disabled' | 'idle' | 'starting' | 'ready' | 'failed'; error?: string }
  /** Starts it when it has to, and waits for that unless it failed before. Never throws. */
  ready(): Promise<void>
  /** Starts it when it has to. Throws when it cannot be had, or does not answer in time. */
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallResult>
  close(): Promise<void>
}

export type CallResult = Awaited<ReturnType<Client['callTool']>>

const firstWaitMs = 1_000
const longestWaitMs = 60_000
// most installations never need it, and it is large
const loadSdk = () => import('@modelcontextprotocol/client')
// a turn waits for this; one that takes longer is there for the next turn, if at all
const startTimeoutMs = 20_000

export function createConnection(
  name: string,
  settings: McpServerSettings,
  deps: ConnectionDeps,
): McpConnection {
  const { clock, logger } = deps
  const timeoutMs = settings.timeout ?? defaultTimeoutMs
  // its error messages are shown to models and in answers
  const mask = createSecretMask(secretsIn(settings))
  let client: Client | undefined
  let starting: Promise<Client> | undefined
  let failures = 0
  let failedAt = 0
  let error: string | undefined
  let isClosed = false

  const fail = (reason: unknown, complaints = '') => {
    client = undefined
    failures++
    failedAt = clock.now()
    const said = [reason instanceof Error ? reason.message : String(reason), complaints]
    error = mask(said.filter(Boolean).join(' '))
    logger.warn({ server: name, reason: error }, 'an MCP server failed')
  }

  const start = async (): Promise<Client> => {
    const missing = missingVariables(settings)
    if (missing.length > 0)
      throw new Error(`Its configuration needs variables that are not set: ${missing.join(', ')}.`)
    const { openTransport } = await import('./transport.ts')
    const { transport, complaints } = openTransport(settings, deps.traceContext)
    const { Client: SdkClient } = await loadSdk()
    const opened = new SdkClient(
      { name: 'parley', version: deps.version },
      // to probe a program would start it twice
      isHttp(settings) ? { versionNegotiation: { mode: 'auto' } } : {},
    )
    const timeout = Math.min(timeoutMs, startTimeoutMs)
    const list = async () => deps.onTools((await opened.listTools(undefined, { timeout })).tools)
    opened.setNotificationHandler('notifications/tools/list_changed', () => {
      list().catch((reason: unknown) =>
        logger.warn({ server: name, err: reason }, 'an MCP server could not be asked again'),
      )
    })
    try {
      await opened.connect(transport, { timeout })
      if (opened.getServerCapabilities()?.tools) await list()
    } catch (reason) {
      await opened.close()
      throw new Error([(reason as Error).message, complaints()].filter(Boolean).join(' '), { cause: reason })
    }
    // the client takes one listener each, by assignment
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    opened.onclose = () => {
      if (client === opened && !isClosed) fail('It ended, or closed its connection.', complaints())
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    opened.onerror = (reason) => logger.debug({ server: name, err: reason }, 'from an MCP server')
    return opened
  }

  const begin = (): Promise<Client> => {
    starting ??= start().then(
      async (opened) => {
        starting = undefined
        if (isClosed) {
          await opened.close()
          throw unavailable(name, 'Parley is stopping.')
        }
        client = opened
        failures = 0
        error = undefined
        return opened
      },
      (reason: unknown) => {
        starting = undefined
        fail(reason)
        throw unavailable(name, error!)
      },
    )
    return starting
  }

  const waitMs = () =>
    failures === 0 ? 0 : failedAt + Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs) - clock.now()

  const require = (): Promise<Client> => {
    if (settings.disabled) throw unavailable(name, 'It is disabled.')
    if (isClosed) throw unavailable(name, 'Parley is stopping.')
    if (client) return Promise.resolve(client)
    if (!starting && waitMs() > 0)
      throw unavailable(name, `${error} It is tried again in ${Math.ceil(waitMs() / 1_000)} s.`)
    return begin()
  }

  return {
    name,
    state() {
      if (settings.disabled) return { state: 'disabled' }
      if (client) return { state: 'ready' }
      if (starting) return { state: 'starting' }
      return failures > 0 ? { state: 'failed', error } : { state: 'idle' }
    },
    async ready() {
      if (settings.disabled || isClosed || client || waitMs() > 0) return
      const begun = begin().catch(() => {}) // recorded in the log and in the state
      if (failures === 0) await begun
    },
    async call(tool, input, signal) {
      const connected = await require()
      const options = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
      try {
        const trace = deps.traceContext?.()
        const meta = trace && { _meta: { ...trace } }
        return await connected.callTool({ name: tool, arguments: input, ...meta }, options)
      } catch (reason) {
        const { SdkHttpError } = await loadSdk()
        // there is no close over HTTP: this shows that a server is gone, or does not know us any more
        if (client === connected && (reason instanceof SdkHttpError || reason instanceof TypeError)) {
          fail(reason)
          void connected.close()
        }
        const message = mask((reason as Error).message)
        throw message === (reason as Error).message ? reason : new Error(message)
      }
    },
    async close() {
      isClosed = true
      await starting?.catch(() => {}) // it closes what it opened
      await client?.close()
    },
  }
}

const unavailable = (name: string, reason: string) =>
  new ParleyError('adapter_unavailable', `The MCP server "${name}" is not available. ${reason}`)
