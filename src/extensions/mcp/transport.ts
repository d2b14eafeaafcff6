import { homedir } from 'node:os'
import { StreamableHTTPClientTransport, type FetchLike, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { ReadTraceContext } from '../../core/models/trace-context.ts'
import { isHttp, type McpServerSettings } from './server-settings.ts'

// far more than a model could read, far less than would hurt
export const maxAnswerBytes = 8 * 1_024 * 1_024
const keptErrors = 2_000

export interface OpenedTransport {
  transport: Transport
  /** The end of what the program complained about; empty for a server elsewhere. */
  complaints(): string
}

/** The way to a server. A program is started without a shell. */
export function openTransport(settings: McpServerSettings, traceContext?: ReadTraceContext): OpenedTransport {
  if (isHttp(settings)) {
    const transport = new StreamableHTTPClientTransport(new URL(settings.url), {
      requestInit: { headers: settings.headers },
      fetch: traceContext ? traced(traceContext) : boundedFetch,
    })
    return { transport, complaints: () => '' }
  }
  const { command, args, env, cwd = homedir() } = settings
  const transport = new StdioClientTransport({
    command,
    args,
    env,
    cwd,
    stderr: 'pipe',
    maxBufferSize: maxAnswerBytes,
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-keptErrors)))
  return { transport, complaints: () => said.trim() }
}

/** With the trace of what a message is part of. A stream that is kept open is part of nothing. */
const traced =
  (read: ReadTraceContext): FetchLike =>
  (url, init) => {
    const trace = init?.method === 'POST' ? read() : undefined
    if (!trace) return boundedFetch(url, init)
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(trace)) headers.set(name, value)
    return boundedFetch(url, { ...init, headers })
  }

/** An endless response is cut off; on a stream that is kept open each message counts for itself. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init)
  if (!response.body) return response
  const isKeptOpen = (init?.method ?? 'GET') === 'GET'
  let bytes = 0
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (isKeptOpen && chunk.includes(lineFeed)) bytes = 0
        bytes += chunk.length
        if (bytes > maxAnswerBytes)
          controller.error(new Error(`The answer is larger than ${maxAnswerBytes} bytes.`))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(bounded, { status, statusText, headers })
}

const lineFeed = 10
