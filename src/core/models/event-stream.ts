import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { createParser } from 'eventsource-parser'
import { httpRequest, httpsRequest } from '../shared/node-http.ts'
import { isOtherContent, maxErrorBytes, maxEventBytes, tooLong, weigh } from './bounded-fetch.ts'
import { ModelFault } from './fault.ts'
import type { Faults } from './provider-faults.ts'
import { watchStream } from './stream-watch.ts'

export interface EventRequest {
  url: string
  headers: Record<string, string>
  body: string
  agent: Agent
  idleTimeoutMs: number
  /** The data that closes the stream, as `[DONE]`. */
  endMark: string
}

/**
 * Posts a request and yields the data of the events it is answered with, as many at a time as have arrived. Ends at the
 * end mark or with the response; everything else is a `ModelFault`, or the reason of `signal`. Comments are no events:
 * a server that sends nothing else is idle.
 */
export async function* postForEvents(
  faults: Faults,
  { url, headers, body, agent, idleTimeoutMs, endMark }: EventRequest,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  signal.throwIfAborted()
  const length = String(Buffer.byteLength(body))
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  const request = send(url, { method: 'POST', agent, headers: { ...headers, 'content-length': length } })
  using watch = watchStream(signal, idleTimeoutMs, () => request.destroy())
  let response: IncomingMessage | undefined
  let isComplete = false

  try {
    // an error after the response is emitted by the response
    request.on('error', () => {}).end(body)
    ;[response] = (await once(request, 'response')) as [IncomingMessage]
    await requireStream(faults, response)
    let arrived: string[] = []
    // lines that mean nothing are passed over
    const parser = createParser({
      onEvent: ({ data }) => void (data === endMark ? (isComplete = true) : isComplete || arrived.push(data)),
    })
    let unread = 0
    response.setEncoding('utf8')
    for await (const chunk of response.iterator({ destroyOnReturn: false })) {
      parser.feed(chunk as string)
      unread = arrived.length > 0 ? 0 : unread + weigh(chunk as string)
      if (unread > maxEventBytes) throw faults.malformed(tooLong)
      if (arrived.length > 0) {
        watch.hear()
        yield arrived
        arrived = []
        watch.wait()
      }
      if (isComplete) return
    }
    isComplete = true
    // a last event whose blank line was forgotten
    parser.feed('\n\n')
    if (arrived.length > 0) yield arrived
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (watch.isIdle) throw faults.idle(idleTimeoutMs)
    if (error instanceof ModelFault) throw error
    throw response ? faults.cut(error) : faults.unreachable(error)
  } finally {
    release(request, isComplete ? response : undefined)
  }
}

async function requireStream(faults: Faults, response: IncomingMessage): Promise<void> {
  const { statusCode: status = 0, headers } = response
  if (status >= 200 && status < 300 && !isOtherContent(headers['content-type'] ?? '')) return
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk
    if (body.length >= maxErrorBytes) break
  }
  throw faults.refused({ status, headers, body })
}

/** A connection that was read to its end can be used again; one that keeps sending is closed. */
function release(request: ClientRequest, response: IncomingMessage | undefined): void {
  if (!response) return void request.destroy()
  if (response.complete) return void response.resume()
  const timer = setTimeout(() => request.destroy(), 1_000)
  response.once('close', () => clearTimeout(timer)).resume()
}
