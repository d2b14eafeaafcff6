import { crc32, deflateSync, inflateSync } from 'node:zlib'

export const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A picture as a browser makes it: eight bits, three or four channels, not interlaced. */
export interface Picture {
  width: number
  height: number
  channels: number
  pixels: Buffer
}

export function readPng(png: Buffer): Picture {
  const chunks = readChunks(png)
  const header = chunks.find(({ type }) => type === 'IHDR')!.data
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const channels = { 2: 3, 6: 4 }[header[9]!]
  if (header[8] !== 8 || channels === undefined || header[12] !== 0)
    throw new Error('This is no PNG as a browser makes it.')
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  return {
    width,
    height,
    channels,
    pixels: unfilter(inflateSync(packed), width * channels, height, channels),
  }
}

/** The chunk that says how large a picture is whose pixels are numbers of colours. */
export function toHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  return toChunk('IHDR', header)
}

/** A part of a picture of `width` whose pixels are numbers of colours, packed; each row begins with a 0: no filter. */
export function packRows(indices: Uint8Array, width: number, box: Box): Buffer {
  const rows = Buffer.alloc((box.width + 1) * box.height)
  for (let y = 0; y < box.height; y++) {
    const from = (box.y + y) * width + box.x
    rows.set(indices.subarray(from, from + box.width), y * (box.width + 1) + 1)
  }
  return deflateSync(rows, { level: 9 })
}

export interface Box {
  x: number
  y: number
  width: number
  height: number
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

export function toChunk(type: string, data: Buffer): Buffer {
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
