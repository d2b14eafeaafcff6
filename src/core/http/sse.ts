import type { Context } from 'hono'
import type { RunEvent } from '../protocol/chunk.ts'
import type { AppEnv } from './request-environment.ts'
import { alreadySent } from './already-sent.ts'

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Accel-Buffering': 'no',
}

// proxies drop idle connections
const heartbeatMs = 15_000
// what is written is held for as long as a reader stands still; thousands of events come at once to one that is late
const eventsPerWrite = 64

export type Observe = (signal: AbortSignal) => AsyncGenerator<RunEvent[]>

/** How events are written; what `encode` answers may depend on what it was given before. */
export interface StreamFormat {
  headers: Record<string, string>
  encode(events: readonly RunEvent[]): string
  /** Said after the last event. */
  end: string
}

/** `id:` is an event's number, so a client that was cut off can ask for what comes after it. */
const uiMessageStream: StreamFormat = {
  headers: { 'X-Vercel-AI-UI-Message-Stream': 'v1' },
  encode(events) {
    let text = ''
    for (const { seq, chunk } of events) text += `id: ${seq}\ndata: ${JSON.stringify(chunk)}\n\n`
    return text
  },
  end: 'data: [DONE]\n\n',
}

/** Sends the events of a run as they come. A client that goes away ends its stream, never the run. */
export function sendEvents(
  c: Context<AppEnv>,
  observe: Observe,
  extra: Record<string, string> = {},
  format = uiMessageStream,
): Response {
  const outgoing = c.env?.outgoing
  const sent = { ...answerHeaders(c), ...headers, ...format.headers, ...extra }
  if (!outgoing || !('socket' in outgoing)) return new Response(toStream(observe, format), { headers: sent })
  // straight to the socket: a web stream would cost as much per event as everything else together
  void write(outgoing as import('node:http').ServerResponse, observe, format, sent)
  return alreadySent()
}

/** What the server has said about its answer before the route: a page of another origin reads nothing without it. */
const answerHeaders = (c: Context<AppEnv>): Record<string, string> =>
  Object.fromEntries(c.newResponse(null).headers)

async function write(
  response: import('node:http').ServerResponse,
  observe: Observe,
  format: StreamFormat,
  sent: Record<string, string>,
): Promise<void> {
  const abort = new AbortController()
  response.on('close', () => abort.abort())
  response.writeHead(200, sent)
  response.flushHeaders()
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs)
  try {
    for await (const events of observe(abort.signal))
      for (let at = 0; at < events.length && !abort.signal.aborted; at += eventsPerWrite)
        // a reader that is slower than the run waits here, and the run's log does not wait for it
        if (!response.write(format.encode(events.slice(at, at + eventsPerWrite)))) await drained(response)
    if (!abort.signal.aborted) response.end(format.end)
  } catch {
    response.destroy() // the head is out: a broken stream is the only answer left, and the client resumes
  } finally {
    clearInterval(heartbeat)
  }
}

function drained(response: import('node:http').ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

/** For requests that are made in the process, without a socket. */
function toStream(observe: Observe, format: StreamFormat): ReadableStream<Uint8Array> {
  const abort = new AbortController()
  const events = observe(abort.signal)
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next()
      if (!done) return controller.enqueue(encoder.encode(format.encode(value)))
      controller.enqueue(encoder.encode(format.end))
      controller.close()
    },
    cancel: () => abort.abort(),
  })
}
