import type { Context, MiddlewareHandler } from 'hono'
import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { parseJsonBody, requireCleanJson, requireCleanText } from '../protocol/json.ts'
import {
  type BodyClass,
  type BodyLimit,
  defaultJsonValues,
  limitOf,
  type ServerLimits,
} from './body-class.ts'
import type { AppEnv } from './request-environment.ts'
import { requireFewValues } from './json-size.ts'

/**
 * Refuses what is too large before it is read, and what would be trouble further in before any route sees it. Imports
 * are checked by their route, which has them read in a thread of their own.
 */
export function checkBody(
  limits: ServerLimits,
  classOf: (method: string, path: string) => BodyClass,
): MiddlewareHandler<AppEnv> {
  const { jsonDepth, jsonValues = defaultJsonValues } = limits
  return async (c, next) => {
    for (const [name, values] of Object.entries(c.req.queries()))
      for (const value of values) requireCleanText(value, () => `the query parameter ${quote(name)}`)
    if (c.req.raw.body !== null) {
      const kind = classOf(c.req.method, c.req.path)
      if (kind === 'file') {
        requireFileType(c.req.header('content-type') ?? '')
        return next()
      }
      const bytes = await readBody(c, limitOf(kind, limits))
      const type = c.req.header('content-type') ?? ''
      const isImport =
        kind === 'document' && (isJson(type) || importTypes.some((known) => type.startsWith(known)))
      if (isImport) keepText(c, decode(bytes))
      else if (isJson(type)) {
        await requireFewValues(new Uint8Array(bytes), jsonValues)
        const value = parseJsonBody(keepText(c, decode(bytes)))
        requireCleanJson(value, jsonDepth)
        // the validator of the route would parse it again
        if (value !== undefined) c.req.json = () => Promise.resolve(value as never)
      } else if (decode(bytes) !== '')
        throw new ParleyError(
          'unsupported_media_type',
          `The content type is ${quote(type)}; send application/json.`,
        )
    }
    await next()
  }
}

/** For routes that cannot do without: an empty body would pass for an object without fields. */
export const requireBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() === '') throw invalidRequest('The request needs a JSON body.')
  await next()
}

/** For routes that can do without: an empty body is an object without fields, whatever its content type. */
export const optionalBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() === '')
    // the cache holds promises, whatever its type says
    c.req.bodyCache.text = Promise.resolve('{}') as unknown as string
  await next()
}

// the cache holds promises, whatever its type says
function keepText(c: Context<AppEnv>, text: string): string {
  c.req.bodyCache.text = Promise.resolve(text) as unknown as string
  return text
}

async function readBody(c: Context<AppEnv>, limit: BodyLimit): Promise<ArrayBuffer> {
  const announced = c.req.header('content-length')
  if (announced !== undefined && Number(announced) > limit.bytes) throw tooLarge(limit)
  if (announced !== undefined) return c.req.arrayBuffer().catch(refuseBroken)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of c.req.raw.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit.bytes) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ParleyError) throw error
    refuseBroken(error)
  }
  const bytes = new Uint8Array(Buffer.concat(chunks)).buffer
  // routes read the body again, from here; the cache holds promises, whatever its type says
  c.req.bodyCache.arrayBuffer = Promise.resolve(bytes) as unknown as ArrayBuffer
  return bytes
}

function refuseBroken(cause: unknown): never {
  throw new ParleyError('invalid_request', 'The connection ended before the body did.', { cause })
}

const tooLarge = ({ bytes, setting }: BodyLimit) =>
  new ParleyError('payload_too_large', `The body is larger than ${bytes} bytes (${setting}).`)

/** Exported sessions in other formats than JSON; forms and plain text are left out, since any web page can send those. */
export const importTypes = ['application/yaml', 'application/x-ndjson', 'application/jsonl', 'text/markdown']

/** Files of any format, as they are. */
export const fileTypes = ['application/octet-stream', 'application/zip', 'application/json', ...importTypes]

function requireFileType(type: string): void {
  if (fileTypes.some((known) => type.startsWith(known))) return
  throw new ParleyError(
    'unsupported_media_type',
    `The content type is ${quote(type)}; send application/octet-stream, or ${fileTypes.slice(1).join(', ')}.`,
  )
}

/** The same test that the routes' own validator makes. */
export const isJson = (type: string) =>
  /^application\/([a-z-.]+\+)?json(;\s*[a-zA-Z0-9-]+=([^;]+))*$/i.test(type)

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidRequest('The body is not valid UTF-8.')
  }
}
