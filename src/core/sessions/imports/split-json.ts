import { invalidRequest, ParleyError } from '../../protocol/error.ts'
import type { ImportLimits } from '../../protocol/import-limits.ts'

/** A value of a file, not parsed yet. */
export interface RawValue {
  bytes: Buffer
  /** The line on which it begins, from 1. */
  line: number
}

type Limits = Pick<ImportLimits, 'conversationBytes' | 'depth' | 'values'>

/**
 * The items of a JSON list, or the values that follow one another: one per line, or a single one over many lines. Never
 * holds more than one value, and looks at structure alone: whether a value is valid, its parser finds out. A file of lines
 * may end in the middle of one, as a log does that is still being written: `onTorn` is called with its line.
 */
export async function* splitJson(
  stream: AsyncIterable<Buffer>,
  limits: Limits,
  onTorn: (line: number) => void = () => {},
): AsyncGenerator<RawValue> {
  const splitter = createSplitter(limits)
  for await (const chunk of stream) yield* splitter.push(chunk)
  yield* splitter.end(onTorn)
}

const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20]
const [quotes, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
// UTF-8 writes U+FEFF so
const mark = [0xef, 0xbb, 0xbf]

const isBlank = (byte: number) =>
  byte === blank || byte === lineFeed || byte === carriageReturn || byte === tab

function createSplitter({ conversationBytes, depth: maxDepth, values: maxValues }: Limits) {
  // what the file is: its first value decides whether values end with their lines
  let shape: 'unknown' | 'list' | 'lines' | 'spread' = 'unknown'
  let isAfterList = false
  let wantsComma = false
  let isAfterComma = false
  let count = 0
  let line = 1

  // the value that is being read
  let isInside = false
  let isScalar = false
  let depth = 0
  let values = 0
  let isInText = false
  let isEscaped = false
  let startLine = 1
  let kept: Buffer[] = []
  let keptBytes = 0
  let hasLineBreak = false

  function keep(piece: Buffer): void {
    keptBytes += piece.length
    if (keptBytes > conversationBytes)
      throw new ParleyError(
        'payload_too_large',
        `The conversation that begins on line ${startLine} is larger than ${conversationBytes} bytes (imports.conversationBytes).`,
      )
    // a copy: what is left of the chunk is not held for as long as the value
    if (piece.length > 0) kept.push(Buffer.from(piece))
  }

  function finish(): RawValue {
    const value = { bytes: kept.length === 1 ? kept[0]! : Buffer.concat(kept), line: startLine }
    if (shape === 'unknown') shape = hasLineBreak ? 'spread' : 'lines'
    isInside = isScalar = isInText = isEscaped = hasLineBreak = false
    depth = values = 0
    kept = []
    keptBytes = 0
    count++
    wantsComma = shape === 'list'
    isAfterComma = false
    return value
  }

  /** Between two values; true when the byte begins one. */
  function isStart(byte: number): boolean {
    if (isBlank(byte)) return false
    if (shape === 'unknown' && mark.includes(byte)) return false
    if (isAfterList) throw invalidRequest(`Line ${line}: something follows the end of the list.`)
    if (shape === 'unknown' && byte === openList) {
      shape = 'list'
      return false
    }
    if (shape !== 'list') return true
    if (byte === closeList) {
      if (isAfterComma) throw invalidRequest(`Line ${line}: the list ends after a comma.`)
      isAfterList = true
      return false
    }
    if (byte === comma) {
      if (!wantsComma) throw invalidRequest(`Line ${line}: a comma where a value belongs.`)
      wantsComma = false
      isAfterComma = true
      return false
    }
    if (wantsComma) throw invalidRequest(`Line ${line}: a comma is missing between two values of the list.`)
    return true
  }

  function* push(chunk: Buffer): Generator<RawValue> {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (isInText && byte !== lineFeed) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quotes) {
          isInText = false
          if (depth === 0) {
            keep(chunk.subarray(from, at + 1))
            yield finish()
          }
        }
        continue
      }
      if (!isInside) {
        if (byte === lineFeed) line++
        if (!isStart(byte)) continue
        isInside = true
        startLine = line
        from = at
        isScalar = byte !== openList && byte !== openObject && byte !== quotes
      } else if (byte === lineFeed) {
        // a line that is not whole ends with itself and does not swallow those that follow; its parser reports it
        if (shape === 'lines') {
          keep(chunk.subarray(from, at))
          yield finish()
          line++
          continue
        }
        line++
        hasLineBreak = true
      }
      if (isScalar) {
        const isEnd = isBlank(byte) || (shape === 'list' && (byte === comma || byte === closeList))
        if (!isEnd) continue
        keep(chunk.subarray(from, at))
        yield finish()
        // what ended it is looked at again, as something between two values
        if (byte === lineFeed) line--
        at--
        continue
      }
      // parsed, a value of two characters takes fifty bytes
      if ((byte === comma || byte === openList || byte === openObject) && ++values > maxValues)
        throw new ParleyError(
          'payload_too_large',
          `The conversation that begins on line ${startLine} holds more than ${maxValues} values (imports.values).`,
        )
      if (byte === quotes) isInText = true
      else if (byte === openList || byte === openObject) {
        if (++depth > maxDepth)
          throw invalidRequest(`Line ${line}: nested more than ${maxDepth} levels deep (imports.depth).`)
      } else if (byte === closeList || byte === closeObject) {
        if (--depth > 0) continue
        keep(chunk.subarray(from, at + 1))
        yield finish()
      }
    }
    if (isInside) keep(chunk.subarray(from))
  }

  function* end(onTorn: (line: number) => void): Generator<RawValue> {
    if (isInside && isScalar && shape !== 'list') return void (yield finish())
    const isCut = isInside || (shape === 'list' && !isAfterList)
    if (!isCut) return
    if (shape === 'lines') return onTorn(startLine)
    throw invalidRequest(
      count === 0
        ? `The file ends in the middle of its first value, which begins on line ${startLine}; it was cut off.`
        : `The file ends after ${count} values, before its list does; it was cut off.`,
    )
  }

  return { push, end }
}
