import { isObject } from '../shared/type-checks.ts'
import type { ModelRequest, ReplyFormat } from './adapter.ts'
import { ModelFault } from './fault.ts'

type Stream<Item> = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<Item>

/** Any object: models are held to JSON by it, and to nothing more. */
const anyObject = { type: 'object' }

/**
 * Asks for the format of a reply as long as the model takes it. A request that is refused with it is made once more with
 * less of it: a schema gives way to JSON of any form, and that to none. Where that helps, what was refused is not
 * requested again: no request fails because of it.
 */
export function tryReplyFormat<Item>(stream: Stream<Item>): Stream<Item> {
  const refused = new Set<Kind>()

  async function* streamWith(request: ModelRequest, signal: AbortSignal): AsyncGenerator<Item> {
    const formats = formatsOf(request.replyFormat!).filter((format) => !refused.has(kindOf(format)))
    for (const [index, replyFormat] of formats.entries()) {
      let hasBegun = false
      try {
        for await (const item of stream({ ...request, replyFormat }, signal)) {
          if (!hasBegun) for (const earlier of formats.slice(0, index)) refused.add(kindOf(earlier))
          hasBegun = true
          yield item
        }
        return
      } catch (error) {
        if (hasBegun || replyFormat === undefined || !isRefusal(error)) throw error
      }
    }
  }

  return (request, signal) => (request.replyFormat ? streamWith(request, signal) : stream(request, signal))
}

type Kind = 'closed' | 'open' | 'none'

const kindOf = (format: ReplyFormat | undefined): Kind =>
  format === undefined ? 'none' : isClosed(format.schema) ? 'closed' : 'open'

/** From what was asked for down to nothing. */
const formatsOf = (format: ReplyFormat): (ReplyFormat | undefined)[] =>
  isClosed(format.schema) ? [format, { ...format, schema: anyObject }, undefined] : [format, undefined]

/**
 * Whether a schema says of every value in it what it is. Some providers close what is open: they would leave those places
 * empty.
 */
export function isClosed(schema: unknown): boolean {
  if (schema === true || !isObject(schema)) return schema === false
  const { type, properties, additionalProperties, items, prefixItems, $defs, anyOf, oneOf, allOf } = schema
  const inner = [anyOf, oneOf, allOf, prefixItems].flatMap((list) => (Array.isArray(list) ? list : []))
  const defined = isObject($defs) ? Object.values($defs) : []
  if (![...inner, ...defined].every(isClosed)) return false
  if ('enum' in schema || 'const' in schema || '$ref' in schema) return true
  const types = Array.isArray(type) ? type : [type]
  if (types.includes('object') || properties !== undefined)
    return (
      isObject(properties) &&
      (additionalProperties === undefined || additionalProperties === false) &&
      !('patternProperties' in schema) &&
      Object.values(properties).every(isClosed)
    )
  if (types.includes('array')) return prefixItems !== undefined || isClosed(items)
  return type !== undefined || inner.length > 0
}

/** Without a status it was the SDK that could not express it; a redirect has nothing to do with it. */
const isRefusal = (error: unknown) =>
  error instanceof ModelFault && error.kind === 'bad-request' && (error.status ?? 400) >= 400
