import type { Context, MiddlewareHandler } from 'hono'
import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { requireCleanJson, requireCleanText } from '../protocol/json.ts'
import type { AppEnv, ServerLimits } from './environment.ts'

/** Refuses what is too large before it is read, and what would be trouble further in before any route sees it. */
export function checkBody(limits: ServerLimits): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    for (const [name, values] of Object.entries(c.req.queries()))
      for (const value of values) requireCleanText(value, () => `the query parameter ${quote(name)}`)
    if (c.req.raw.body !== null) {
      const text = decode(await readBody(c, limits.bodyBytes))
      const type = c.req.header('content-type') ?? ''
      if (isJson(type)) checkJson(c, parse(text), limits)
      else if (text !== '' && !(isImport(c) && documentTypes.some((known) => type.startsWith(known))))
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

/** For routes that can do without: an empty body is an object without fields, whatever its type says. */
export const optionalBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() === '')
    // the cache holds promises, whatever its type says
    c.req.bodyCache.text = Promise.resolve('{}') as unknown as string
  await next()
}

/** A document holds its messages a few levels deeper than the requests that appended them. */
const documentLevels = 8

function checkJson(c: Context, value: unknown, { jsonDepth }: ServerLimits): void {
  requireCleanJson(value, isImport(c) ? jsonDepth + documentLevels : jsonDepth)
}

const isImport = (c: Context) => c.req.path === '/api/sessions/import'

async function readBody(c: Context<AppEnv>, limit: number): Promise<ArrayBuffer> {
  const announced = c.req.header('content-length')
  if (announced !== undefined && Number(announced) > limit) throw tooLarge(limit)
  if (announced !== undefined) return c.req.arrayBuffer().catch(refuseBroken)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of c.req.raw.body as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
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

const tooLarge = (limit: number) =>
  new ParleyError('payload_too_large', `The body is larger than ${limit} bytes (limits.bodyBytes).`)

/** Session documents in other formats; forms and plain text are left out, since any web page can send those. */
export const documentTypes = [
  'application/yaml',
  'application/x-ndjson',
  'application/jsonl',
  'text/markdown',
]

// the same test that the routes' own validator makes
const isJson = (type: string) => /^application\/([a-z-.]+\+)?json(;\s*[a-zA-Z0-9-]+=([^;]+))*$/i.test(type)

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidRequest('The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidRequest(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
}
