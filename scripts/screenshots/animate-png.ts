import { toPalette } from './palette.ts'
import { packRows, readPng, signature, toChunk, toHeader, type Box } from './png.ts'

export interface Frame {
  png: Buffer
  /** How long it is seen. */
  ms: number
}

/**
 * An animated PNG (APNG), which browsers show as they show a GIF, from pictures of one size. All share 256 colours, and
 * each frame but the first holds only the box in which it differs from the one before.
 */
export function animatePng(frames: readonly Frame[]): Buffer {
  const pictures = frames.map(({ png }) => readPng(png))
  const { width, height } = pictures[0]!
  const { bytes, indicesOf } = toPalette(pictures)
  const seen = pictures.map(indicesOf)
  const chunks: Buffer[] = []
  let sequence = 0
  const whole: Box = { x: 0, y: 0, width, height }
  let last: { ms: number; box: Box; indices: Uint8Array } = {
    ms: frames[0]!.ms,
    box: whole,
    indices: seen[0]!,
  }
  const kept = [last]
  frames.slice(1).forEach(({ ms }, index) => {
    const indices = seen[index + 1]!
    const box = findChange(last.indices, indices, width, height)
    // the same picture once more is the one before, seen for longer
    if (box) kept.push((last = { ms, box, indices }))
    else last.ms += ms
  })
  kept.forEach(({ ms, box, indices }, index) => {
    chunks.push(toChunk('fcTL', toControl(sequence++, box, ms)))
    const data = packRows(indices, width, box)
    chunks.push(
      index === 0 ? toChunk('IDAT', data) : toChunk('fdAT', Buffer.concat([toUint32(sequence++), data])),
    )
  })
  // 0 times: for ever
  const animation = toChunk('acTL', Buffer.concat([toUint32(kept.length), toUint32(0)]))
  return Buffer.concat([
    signature,
    toHeader(width, height),
    animation,
    toChunk('PLTE', bytes),
    ...chunks,
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

/** The smallest box outside of which two pictures are the same; undefined when they are everywhere. */
function findChange(before: Uint8Array, after: Uint8Array, width: number, height: number): Box | undefined {
  let [left, right, top, bottom] = [width, -1, height, -1]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (before[y * width + x] !== after[y * width + x]) {
        left = Math.min(left, x)
        right = Math.max(right, x)
        top = Math.min(top, y)
        bottom = y
      }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

/** Which part of the picture a frame replaces, and for how long it is seen. */
function toControl(sequence: number, { x, y, width, height }: Box, ms: number): Buffer {
  const times = Buffer.alloc(4)
  times.writeUInt16BE(ms, 0)
  times.writeUInt16BE(1_000, 2)
  // it stays when the next one comes, and takes the place of what was there
  return Buffer.concat([...[sequence, width, height, x, y].map(toUint32), times, Buffer.from([0, 0])])
}

function toUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
