import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv, Identity } from '../core/http/request-environment.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { keyOfProtocols } from '../core/protocol/event-socket.ts'
import type { Clock } from '../core/shared/clock.ts'
import type { ServerDeps } from './server-deps.ts'

export interface ApiKey {
  /** Its owner: where people act by name, the person of that name and nobody else. Undefined is the operator. */
  name?: string
  key: string
  /** Undefined is all scopes. */
  scopes?: string[]
}

/** Open to everybody who can reach the server: they show nothing that is stored. A new route is not among them. */
export const publicPaths = [
  '/',
  '/theme.js',
  '/diagram.html',
  '/assets/*',
  '/extensions/*',
  '/docs',
  '/docs/*',
  '/openapi.json',
  '/healthz',
  '/readyz',
]

// a person mistypes a few times; a guesser needs far more than this
const wrongTriesPerMinute = 20

/** With no key at all the caller is the person at this machine: the server then listens on loopback only. */
export function authenticate(
  keys: ApiKey[],
  { clock, configured }: Pick<ServerDeps, 'clock' | 'configured'>,
): MiddlewareHandler<AppEnv> {
  const known = keys.map(({ name, key, scopes }) => ({
    digest: digest(key),
    identity: {
      actor: { type: 'user', id: name ?? 'main' },
      scopes,
      ...(name !== undefined && { keyName: name }),
      ...(scopes && { configured }),
    } satisfies Identity,
  }))
  const tries = countTries(clock)

  return async (c, next) => {
    if (known.length === 0) {
      c.set('identity', { actor: { type: 'user', id: 'local' }, scopes: undefined })
      return next()
    }
    if (isPublic(c.req.path)) return next()
    const address = c.env?.incoming?.socket.remoteAddress ?? 'in-process'
    const presented = presentedKey(c)
    const identity = presented === undefined ? undefined : findIdentity(presented)
    if (!identity) {
      if (presented !== undefined && tries.addWrong(address) > wrongTriesPerMinute)
        throw new ParleyError('too_many_requests', 'Too many wrong keys from this address; wait a minute.')
      c.header('WWW-Authenticate', 'Bearer')
      throw new ParleyError('unauthorized', 'This server needs its API key: "Authorization: Bearer <key>".')
    }
    c.set('identity', identity)
    return next()
  }

  /** Compares with every key, so that the time does not reveal which one was close. */
  function findIdentity(presented: string): Identity | undefined {
    const presentedDigest = digest(presented)
    let found: Identity | undefined
    for (const entry of known) if (timingSafeEqual(entry.digest, presentedDigest)) found = entry.identity
    return found
  }
}

/** Headers only: a key in a URL ends up in logs and histories. A page can set none on a socket but the protocols. */
function presentedKey(c: Context<AppEnv>): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  const inHeader = bearer ?? c.req.header('x-api-key')
  if (inHeader !== undefined || !c.env?.upgrade) return inHeader
  return keyOfProtocols(c.req.header('sec-websocket-protocol'))
}

const digest = (key: string) => createHash('sha256').update(key).digest()

export const isPublic = (path: string) => publicPaths.some((pattern) => matches(pattern, path))

const matches = (pattern: string, path: string) =>
  pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern

function countTries(clock: Clock) {
  let minute = 0
  const wrong = new Map<string, number>()
  return {
    addWrong(address: string): number {
      const now = Math.floor(clock.now() / 60_000)
      if (now !== minute) {
        minute = now
        wrong.clear()
      }
      const count = (wrong.get(address) ?? 0) + 1
      wrong.set(address, count)
      return count
    },
  }
}
