import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { quote } from '../protocol/error.ts'
import { httpRequest, httpsRequest } from '../shared/node-http.ts'
import type { AddressRules } from './address-rules.ts'
import { hostOf } from './request-target.ts'

export type Resolve = (hostname: string) => Promise<string[]>

export interface RequestDeps {
  resolve: Resolve
  rules: AddressRules
  /** The setting that names hosts which may be reached although they are not public. */
  allowedBy: string
}

export interface CheckedRequest {
  method: 'GET' | 'POST'
  headers: OutgoingHttpHeaders
  body?: string
  signal: AbortSignal
}

/** As the system does it, its hosts file included. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

/**
 * Sends one request without ever connecting to an address that the rules do not allow: a name is looked up once, all its
 * addresses are checked, and the connection goes to one of those. Follows no redirect and uses no proxy: that would look
 * the name up again, elsewhere.
 */
export async function sendChecked(
  deps: RequestDeps,
  url: URL,
  request: CheckedRequest,
): Promise<IncomingMessage> {
  const addresses = await checkedAddresses(deps, url, request.signal)
  const { method, headers, body, signal } = request
  const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    method,
    host: hostOf(url),
    port: url.port || undefined,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers },
    // a connection of its own, without the proxies that the shared one may have
    agent: false,
    lookup: answerWith(addresses),
    signal,
  })
  sent.end(body)
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    // stays: it may fail again after its head has arrived, which readers of the body notice
    sent.on('error', reject)
    // an answer that changes the protocol is neither
    sent.once('close', () => reject(new Error(`${url.origin} closed the connection without an answer.`)))
  })
}

async function checkedAddresses(
  { resolve, rules, allowedBy }: RequestDeps,
  url: URL,
  signal: AbortSignal,
): Promise<string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await Promise.race([resolve(host), untilAborted(signal)])
  if (addresses.length === 0) throw new Error(`${quote(host)} has no address.`)
  // one bad address is enough: the owner of the name could intend it
  if (!addresses.every((address) => rules.isAllowed(host, address)))
    throw new Error(`${quote(host)} is not on the public internet, and ${allowedBy} does not name it.`)
  return addresses
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

const answerWith =
  (addresses: string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const answers = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all) callback(null, answers)
    else callback(null, answers[0]!.address, answers[0]!.family)
  }
