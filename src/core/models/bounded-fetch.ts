import type { Faults } from './provider-faults.ts'

// larger than any event a provider sends on purpose; without a bound a line that never ends fills the memory
export const maxEventBytes = 2 * 1024 * 1024
export const tooLong = 'more than 2 MiB without the end of an event'
// enough for every error message
export const maxErrorBytes = 64 * 1024

/**
 * A fetch for streams of events. An event has a largest size, and so has the body of an error; what is no stream is a
 * fault; redirects are not followed, for they would take the key along.
 */
export function boundFetch(faults: Faults, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    const { ok, status, headers, body } = response
    if (!ok || isOtherContent(headers.get('content-type') ?? ''))
      throw faults.refused({ status, headers: Object.fromEntries(headers), body: await readStart(body) })
    return body ? new Response(limitEvents(faults, body), { status, headers }) : response
  }
}

/** Some servers give their streams no content type or a wrong one; these two are never streams. */
export const isOtherContent = (type: string) => /^(text\/html|application\/json)\b/.test(type)

async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxErrorBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function limitEvents(faults: Faults, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const weighChunk = weighEvents()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      if (weighChunk(value) > maxEventBytes) {
        void reader.cancel()
        throw faults.malformed(tooLong)
      }
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

const [lineFeed, carriageReturn] = [10, 13]

/** Takes the chunks of a stream in turn and returns the size of the event that the last of them did not end. */
export function weighEvents(): (chunk: Uint8Array) => number {
  let weight = 0
  let isAtLineStart = true
  return (chunk) => {
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const end = Math.max(view.lastIndexOf('\n\n'), view.lastIndexOf('\n\r\n'), view.lastIndexOf('\r\r'))
    const startsBlank = isAtLineStart && (view[0] === lineFeed || view[0] === carriageReturn)
    weight = end >= 0 ? view.length - end : (startsBlank ? 0 : weight) + weigh(view)
    const last = view.at(-1)
    if (last !== undefined) isAtLineStart = last === lineFeed || last === carriageReturn
    return weight
  }
}

// what a parser keeps for each line of an event, whatever is in it
const bytesPerLine = 64

export function weigh(chunk: string | Buffer): number {
  let weight = chunk.length
  for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) weight += bytesPerLine
  return weight
}
