import { toPalette } from './palette.ts'
import { packRows, readPng, signature, toChunk, toHeader } from './png.ts'

/**
 * The same picture with at most 256 colours, a third of the size: the pages use a few dozen, and the rest are the
 * soft edges of letters.
 */
export function shrinkPng(png: Buffer): Buffer {
  const picture = readPng(png)
  const { width, height } = picture
  const { bytes, indicesOf } = toPalette([picture])
  return Buffer.concat([
    signature,
    toHeader(width, height),
    toChunk('PLTE', bytes),
    toChunk('IDAT', packRows(indicesOf(picture), width, { x: 0, y: 0, width, height })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}
