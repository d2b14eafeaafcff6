import { connect, type Socket } from 'node:net'
import { WebSocket, type ClientOptions } from 'ws'
import type { EventFrame } from '../src/core/protocol/event-socket.ts'
import type { ScopeEvent } from '../src/core/protocol/event.ts'

export interface FollowOptions extends ClientOptions {
  after?: number | string
  scope?: string
  /** More of the query, as it is. */
  query?: string
  protocols?: string[]
}

export interface Follower {
  socket: WebSocket
  frames: EventFrame[]
  /** Resolves with the code and the reason. */
  closed: Promise<[code: number, reason: string]>
  /** Waits until so many frames are there, and answers their numbers. */
  seqs(count: number): Promise<number[]>
  close(): Promise<void>
}

export const eventsUrl = (url: string, { after, scope, query }: FollowOptions = {}) => {
  const search = [
    ...(scope === undefined ? [] : [`scope=${scope}`]),
    ...(after === undefined ? [] : [`after=${after}`]),
    ...(query === undefined ? [] : [query]),
  ]
  return `${url.replace(/^http/, 'ws')}/api/events${search.length > 0 ? `?${search.join('&')}` : ''}`
}

/** A client that keeps what it is sent. Rejects with the answer when it is not let in. */
export async function follow(url: string, options: FollowOptions = {}): Promise<Follower> {
  const { after: _after, scope: _scope, query: _query, protocols = [], ...rest } = options
  const socket = new WebSocket(eventsUrl(url, options), protocols, rest)
  const frames: EventFrame[] = []
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as EventFrame))
  const closed = new Promise<[number, string]>((resolve) =>
    socket.on('close', (code, reason) => resolve([code, String(reason)])),
  )
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => reject(new Refused(response.statusCode ?? 0, text, response.headers)))
    })
  })
  return {
    socket,
    frames,
    closed,
    seqs: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (frames.length < count) return
          socket.off('message', look)
          resolve(frames.map(({ seq }) => seq))
        }
        socket.on('message', look)
        void closed.then(() => reject(new Error(`${frames.length} of ${count} frames came`)))
        look()
      }),
    async close() {
      socket.close()
      await closed
    },
  }
}

/** How a handshake was answered that led to no socket. */
export class Refused extends Error {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, unknown>

  constructor(status: number, text: string, headers: Record<string, unknown>) {
    super(`${status} ${text}`)
    this.status = status
    this.text = text
    this.headers = headers
  }
}

export async function refusalOf(url: string, options: FollowOptions = {}): Promise<Refused> {
  try {
    await (await follow(url, options)).close()
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  throw new Error(`${eventsUrl(url, options)} was let in`)
}

export const handshake = (port: number, ...lines: string[]) =>
  [
    'GET /api/events?after=0 HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...lines,
    '\r\n',
  ].join('\r\n')

/** A peer that knows nothing of the protocol after the handshake: it never answers, unless it is told what. */
export async function rawSocket(port: number): Promise<{
  socket: Socket
  write(bytes: Uint8Array): void
  /** How many it was sent so far. */
  pings(): number
  /** The code of the close frame; undefined when the connection just ended. */
  ended: Promise<number | undefined>
}> {
  const socket = connect(port, '127.0.0.1')
  let received = Buffer.alloc(0)
  socket.on('error', () => {}) // a reset; `close` follows
  const ended = new Promise<number | undefined>((resolve) =>
    socket.on('close', () => resolve(closeCodeOf(received))),
  )
  socket.write(handshake(port))
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      if (!received.toString('latin1').startsWith('HTTP/1.1 101')) reject(new Error(received.toString()))
      socket.off('data', onData)
      received = received.subarray(end + 4)
      socket.on('data', (more: Buffer) => {
        received = Buffer.concat([received, more])
        if (closeCodeOf(received) !== undefined) socket.destroy()
      })
      resolve()
    }
    socket.on('data', onData)
    socket.on('close', () => reject(new Error(`closed before the handshake: ${received.toString()}`)))
  })
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    pings: () => [...framesIn(received)].filter(({ opcode }) => opcode === 9).length,
    ended,
  }
}

/** A frame as a client sends it; `mask: false` is what only a server may send. */
export function frameOf(opcode: number, payload: Uint8Array, { mask = true, fin = true } = {}): Buffer {
  const size = payload.length
  const length =
    size < 126
      ? Buffer.from([size])
      : size < 65_536
        ? Buffer.from([126, size >> 8, size & 255])
        : Buffer.concat([Buffer.from([127]), toEightBytes(size)])
  length[0]! |= mask ? 128 : 0
  const head = Buffer.from([(fin ? 128 : 0) | opcode])
  // a mask of zeroes leaves the payload as it is
  return Buffer.concat([head, length, mask ? Buffer.alloc(4) : Buffer.alloc(0), payload])
}

function toEightBytes(size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(size))
  return bytes
}

function closeCodeOf(bytes: Buffer): number | undefined {
  for (const { opcode, payload } of framesIn(bytes)) if (opcode === 8) return payload.readUInt16BE(0)
  return undefined
}

/** Those of a server, as far as they are whole. */
function* framesIn(bytes: Buffer): Generator<{ opcode: number; payload: Buffer }> {
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = bytes[at + 1]! & 127
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    if (at + head > bytes.length) return
    const size =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (at + head + size > bytes.length) return
    yield { opcode: bytes[at]! & 15, payload: bytes.subarray(at + head, at + head + size) }
    at += head + size
  }
}

export const isEvent = (frame: EventFrame): frame is ScopeEvent => 'createdAt' in frame

export const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
