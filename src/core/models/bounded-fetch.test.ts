import { expect, it } from 'vitest'
import { weigh, weighEvents } from './bounded-fetch.ts'

it.each(['\n', '\r\n', '\r'])(
  'sees events end wherever the chunks are cut, with lines that end in %j',
  (lineEnd) => {
    const event = `event: x${lineEnd}data: ${'y'.repeat(30)}${lineEnd}${lineEnd}`
    const stream = Buffer.from(event.repeat(40))
    for (let size = 1; size <= event.length + 1; size++) {
      const weighChunk = weighEvents()
      for (let at = 0; at < stream.length; at += size)
        // an event, its lines, and at most a chunk that the counting lags behind
        expect(weighChunk(stream.subarray(at, at + size)), `in chunks of ${size}`).toBeLessThan(
          4 * (event.length + 64),
        )
    }
  },
)

it('adds up what does not end, and charges for every line', () => {
  const weighChunk = weighEvents()
  weighChunk(Buffer.from('data: x'))
  for (let count = 0; count < 10; count++) weighChunk(Buffer.from('x'.repeat(1_000)))
  expect(weighChunk(Buffer.from('\ndata: y'))).toBe(7 + 10_000 + 8 + 64)
  expect(weigh('a\nb\n')).toBe(4 + 2 * 64)
})
