import { describe, expect, it } from 'vitest'
import type { Message } from '../../protocol/message.ts'
import { askHandler, readHandled } from './window-handlers.ts'

const roles = { u: 'user', a: 'assistant' } as const
const log = (letters: string): Message[] =>
  letters.split(' ').map((letter, index) => ({
    id: `msg_${index}`,
    role: roles[letter as keyof typeof roles],
    parts: [{ type: 'text', text: String(index) }],
    seq: index + 1,
    createdAt: '2026-01-01T00:00:00.000Z',
  }))

const messages = log('u a u a u a')

describe('the answer of a resize handler', () => {
  it.each<[string, unknown, object]>([
    ['nothing leaves everything', undefined, { start: 0 }],
    ['null leaves everything', null, { start: 0 }],
    ['an empty object leaves everything', {}, { start: 0 }],
    ['the whole window leaves everything', { window: messages }, { start: 0 }],
    ['the end of the window', { window: messages.slice(2) }, { start: 2 }],
    ['the newest turn', { window: messages.slice(4) }, { start: 4 }],
    ['a memo alone', { memo: { facts: ['x'] } }, { start: 0, memo: { facts: ['x'] } }],
    ['both', { window: messages.slice(4), memo: {} }, { start: 4, memo: {} }],
    // it may have changed what it was given; which messages stay is all that counts
    ['copies of messages', { window: messages.slice(4).map(({ id }) => ({ id })) }, { start: 4 }],
  ])('%s', (_what, answer, expected) => {
    expect(readHandled(answer, 'own', messages)).toEqual(expected)
  })

  it.each<[string, unknown, RegExp]>([
    ['a text', 'done', /must answer \{window\?, memo\?\} or nothing; it answered "done"/],
    ['a number', 1, /must answer/],
    ['a list of messages', messages, /must answer/],
    ['an empty window', { window: [] }, /must keep at least the newest message/],
    ['a window that is none', { window: 'x' }, /must keep at least the newest message/],
    ['null as window', { window: null }, /must keep at least the newest message/],
    ['one from the middle', { window: messages.slice(2, 4) }, /only leave out messages from the beginning/],
    [
      'a gap',
      { window: [messages[2], messages[4], messages[5]] },
      /only leave out messages from the beginning/,
    ],
    ['another order', { window: [messages[5], messages[4]] }, /only leave out messages from the beginning/],
    [
      'a message of its own',
      { window: [...messages.slice(4), { ...messages[5]!, id: 'new' }] },
      /only leave out messages from the beginning/,
    ],
    [
      'more than there were',
      { window: [...messages, ...messages] },
      /only leave out messages from the beginning/,
    ],
    ['null among them', { window: [null, messages[5]] }, /only leave out messages from the beginning/],
    ['a beginning within a turn', { window: messages.slice(5) }, /must begin the window where a turn begins/],
    ['a memo that is a text', { memo: 'short' }, /must answer an object as memo/],
    ['a memo that is a list', { memo: [] }, /must answer an object as memo/],
    ['a memo that is null', { memo: null }, /must answer an object as memo/],
  ])('%s is refused, with the name of the handler', (_what, answer, message) => {
    const read = () => readHandled(answer, 'own', messages)
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(read).toThrow(/^The resize handler "own"/)
    expect(read).toThrow(message)
  })

  it('may begin the window where it began, whatever stands there', () => {
    const greeting = log('a u a u')
    expect(readHandled({ window: greeting }, 'own', greeting)).toEqual({ start: 0 })
    expect(() => readHandled({ window: greeting.slice(2) }, 'own', greeting)).toThrow(/turn begins/)
  })
})

describe('a handler', () => {
  const bounds = { timeoutMs: 1_000, signal: new AbortController().signal }

  it('is waited for', async () => {
    expect(await askHandler('handler', bounds, () => 'now')).toBe('now')
    expect(await askHandler('handler', bounds, async () => 'soon')).toBe('soon')
  })

  it.each([
    ['an error', new Error('no luck'), 'no luck'],
    ['a text', 'no luck', 'no luck'],
    ['nothing', undefined, 'undefined'],
    ['an empty error', new Error(''), 'no reason given'],
    ['what no database can store', new Error('a\0b\uD800'), 'ab\uFFFD'],
    ['very much', new Error('x'.repeat(100_000)), 'x'.repeat(500)],
  ])('that throws %s is a refusal that says which and why', async (_what, thrown, described) => {
    const failing = askHandler('policy handler', bounds, () => {
      throw thrown
    })
    await expect(failing).rejects.toMatchObject({
      code: 'invalid_request',
      message: `The policy handler failed: ${described}`,
    })
  })

  it('that does not answer is given up, by name', async () => {
    const never = askHandler('policy handler', { ...bounds, timeoutMs: 20 }, () => new Promise(() => {}))
    await expect(never).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The policy handler failed: no answer within 20 ms',
    })
  })

  it('is given up when everything stops', async () => {
    const stopping = new AbortController()
    const never = askHandler('handler', { ...bounds, signal: stopping.signal }, () => new Promise(() => {}))
    stopping.abort(new Error('the server stops'))
    await expect(never).rejects.toThrow('the server stops')
  })
})
