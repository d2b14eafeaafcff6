import { ParleyError } from '../core/protocol/error.ts'
import { socketProtocol, toKeyProtocol, type EventFrame } from '../core/protocol/event-socket.ts'
import type { EventPage } from '../core/protocol/event.ts'
import type { ClientOptions, Send } from './http.ts'
import { pause } from './pause.ts'

export interface EventsOptions {
  /** Default `default`. */
  scope?: string
  /** The last number that was seen; default: what happens from now on. */
  after?: number
  /** Ends it, as leaving the loop does. */
  signal?: AbortSignal
}

const reconnectMs = 500
const maxReconnectMs = 10_000
// a consumer that is slower than the events is cut off here, and continues from the store
const maxQueued = 1_000

/**
 * The events of a scope. Broken connections are reopened and resume after the last event, for as long as it
 * takes; only a refusal, or a server that is not there to begin with, is thrown. A frame of the type `gap` stands for
 * events that the server does not keep any more.
 */
export async function* followEvents(
  send: Send,
  client: ClientOptions,
  { scope, after, signal = new AbortController().signal }: EventsOptions,
  // from then on nothing is missed
  onReady = () => {},
): AsyncGenerator<EventFrame> {
  const ask = async () =>
    (await (await send('GET', '/api/events', { query: { scope, limit: 1 } })).json()) as EventPage
  // also where a refusal can be read: browsers hide why a handshake failed
  const { last: newest } = await ask()
  let last = after ?? newest
  onReady()
  for (let failures = 0; !signal.aborted;) {
    for await (const frame of readSocket(client, { scope, after: last }, signal)) {
      failures = 0
      last = frame.seq
      yield frame
    }
    if (signal.aborted) return
    await pause(Math.min(reconnectMs * 2 ** failures++, maxReconnectMs), signal)
    if (failures > 1) await ask().catch(rethrowRefusal)
  }
}

/** The frames of one connection, until it ends for any reason. */
async function* readSocket(
  { baseUrl = '', apiKey, WebSocket: Socket = WebSocket }: ClientOptions,
  place: { scope?: string; after: number },
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  const protocols = [socketProtocol, ...(apiKey === undefined ? [] : [toKeyProtocol(apiKey)])]
  const socket = new Socket(toSocketUrl(baseUrl, place), protocols)
  let queue: EventFrame[] = []
  let isClosed = false
  let wake = () => {}
  const end = () => {
    isClosed = true
    socket.close()
    wake()
  }
  socket.addEventListener('message', ({ data }) => {
    const frame = isClosed ? undefined : toFrame(data)
    if (frame) queue.push(frame)
    if (!frame || queue.length >= maxQueued) end()
    wake()
  })
  socket.addEventListener('close', end)
  socket.addEventListener('error', end)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    for (;;) {
      const frames = queue
      queue = []
      for (const frame of frames) {
        if (signal.aborted) return
        yield frame
      }
      if (queue.length > 0) continue
      if (isClosed) return
      await new Promise<void>((resolve) => {
        wake = resolve
        if (queue.length > 0 || isClosed) resolve()
      })
    }
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

/** Undefined for what no Parley sends: something else answers there, and the connection is not worth keeping. */
function toFrame(data: unknown): EventFrame | undefined {
  try {
    const frame = JSON.parse(String(data)) as EventFrame
    return Number.isInteger(frame.seq) ? frame : undefined
  } catch {
    return undefined
  }
}

function toSocketUrl(baseUrl: string, { scope, after }: { scope?: string; after: number }): URL {
  const { location } = globalThis as { location?: { origin: string } }
  const url = new URL(`${(baseUrl || (location?.origin ?? '')).replace(/\/$/, '')}/api/events`)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (scope !== undefined) url.searchParams.set('scope', scope)
  url.searchParams.set('after', String(after))
  return url
}

/** A server that restarts, or the proxy before it, answers like this for a moment. */
function rethrowRefusal(error: unknown): void {
  const passing = ['store_unavailable', 'shutting_down', 'internal', 'too_many_requests']
  if (!(error instanceof ParleyError) || !passing.includes(error.code)) throw error
}
