import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { quote } from '../../protocol/error.ts'
import { httpGet, httpsGet } from '../../shared/node-http.ts'
import type { AddressRules } from './address.ts'
import { hostOf, requireTarget } from './target.ts'

export type Resolve = (hostname: string) => Promise<string[]>

export interface GetDeps {
  resolve: Resolve
  rules: AddressRules
}

export interface Fetched {
  /** After redirects. */
  url: URL
  status: number
  contentType: string
  body: Buffer
  /** Whether there was more than `maxBytes`, unpacked. */
  isCut: boolean
}

const maxRedirects = 5

/**
 * Gets a page without ever connecting to an address that the rules do not allow: a name is looked up once, all its
 * addresses are checked, and the connection goes to one of those. Each redirect is a new page. Sends no cookies and no
 * keys, and uses no proxy: that would look the name up again, elsewhere.
 */
export async function getPage(
  deps: GetDeps,
  target: URL,
  {
    maxBytes,
    accepts,
    signal,
  }: { maxBytes: number; accepts(contentType: string): boolean; signal: AbortSignal },
): Promise<Fetched> {
  for (let url = target, redirects = 0; ; redirects++) {
    const response = await request(url, await checkedAddresses(deps, url, signal), signal)
    try {
      const { statusCode: status = 0, headers } = response
      if (isRedirect(status) && headers.location !== undefined) {
        if (redirects === maxRedirects) throw new Error(`The page redirects more than ${maxRedirects} times.`)
        url = requireTarget(headers.location, url)
        // what was allowed was that host: another one is asked about anew, when the model goes there
        if (nameOf(url) !== nameOf(target))
          throw new Error(
            `The page redirects to ${quote(url.href, 500)}. Fetch that address if it is what you want.`,
          )
        continue
      }
      const contentType = headers['content-type'] ?? ''
      if (!accepts(contentType))
        throw new Error(
          `The page is ${quote(contentType)}, which is not text. Only text, HTML, JSON and XML can be read.`,
        )
      return { url, status, contentType, ...(await readBody(response, maxBytes)) }
    } finally {
      response.destroy()
    }
  }
}

const nameOf = (url: URL) => hostOf(url).replace(/^www\./, '')

/** As the system does it, its hosts file included. */
export const resolveBySystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

async function checkedAddresses(
  { resolve, rules }: GetDeps,
  url: URL,
  signal: AbortSignal,
): Promise<string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await Promise.race([resolve(host), untilAborted(signal)])
  if (addresses.length === 0) throw new Error(`${quote(host)} has no address.`)
  // one bad address is enough: whoever answers for the name could mean it
  if (!addresses.every((address) => rules.isAllowed(host, address)))
    throw new Error(
      `${quote(host)} is not on the public internet, and web.allowPrivate does not name it. Only public pages can be read.`,
    )
  return addresses
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

function request(url: URL, addresses: string[], signal: AbortSignal): Promise<IncomingMessage> {
  const sent = (url.protocol === 'https:' ? httpsGet : httpGet)({
    host: hostOf(url),
    port: url.port || undefined,
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      'user-agent': 'Mozilla/5.0 (compatible; Parley)',
      accept:
        'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1',
      'accept-encoding': 'gzip, br',
    },
    // a connection of its own, without the proxies that the shared one may have
    agent: false,
    lookup: answerWith(addresses),
    signal,
  })
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    // stays: it may fail again after its head has come, which the body tells to those who read it
    sent.on('error', reject)
    // an answer that changes the protocol is neither
    sent.once('close', () => reject(new Error(`${url.origin} closed the connection without an answer.`)))
  })
}

const answerWith =
  (addresses: string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const answers = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all) callback(null, answers)
    else callback(null, answers[0]!.address, answers[0]!.family)
  }

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

/** Stops reading where it is enough: neither an endless body nor one that unpacks to a thousand times its size is kept. */
async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of unpack(response)) {
    chunks.push(chunk)
    length += (chunk as Buffer).length
    if (length > maxBytes) break
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes }
}

function unpack(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const unpacker = unpackers[encoding]?.()
  if (!unpacker) throw new Error(`The page is packed as ${quote(encoding)}, which cannot be unpacked.`)
  // failures reach whoever reads the unpacked side
  return pipeline(response, unpacker, () => {})
}

// many servers leave out the end of the stream
const lenient = { finishFlush: constants.Z_SYNC_FLUSH }
const unpackers: Record<string, () => ReturnType<typeof createGunzip | typeof createBrotliDecompress>> = {
  gzip: () => createGunzip(lenient),
  'x-gzip': () => createGunzip(lenient),
  deflate: () => createInflate(lenient),
  br: () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }),
}
