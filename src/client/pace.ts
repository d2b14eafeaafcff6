import type { RunEvent } from '../core/protocol/chunk.ts'
import type { ObservedEvents } from '../core/protocol/sessions.ts'

// more often than this nobody sees a difference, and drawing costs
const joinMs = 60
// a longer frame is noticeable
const slowMs = 40
const minSize = 150
const maxSize = 4_000

/** Waits until the last piece is drawn; answers how many milliseconds that took. */
export type UntilShown = () => Promise<number>

/**
 * Batches what arrives within a moment, and passes on no more at once than can be drawn in time, estimated from how
 * long the last piece took to appear. A hidden page draws nothing, and gets everything.
 */
export async function* paced(
  source: AsyncIterable<ObservedEvents>,
  untilShown: UntilShown,
): AsyncGenerator<ObservedEvents> {
  let size = minSize
  for await (const { runId, events } of joined(source)) {
    for (let at = 0; at < events.length;) {
      const end = endOfPiece(events, at, size)
      yield { runId, events: events.slice(at, end) }
      if ((await untilShown()) > slowMs) size = Math.max(minSize, size / 2)
      else if (end < events.length) size = Math.min(maxSize, size * 1.25)
      at = end
    }
  }
}

function endOfPiece(events: readonly RunEvent[], start: number, size: number): number {
  let at = start
  for (let left = size; at < events.length && left > 0; at++) left -= weightOf(events[at]!)
  return at
}

/** In characters; a tool is drawn as a card. */
function weightOf({ chunk }: RunEvent): number {
  if ('delta' in chunk) return chunk.delta.length
  if ('inputTextDelta' in chunk) return chunk.inputTextDelta.length
  return chunk.type.startsWith('tool-') ? 50 : 0
}

async function* joined(source: AsyncIterable<ObservedEvents>): AsyncGenerator<ObservedEvents> {
  const iterator = source[Symbol.asyncIterator]()
  let pending = iterator.next()
  try {
    for (;;) {
      const first = await pending
      if (first.done) return
      const { runId } = first.value
      const events = [...first.value.events]
      const until = performance.now() + joinMs
      pending = iterator.next()
      for (;;) {
        const left = until - performance.now()
        if (left <= 0) break
        const next = await Promise.race([pending, pause(left)])
        if (next === undefined || next.done) break
        events.push(...next.value.events)
        pending = iterator.next()
      }
      yield { runId, events }
    }
  } finally {
    await iterator.return?.()
  }
}

const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined))
