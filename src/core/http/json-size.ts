import { setImmediate as others } from 'node:timers/promises'
import { invalidRequest, ParleyError } from '../protocol/error.ts'

// a slice of the text takes a few milliseconds
const bytesAtOnce = 1_048_576
// recursive readers come nowhere near their end; the exact depth is checked on the value, where it has a name
const deepest = 2_000

const [quotes, comma, openList, backslash, openObject] = [0x22, 0x2c, 0x5b, 0x5c, 0x7b]
const [closeList, closeObject] = [0x5d, 0x7d]

/**
 * Refuses JSON with more values than a reader and its checks get through in moments, before any of it is parsed.
 * Counts what opens and separates values; whether the text is JSON at all is decided by the parser.
 */
export async function requireFewValues(bytes: Uint8Array, maxValues: number): Promise<void> {
  const found = { values: 0, depth: 0, isInText: false, isEscaped: false }
  for (let start = 0; start < bytes.length; start += bytesAtOnce) {
    if (start > 0) await others()
    count(bytes, start, Math.min(start + bytesAtOnce, bytes.length), found, maxValues)
  }
}

interface Found {
  values: number
  depth: number
  isInText: boolean
  isEscaped: boolean
}

function count(bytes: Uint8Array, from: number, to: number, found: Found, maxValues: number): void {
  let { values, depth, isInText, isEscaped } = found
  for (let at = from; at < to; at++) {
    const byte = bytes[at]
    if (isInText) {
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quotes) isInText = false
    } else if (byte === quotes) isInText = true
    else if (byte === comma) values++
    else if (byte === openList || byte === openObject) {
      values++
      if (++depth > deepest) throw tooDeep()
    } else if (byte === closeList || byte === closeObject) depth--
    if (values > maxValues) throw tooManyValues(maxValues)
  }
  Object.assign(found, { values, depth, isInText, isEscaped })
}

const tooDeep = () => invalidRequest('The body is nested too deeply; the limit is limits.jsonDepth.')

const tooManyValues = (maxValues: number) =>
  new ParleyError('payload_too_large', `The body holds more than ${maxValues} values (limits.jsonValues).`)
