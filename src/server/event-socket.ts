import type { ServerSocket } from '../core/http/request-environment.ts'
import type { EventFrame } from '../core/protocol/event-socket.ts'

export type Follow = (signal: AbortSignal) => AsyncGenerator<EventFrame[]>

// above this the reader is too slow: nothing more is sent until the socket has drained
const maxBuffered = 1_048_576

/** Sends followed events to sockets, one frame per event. An event is serialised once for all of them. */
export function createEventSender(): (socket: ServerSocket, follow: Follow) => Promise<void> {
  const texts = new WeakMap<EventFrame, Buffer>()
  const textOf = (frame: EventFrame): Buffer => {
    const text = texts.get(frame) ?? Buffer.from(JSON.stringify(frame))
    texts.set(frame, text)
    return text
  }

  return async (socket, follow) => {
    const abort = new AbortController()
    socket.on('close', () => abort.abort())
    socket.on('message', () => socket.close(1008, 'This socket takes no messages.'))
    try {
      for await (const frames of follow(abort.signal))
        for (const frame of frames) {
          if (socket.readyState !== socket.OPEN) return
          if (socket.bufferedAmount < maxBuffered) socket.send(textOf(frame), { binary: false })
          else await sent(socket, textOf(frame))
        }
    } catch {
      // the store is out of reach: the client comes back with the last number it saw
      socket.close(1013, 'The events cannot be read now; come back in a moment.')
    }
  }
}

/** Resolves when the socket has drained up to here, or is closed. */
const sent = (socket: ServerSocket, text: Buffer): Promise<void> =>
  new Promise((resolve) => socket.send(text, { binary: false }, () => resolve()))
