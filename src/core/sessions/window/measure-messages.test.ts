import { describe, expect, it } from 'vitest'
import type { Part } from '../../protocol/message.ts'
import { measureChars, measureTokens } from './measure-messages.ts'

const user = (...parts: Part[]) => ({ role: 'user' as const, parts })
const text = (length: number): Part => ({ type: 'text', text: 'x'.repeat(length) })
const image = (size: number): Part => ({
  type: 'file',
  mediaType: 'image/png',
  url: `data:image/png;base64,${'A'.repeat(size)}`,
})

describe('the length of a message', () => {
  it('is its role, one more, and its text', () => {
    expect(measureChars(user(text(10)))).toBe(4 + 1 + 10)
    expect(measureChars({ role: 'assistant', parts: [text(10)] })).toBe(9 + 1 + 10)
    expect(measureChars(user())).toBe(5)
    expect(measureChars(user(text(0)))).toBe(5)
  })

  it('is the sum of its parts: texts by their length, all else as JSON', () => {
    const tool: Part = {
      type: 'dynamic-tool',
      toolName: 'look',
      toolCallId: 'c1',
      state: 'output-available',
      input: { at: 'x' },
      output: { rows: [1, 2, 3] },
    }
    const reasoning: Part = { type: 'reasoning', text: 'hm' }
    const link: Part = { type: 'file', mediaType: 'text/plain', url: 'https://example.org/a' }
    expect(measureChars(user(text(3), text(4)))).toBe(5 + 3 + 4)
    expect(measureChars(user(tool))).toBe(5 + JSON.stringify(tool).length)
    expect(measureChars(user(link))).toBe(5 + JSON.stringify(link).length)
    expect(measureChars(user(text(3), reasoning, tool, link, { type: 'step-start' }))).toBe(
      5 + 3 + 2 + JSON.stringify(tool).length + JSON.stringify(link).length,
    )
  })

  it('counts what was sent along', () => {
    expect(measureChars({ ...user(text(3)), context: 'c'.repeat(20) })).toBe(5 + 3 + 20)
  })

  it.each<[string, (size: number) => Part]>([
    ['as an attachment', image],
    [
      'in what was said while a turn went on',
      (size) => ({ type: 'data-steer', data: { parts: [text(3), image(size)] } }),
    ],
  ])('does not grow with a picture that is embedded %s', (_where, part) => {
    expect(measureChars(user(part(1_000_000)))).toBe(measureChars(user(part(10))))
    expect(measureChars(user(part(1_000_000)))).toBeLessThan(300)
    expect(measureTokens(user(part(1_000_000)))).toBe(measureTokens(user(part(10))))
  })

  it('is taken of parts that lack what they should have', () => {
    expect(measureChars(user({ type: 'text' } as Part))).toBe(5)
    expect(measureChars(user({ type: 'file', mediaType: 'x/y' } as Part))).toBeGreaterThan(5)
    expect(measureChars(user({ type: 'file', mediaType: 'x/y', url: 'data:' } as Part))).toBeLessThan(100)
  })
})

describe('the tokens of a message', () => {
  it('grow with each of its parts and what was sent along', () => {
    const one = measureTokens(user(text(400)))
    expect(one).toBeGreaterThan(4)
    expect(measureTokens(user(text(400), text(400)))).toBeGreaterThan(one)
    expect(measureTokens({ ...user(text(400)), context: 'some more words' })).toBeGreaterThan(one)
  })

  it('are never none: an empty message costs something too', () => {
    expect(measureTokens(user())).toBeGreaterThan(0)
  })

  it('are about what a model counts', () => {
    const english = 'The quick brown fox jumps over the lazy dog. '.repeat(20)
    expect(measureTokens(user({ type: 'text', text: english }))).toBeGreaterThan(150)
    expect(measureTokens(user({ type: 'text', text: english }))).toBeLessThan(300)
  })
})
