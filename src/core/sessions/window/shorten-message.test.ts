import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Part } from '../../protocol/message.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import { measureChars, measureTokens } from './measure-messages.ts'
import { resolveWindow } from './window-settings.ts'
import { shorten } from './shorten-message.ts'
import { tries } from '../../../../test/property-runs.ts'

const message = (...parts: Part[]): WindowMessage => ({
  id: 'msg_1',
  role: 'user',
  seq: 7,
  parts,
  createdAt: '2026-01-01T00:00:00.000Z',
})
const text = (said: string): Part => ({ type: 'text', text: said })
const within = (chars: number, tokens = 0) => resolveWindow({ limit: { chars, tokens, messages: 0 } })
const textOf = ({ parts }: WindowMessage, index = 0) => parts[index]!.text as string

describe('a message', () => {
  it('below the limit stays the very same, at the limit it does not', () => {
    const below = message(text('x'.repeat(994)))
    expect(measureChars(below)).toBe(999)
    expect(shorten(below, within(1_000))).toBe(below)
    const reached = message(text('x'.repeat(995)))
    expect(textOf(shorten(reached, within(1_000))).length).toBeLessThan(995)
  })

  it('without limits is never shortened', () => {
    const long = message(text('x'.repeat(1_000_000)))
    expect(shorten(long, within(0))).toBe(long)
  })

  it('keeps its beginning and its end, and says how much is missing', () => {
    const long = message(text(`${'a'.repeat(50_000)}${'z'.repeat(50_000)}`))
    const short = textOf(shorten(long, within(2_000)))
    const [, head, missing, tail] = /^(a+)\n\[… (\d+) characters left out.*…\]\n(z+)$/.exec(short)!
    expect(head!.length).toBeGreaterThan(tail!.length)
    expect(tail!.length).toBeGreaterThan(200)
    expect(head!.length + tail!.length + Number(missing)).toBe(100_000)
    expect(measureChars(shorten(long, within(2_000)))).toBeLessThan(2_000)
  })

  it('is left as it was: what comes back is another one', () => {
    const long = message(text('x'.repeat(5_000)), text('short'))
    const before = structuredClone(long)
    const short = shorten(long, within(1_000))
    expect(long).toEqual(before)
    expect(short).toMatchObject({ id: 'msg_1', seq: 7, role: 'user' })
    expect(short.parts[1]).toEqual(text('short'))
  })

  it('gives of its longest texts first', () => {
    const long = message(text('a'.repeat(300)), text('b'.repeat(9_000)), text('c'.repeat(400)))
    const short = shorten(long, within(3_000))
    expect(textOf(short, 0)).toBe('a'.repeat(300))
    expect(textOf(short, 2)).toBe('c'.repeat(400))
    expect(textOf(short, 1)).toContain('characters left out')
  })

  it('gives of the results of its tools, texts and data alike, and they stay results', () => {
    const call = (output: unknown): Part => ({
      type: 'dynamic-tool',
      toolName: 'look',
      toolCallId: 'c1',
      state: 'output-available',
      input: { at: 'x' },
      output,
    })
    for (const output of ['x'.repeat(9_000), { rows: Array.from({ length: 2_000 }, (_, index) => index) }]) {
      const short = shorten(message(call(output), text('done')), within(2_000))
      expect(short.parts[0]).toMatchObject({
        toolCallId: 'c1',
        state: 'output-available',
        input: { at: 'x' },
        output: expect.stringContaining('characters left out'),
      })
      expect(measureChars(short)).toBeLessThan(2_000)
    }
  })

  it('keeps calls, attachments and errors as they are', () => {
    const parts: Part[] = [
      {
        type: 'dynamic-tool',
        toolName: 'look',
        toolCallId: 'c1',
        state: 'input-available',
        input: { x: 'y'.repeat(3_000) },
      },
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(9_000)}` },
      {
        type: 'dynamic-tool',
        toolName: 'look',
        toolCallId: 'c2',
        state: 'output-error',
        input: {},
        errorText: 'z'.repeat(400),
      },
    ]
    const short = shorten(message(...parts, text('t'.repeat(3_000))), within(2_000))
    expect(short.parts.slice(0, 3)).toEqual(parts)
    expect(textOf(short, 3)).toContain('characters left out')
  })

  it('is shortened by its tokens as well', () => {
    const long = message(text('several words in a row '.repeat(500)))
    expect(measureTokens(long)).toBeGreaterThan(1_000)
    const short = shorten(long, within(0, 1_000))
    expect(measureTokens(short)).toBeLessThan(1_000)
    expect(measureTokens(short)).toBeGreaterThan(400)
  })

  it('is shortened to the same text, whether or not something was sent along with it', () => {
    const long = message(text('x'.repeat(5_000)))
    const sent = { ...long, context: 'the folder holds a.txt'.repeat(10) }
    expect(shorten(sent, within(2_000)).parts).toEqual(shorten(long, within(2_000)).parts)
    const close = message(text('x'.repeat(1_900)))
    const closeSent = { ...close, context: 'the folder holds a.txt'.repeat(10) }
    expect(shorten(closeSent, within(2_000)).parts).toEqual(shorten(close, within(2_000)).parts)
  })

  it('of any text stays well formed, and is not longer than it was by more than the note', () => {
    const long = fc
      .array(fc.constantFrom('😀', '👩‍👩‍👧', 'é', '和', 'x', '\n'), { minLength: 1, maxLength: 3_000 })
      .map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(long, fc.integer({ min: 1, max: 3_000 }), (said, limit) => {
        const short = textOf(shorten(message(text(said)), within(limit)))
        expect(short.isWellFormed()).toBe(true)
        expect(short.length).toBeLessThan(said.length + 200)
      }),
      tries(100),
    )
  })
})
