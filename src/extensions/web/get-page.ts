import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { quote } from '../../core/protocol/error.ts'
import { sendChecked, type RequestDeps } from '../../core/net/checked-request.ts'
import { hostOf, requireTarget } from '../../core/net/request-target.ts'

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

const headers = {
  'user-agent': 'Mozilla/5.0 (compatible; Parley)',
  accept:
    'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br',
}

/**
 * Gets a page without ever connecting to an address that the rules do not allow. Each redirect is a new page. Sends no
 * cookies and no keys.
 */
export async function getPage(
  deps: RequestDeps,
  target: URL,
  {
    maxBytes,
    accepts,
    mayContinue,
    signal,
  }: {
    maxBytes: number
    accepts(contentType: string): boolean
    mayContinue?(address: string): Promise<boolean>
    signal: AbortSignal
  },
): Promise<Fetched> {
  for (let url = target, redirects = 0; ; redirects++) {
    const response = await sendChecked(deps, url, { method: 'GET', headers, signal })
    try {
      const { statusCode: status = 0 } = response
      const { location, 'content-type': contentType = '' } = response.headers
      if (isRedirect(status) && location !== undefined) {
        if (redirects === maxRedirects) throw new Error(`The page redirects more than ${maxRedirects} times.`)
        url = requireTarget(location, url)
        // only that host was allowed, and rules may close a part of it: the model has to request the new address itself
        if (nameOf(url) !== nameOf(target) || (await mayContinue?.(url.href)) === false)
          throw new Error(
            `The page redirects to ${quote(url.href, 500)}. Fetch that address if it is what you want.`,
          )
        continue
      }
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

/** The usual ports are one: most redirects lead from http to https. */
const nameOf = (url: URL) => `${hostOf(url).replace(/^www\./, '')}:${url.port}`

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
  // the reader of the unpacked side gets the errors
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
