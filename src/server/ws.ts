import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Upgrade } from '../core/http/request-environment.ts'
import { invalidRequest, ParleyError } from '../core/protocol/error.ts'
import { isKeyProtocol, socketProtocol } from '../core/protocol/event-socket.ts'

export interface Sockets {
  /**
   * Gives the app a request to upgrade as it gives it any other: id, Host, Origin, key and scope are looked at by the
   * same code, and a refusal is answered in the same words. A route that wants the socket calls `upgrade`.
   */
  open(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    answer: (response: ServerResponse, upgrade: Upgrade) => void,
  ): void
  /** Tells everybody to come back later; those that do not hear are cut off. */
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
      // decides at once, one way or the other
      server.handleUpgrade(incoming, socket, head, (opened) => {
        opened.on('pong', () => unanswered.set(opened, 0))
        // what breaks the protocol is answered and closed by the library; the end is told by `close`
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
      // its parser is gone: after an answer nothing more can be said on this connection
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

/** A key is not said back unless it is all that was offered: a browser wants one of its offers. */
function pickProtocol(offered: Set<string>): string | false {
  if (offered.has(socketProtocol)) return socketProtocol
  const names = [...offered]
  return names.find((name) => !isKeyProtocol(name)) ?? names[0] ?? false
}
