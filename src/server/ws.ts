import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Upgrade } from '../core/http/request-environment.ts'
import { invalidRequest, ParleyError } from '../core/protocol/error.ts'
import { isKeyProtocol, socketProtocol } from '../core/protocol/event-socket.ts'

export interface Sockets {
  /**
   * Passes an upgrade request to the app like any other: id, Host, Origin, key and scope are checked by the
   * same code, and refusals get the same response. A route that wants the socket calls `upgrade`.
   */
  open(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    answer: (response: ServerResponse, upgrade: Upgrade) => void,
  ): void
  /** Asks all clients to reconnect later; those that do not react are cut off. */
  stop(): Promise<void>
}

/** What may be upgraded; anything else, such as a POST that offers HTTP/2, is an ordinary request. */
export const wantsSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

// a proxy drops what is silent for longer
const pingMs = 15_000
// unanswered so often, the peer is dead: known within three times the above
const maxUnanswered = 2
// nothing that a client may send is longer; what is gets 1009
const maxPayload = 64 * 1_024
const farewellMs = 1_000

export function createSockets({ heartbeatMs = pingMs }: { heartbeatMs?: number } = {}): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload, handleProtocols: pickProtocol })
  const unanswered = new WeakMap<WebSocket, number>()
  let isStopping = false

  const heartbeat = setInterval(() => {
    for (const socket of server.clients) {
      const count = unanswered.get(socket) ?? 0
      if (count >= maxUnanswered) socket.terminate()
      else {
        unanswered.set(socket, count + 1)
        socket.ping()
      }
    }
  }, heartbeatMs)
  heartbeat.unref()

  const shake = (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      if (isStopping) throw new ParleyError('shutting_down', 'The server stops; come back in a moment.')
      const refuse = (error: Error) =>
        reject(invalidRequest(`This is no WebSocket handshake: ${error.message}.`))
      server.once('wsClientError', refuse)
      // decides synchronously, one way or the other
      server.handleUpgrade(incoming, socket, head, (opened) => {
        opened.on('pong', () => unanswered.set(opened, 0))
        // the library answers and closes on protocol errors; `close` reports the end
        opened.on('error', () => {})
        resolve(opened)
      })
      server.off('wsClientError', refuse)
    })

  return {
    open(incoming, socket, head, answer) {
      socket.on('error', () => socket.destroy())
      const response = new ServerResponse(incoming)
      response.assignSocket(socket as Socket)
      // its parser is gone: after a response nothing more can be sent on this connection
      response.shouldKeepAlive = false
      response.on('finish', () => socket.end())
      answer(response, async () => {
        const opened = await shake(incoming, socket, head)
        response.detachSocket(socket as Socket)
        return opened
      })
    },

    async stop() {
      isStopping = true
      clearInterval(heartbeat)
      const open = [...server.clients]
      const closed = open.map((socket) => new Promise<void>((resolve) => socket.on('close', resolve)))
      for (const socket of open) socket.close(1001, 'The server stops.')
      const timer = setTimeout(() => open.forEach((socket) => socket.terminate()), farewellMs)
      await Promise.all(closed)
      clearTimeout(timer)
    },
  }
}

/** A key is not echoed unless nothing else was offered: a browser requires one of its offers. */
function pickProtocol(offered: Set<string>): string | false {
  if (offered.has(socketProtocol)) return socketProtocol
  const names = [...offered]
  return names.find((name) => !isKeyProtocol(name)) ?? names[0] ?? false
}
