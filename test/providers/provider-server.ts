import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a provider says, in no one's wire format; a `Wire` turns it into bytes. */
export interface WireReply {
  reasoning?: string
  /** What the provider wants back with its reasoning or its tool call. */
  signature?: string
  text?: string
  toolCalls?: { id: string; name: string; input: string }[]
  /** Into how many deltas reasoning, text and each tool input are split; default 3. */
  chunks?: number
  /** Default: `tool-calls` when there are any, else `stop`. */
  finish?: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal'
  usage?: { input: number; output: number; cacheRead?: number; cacheWrite?: number; reasoning?: number }
}

export interface WireError {
  type: string
  message: string
  code?: string
  status?: number
}

/** One provider's format of a streamed reply. A frame is one event with its blank line. */
export interface Wire {
  path: RegExp
  frames(reply: WireReply): string[]
  errorFrame(error: WireError): string
  errorBody(error: WireError): string
}

/** What the server does with one request. */
export type Behaviour =
  | ({ reply: WireReply } & StreamFaults)
  | ({ frames: string[] } & StreamFaults)
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Writes `start`, then `piece` until `bytes` are out or the reader goes away. */
  | { endless: { start: string; piece: string; bytes: number } }
  /** Takes the request and says nothing, not even a status. */
  | { never: true }

export interface StreamFaults {
  /** Cuts the connection after so many frames. */
  cutAfter?: number
  /** Cuts it inside the first character of more than one byte of that frame. */
  cutInsideCharacterOf?: number
  /** Ends the response properly after so many frames. */
  endAfter?: number
  /** Goes silent after so many frames and keeps the connection open. */
  stallAfter?: number
  /** Writes this text, as it is, before the frame of that number. */
  insert?: { at: number; text: string }
  /** Waits between frames; without it all frames are written at once. */
  everyMs?: number
  /** Writes every byte for itself. */
  writeBytes?: boolean
}

export interface SeenRequest {
  path: string
  headers: IncomingHttpHeaders
  /** The exact bytes of the body. */
  body: Buffer
}

export interface ProviderServer extends AsyncDisposable {
  readonly url: string
  /** Every request so far, oldest first; empty with `journal: false`. */
  readonly requests: SeenRequest[]
  /** How many bytes of endless streams were written. */
  readonly endlessBytes: number
  /** Requests that are neither answered nor given up. */
  readonly openRequests: number
  /** Behaviours for the next requests, one each. */
  script(...behaviours: Behaviour[]): void
  /** What happens when the script is used up; default: a reply that says "ok". */
  otherwise(behaviour: Behaviour): void
}

/** Starts a provider on a free port. Frames of a behaviour are built once, however often it is used. */
export async function startProviderServer(
  wire: Wire,
  options: { journal?: boolean; models?: readonly string[] } = {},
): Promise<ProviderServer> {
  const { journal = true, models } = options
  const requests: SeenRequest[] = []
  const queue: Behaviour[] = []
  const built = new WeakMap<Behaviour, Buffer[]>()
  let fallback: Behaviour = { reply: { text: 'ok' } }
  let endlessBytes = 0
  let openRequests = 0

  const framesOf = (behaviour: Behaviour): Buffer[] => {
    let frames = built.get(behaviour)
    if (!frames) built.set(behaviour, (frames = buildFrames(wire, behaviour)))
    return frames
  }

  const server = createServer((request, response) => {
    openRequests++
    response.once('close', () => openRequests--)
    const body: Buffer[] = []
    request.on('data', (chunk: Buffer) => journal && body.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      if (journal) requests.push({ path, headers: request.headers, body: Buffer.concat(body) })
      // as OpenAI and Anthropic list them
      if (models && request.method === 'GET' && /\/models(\?|$)/.test(path)) {
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify({ data: models.map((id) => ({ id })) }))
      }
      if (!wire.path.test(path)) return answerStatus(response, { status: 404, body: `no ${path} here` })
      const behaviour = queue.shift() ?? fallback
      if ('never' in behaviour) return
      if ('status' in behaviour) return answerStatus(response, behaviour)
      response.writeHead(200, streamHeaders)
      if ('endless' in behaviour)
        return writeEndlessly(response, behaviour.endless, (bytes) => (endlessBytes += bytes))
      writeFrames(request, response, framesOf(behaviour), behaviour)
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get endlessBytes() {
      return endlessBytes
    },
    get openRequests() {
      return openRequests
    },
    script: (...behaviours) => void queue.push(...behaviours),
    otherwise: (behaviour) => void (fallback = behaviour),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** Cuts a text into about equal pieces, never inside a character. */
export function split(text: string, pieces: number): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

function buildFrames(wire: Wire, behaviour: Behaviour): Buffer[] {
  const frames =
    'reply' in behaviour ? wire.frames(behaviour.reply) : 'frames' in behaviour ? behaviour.frames : []
  const faults = behaviour as StreamFaults
  if (faults.insert) frames.splice(faults.insert.at, 0, faults.insert.text)
  const buffers = frames.map((frame) => Buffer.from(frame))
  if (faults.writeBytes) return Array.from(Buffer.concat(buffers), (byte) => Buffer.of(byte))
  const torn = faults.cutInsideCharacterOf
  if (torn === undefined) return buffers
  const firstOfMany = buffers[torn]!.findIndex((byte) => byte >= 0xc0)
  if (firstOfMany < 0) throw new Error(`frame ${torn} has only characters of one byte: ${frames[torn]}`)
  return [...buffers.slice(0, torn), buffers[torn]!.subarray(0, firstOfMany + 1)]
}

function answerStatus(
  response: ServerResponse,
  { status, headers, body = '' }: { status: number; headers?: Record<string, string>; body?: string },
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

function writeFrames(
  request: IncomingMessage,
  response: ServerResponse,
  frames: Buffer[],
  faults: StreamFaults,
): void {
  const { cutAfter, cutInsideCharacterOf, endAfter, stallAfter, everyMs } = faults
  const last = Math.min(cutAfter ?? Infinity, endAfter ?? Infinity, stallAfter ?? Infinity, frames.length)
  const finish = () => {
    if (cutAfter !== undefined || cutInsideCharacterOf !== undefined)
      response.write('', () => request.socket.destroy())
    else if (stallAfter === undefined) response.end()
  }
  if (last === 0 || everyMs !== undefined) response.flushHeaders()
  if (everyMs === undefined) {
    for (let index = 0; index < last; index++) response.write(frames[index]!)
    // a cut comes when what was written is on its way
    return void setImmediate(finish)
  }
  let index = 0
  const timer = setInterval(() => {
    if (index < last && !response.destroyed) return void response.write(frames[index++]!)
    clearInterval(timer)
    finish()
  }, everyMs)
}

function writeEndlessly(
  response: ServerResponse,
  { start, piece, bytes }: { start: string; piece: string; bytes: number },
  count: (bytes: number) => void,
): void {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  let left = bytes
  response.write(start)
  const write = () => {
    while (left > 0 && !response.destroyed) {
      left -= block.length
      count(block.length)
      if (!response.write(block)) return void response.once('drain', write)
    }
    response.end()
  }
  write()
}
