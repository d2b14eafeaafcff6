import { createServer, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { conflict, invalidRequest } from '../core/protocol/error.ts'
import type { AppEnv } from '../core/http/request-environment.ts'
import { createSockets, wantsSocket } from './ws.ts'

export interface RunningServer {
  url: string
  port: number
  /**
   * Accepts no new requests, lets running ones finish for a while, then closes their connections. Their handlers have
   * ended by then too: nothing is admitted to a store that closes next.
   */
  stop(graceMs: number): Promise<void>
}

// a handler whose connection is gone ends quickly; one that does not must not keep the process alive
const maxHandlerMs = 5_000

export async function serve(
  app: Hono<AppEnv>,
  { host, port, heartbeatMs }: { host: string; port: number; heartbeatMs?: number },
): Promise<RunningServer> {
  const options = { overrideGlobalObjects: false, errorHandler: () => answerUnreadable() }
  const stopping = new AbortController()
  const answering = new Set<Promise<Response>>()
  const fetch = (request: Request, env: unknown) => {
    const answered = Promise.resolve(app.fetch(request, env as AppEnv['Bindings'])).finally(() =>
      answering.delete(answered),
    )
    answering.add(answered)
    return answered
  }
  const answer = getRequestListener(
    (request, env) => fetch(request, Object.assign(env, { stopping: stopping.signal })),
    options,
  )
  const server = createServer({ shouldUpgradeCallback: wantsSocket }, answer)
  server.on('clientError', refuseUnparsed)
  const sockets = createSockets({ heartbeatMs })
  server.on('upgrade', (incoming, socket, head) =>
    sockets.open(incoming, socket, head, (response, upgrade) => {
      const listener = getRequestListener((request, env) => fetch(request, { ...env, upgrade }), options)
      void listener(incoming, response)
    }),
  )
  // a busy connection would never become idle by itself
  server.prependListener('request', (_request, response) => {
    if (stopping.signal.aborted) response.setHeader('Connection', 'close')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toRefusal(error, host, port)))
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    async stop(graceMs) {
      stopping.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await Promise.all([closed, sockets.stop()])
      clearTimeout(timer)
      // it keeps the process: with a file as its store nothing else might, and the process would end here
      let lateTimer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (lateTimer = setTimeout(resolve, maxHandlerMs)))
      await Promise.race([Promise.allSettled(answering), late])
      clearTimeout(lateTimer)
    },
  }
}

function toRefusal(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return conflict(
      `Port ${port} of ${host} is in use by another program. Choose another with --port or PARLEY_PORT.`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EACCES' || error.code === 'ENOTFOUND')
    return invalidRequest(
      `Cannot listen on ${host} port ${port} (${error.code}). Choose another with --host and --port.`,
    )
  return error
}

/** For a request that cannot even become one, such as one for a host that is no host name. */
const answerUnreadable = () =>
  Response.json(unreadable('The request line or the Host header cannot be read.'), {
    status: 400,
    headers: { 'X-Request-Id': unreadId, 'X-Content-Type-Options': 'nosniff' },
  })

/** What Node could not parse has no request and no response yet, only a socket. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = JSON.stringify(unreadable(`The request is not valid HTTP (${error.code ?? 'unknown'}).`))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${unreadId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

// nothing of it is logged, so one id serves all
const unreadId = 'req_unread'

const unreadable = (message: string) => ({
  error: { code: 'invalid_request', message, requestId: unreadId },
})
