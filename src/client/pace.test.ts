import { expect, test } from 'vitest'
import type { RunEvent } from '../core/protocol/chunk.ts'
import type { ObservedEvents } from '../core/protocol/sessions.ts'
import { paced } from './pace.ts'

const words = (from: number, count: number): RunEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    chunk: { type: 'text-delta', id: 't', delta: '0123456789' },
  })) as RunEvent[]

async function* all(...batches: ObservedEvents[]): AsyncGenerator<ObservedEvents> {
  yield* batches
}

async function take(source: AsyncIterable<ObservedEvents>, untilShown: () => Promise<number>) {
  const pieces: ObservedEvents[] = []
  for await (const piece of paced(source, untilShown)) pieces.push(piece)
  return pieces
}

test('what comes at once is one piece, and everything arrives in order', async () => {
  const pieces = await take(
    all({ runId: 'r', events: words(1, 3) }, { runId: 'r', events: words(4, 2) }),
    async () => 0,
  )
  expect(pieces).toHaveLength(1)
  expect(pieces[0]!.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
})

test('a great deal comes in pieces that grow while they are drawn in time', async () => {
  const pieces = await take(all({ runId: 'r', events: words(1, 2_000) }), async () => 16)
  const sizes = pieces.map(({ events }) => events.length)
  expect(sizes[0]).toBe(15)
  expect(sizes.slice(0, -1)).toEqual(sizes.slice(0, -1).toSorted((one, other) => one - other))
  expect(Math.max(...sizes)).toBeGreaterThan(100)
  expect(pieces.flatMap(({ events }) => events.map(({ seq }) => seq))).toEqual(
    words(1, 2_000).map(({ seq }) => seq),
  )
})

test('and shrink when drawing falls behind', async () => {
  let seen = 0
  const pieces = await take(all({ runId: 'r', events: words(1, 600) }), async () => (++seen > 6 ? 60 : 16))
  const sizes = pieces.map(({ events }) => events.length)
  expect(sizes[6]).toBeGreaterThan(sizes[0]!)
  expect(sizes.at(-2)).toBe(sizes[0])
})
