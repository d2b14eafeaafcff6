import type { MiddlewareHandler } from 'hono'
import type { RouteContribution } from '../core/http/contributions.ts'
import type { AppEnv } from '../core/http/request-environment.ts'
import { ParleyError, quote } from '../core/protocol/error.ts'

export interface GuardSettings {
  /** Host names (with or without port) that are accepted besides the loopback ones; `*` accepts any. */
  allowedHosts: string[]
  /** Origins that may call from a browser besides the server's own. */
  allowedOrigins: string[]
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Keeps web pages of other sites out. The Host check defeats DNS rebinding, where a foreign name is made to point
 * at this machine; the Origin check defeats cross-site requests. Neither trusts the absence of the other header.
 */
export function guardBrowser(
  { allowedHosts, allowedOrigins }: GuardSettings,
  contributed: readonly Pick<RouteContribution, 'browserHeaders'>[],
): MiddlewareHandler<AppEnv> {
  const readable = [
    ...contributed.flatMap(({ browserHeaders }) => browserHeaders?.response ?? []),
    'X-Parley-Run',
    'X-Parley-Session',
    'X-Request-Id',
  ].join(', ')
  const known = [...apiHeaders, ...contributed.flatMap(({ browserHeaders }) => browserHeaders?.request ?? [])]
  // published clients say much about themselves (`X-Stainless-OS`, `Anthropic-Version`): nothing here depends on it
  const allowHeaders = (asked = '') => {
    const isNew = (name: string) =>
      isHeaderName.test(name) && !known.some((one) => one.toLowerCase() === name.toLowerCase())
    const others = asked.split(',').map((name) => name.trim())
    return [...known, ...others.filter(isNew).slice(0, maxAskedHeaders)].join(', ')
  }
  const acceptsAnyHost = allowedHosts.includes('*')
  return async (c, next) => {
    const host = c.req.header('host')
    if (!acceptsAnyHost) requireHost(c.req.url, host, c.env?.incoming)
    const origin = c.req.header('origin')
    if (origin !== undefined && !isOwnOrigin(origin, host) && !allowedOrigins.includes(origin))
      throw new ParleyError(
        'forbidden',
        `Requests from the origin ${quote(origin)} are not accepted. Add it to allowedOrigins if it is yours.`,
      )
    if (origin !== undefined && allowedOrigins.includes(origin)) {
      c.header('Access-Control-Allow-Origin', origin)
      c.header('Vary', 'Origin')
      c.header('Access-Control-Expose-Headers', readable)
      if (c.req.method === 'OPTIONS') {
        c.header('Access-Control-Allow-Headers', allowHeaders(c.req.header('access-control-request-headers')))
        return c.body(null, 204, preflightHeaders)
      }
    }
    return next()
  }

  function requireHost(
    url: string,
    host: string | undefined,
    incoming: AppEnv['Bindings']['incoming'],
  ): void {
    const isRepeated = incoming
      ? incoming.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1
      : false
    // a request line with a full URL names its own host
    const isConsistent =
      URL.canParse(`http://${host}`) && new URL(url).host === new URL(`http://${host}`).host
    if (host === undefined || isRepeated || !isConsistent || !isKnownHost(host, incoming?.socket.localPort))
      throw new ParleyError(
        'misdirected_request',
        `The host ${quote(host)} is not one of this server. Add it to allowedHosts if it is.`,
      )
  }

  function isKnownHost(host: string, port: number | undefined): boolean {
    if (allowedHosts.includes(host)) return true
    const [, name = '', given] = /^(\[[0-9a-f:]+\]|[^:]+)(?::(\d{1,5}))?$/i.exec(host) ?? []
    if (allowedHosts.includes(name)) return true
    return (
      loopbackNames.includes(name.toLowerCase()) && (port === undefined || (given ?? '80') === String(port))
    )
  }
}

const isOwnOrigin = (origin: string, host: string | undefined) =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)

const isHeaderName = /^[\w!#$%&'*+.^`|~-]{1,100}$/
// a client of OpenAI sends ten
const maxAskedHeaders = 50

const apiHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-API-Key',
  'X-Parley-Scope',
  'X-Parley-Session',
]

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Max-Age': '600',
}
