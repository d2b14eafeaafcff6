import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const maxColours = 256

/**
 * The same picture with at most 256 colours, a third of the size: the pages use a few dozen, and the rest are the
 * soft edges of letters. Takes what a browser makes: eight bits, three or four channels, not interlaced.
 */
export function shrinkPng(png: Buffer): Buffer {
  const chunks = readChunks(png)
  const header = chunks.find(({ type }) => type === 'IHDR')!.data
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const channels = { 2: 3, 6: 4 }[header[9]!]
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) return png
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const pixels = unfilter(inflateSync(packed), width * channels, height, channels)
  const { palette, indexOf } = toPalette(pixels, channels)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + x + 1] = indexOf(colourAt(pixels, (y * width + x) * channels))
  header[9] = 3
  return Buffer.concat([
    signature,
    toChunk('IHDR', header),
    toChunk('PLTE', palette),
    toChunk('IDAT', deflateSync(rows, { level: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

function readChunks(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: Buffer.from(png.subarray(at + 8, at + 8 + length)),
    })
    at += length + 12
  }
  return chunks
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

/** Each row is stored as differences from what is left of it and above it. */
function unfilter(raw: Buffer, stride: number, height: number, step: number): Buffer {
  const out = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x >= step ? out[at - step]! : 0
      const up = y > 0 ? out[at - stride]! : 0
      const corner = x >= step && y > 0 ? out[at - stride - step]! : 0
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!
      out[at] = (raw[y * (stride + 1) + x + 1]! + guess) & 0xff
    }
  }
  return out
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [dl, du, dc] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return dl <= du && dl <= dc ? left : du <= dc ? up : corner
}

const colourAt = (pixels: Buffer, at: number) =>
  (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!

/** The colours used most; any other becomes the nearest of them. */
function toPalette(pixels: Buffer, channels: number) {
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(pixels, at)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const colours = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxColours)
    .map(([colour]) => colour)
  const known = new Map(colours.map((colour, index) => [colour, index]))
  return {
    palette: Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff])),
    indexOf(colour: number): number {
      let index = known.get(colour)
      if (index === undefined) known.set(colour, (index = nearest(colours, colour)))
      return index
    },
  }
}

function nearest(colours: readonly number[], wanted: number): number {
  let best = 0
  let least = Infinity
  colours.forEach((colour, index) => {
    const [red, green, blue] = [16, 8, 0].map((bits) => ((colour >> bits) & 0xff) - ((wanted >> bits) & 0xff))
    const distance = red! ** 2 + green! ** 2 + blue! ** 2
    if (distance < least) [best, least] = [index, distance]
  })
  return best
}
