import { expect, it } from 'vitest'
import { findAlternatives, originOf, type Variant } from './variants.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const message = (id: string, minute: number) => ({ id, createdAt: at(minute) })
const session = (
  sessionId: string,
  minute: number,
  from?: [sessionId: string, messageId: string],
): Variant => ({
  sessionId,
  createdAt: at(minute),
  updatedAt: at(minute + 1),
  ...(from && { forkedFrom: { sessionId: from[0], messageId: from[1], before: true } }),
})

const first = session('first', 0)
const asked = [message('u1', 1), message('a1', 2), message('u2', 3), message('a2', 4)]
/** Made by editing `u2`. */
const second = session('second', 10, ['first', 'u2'])
const edited = [...asked.slice(0, 2), message('u2b', 11), message('a2b', 12), message('u3b', 13)]
/** Made by editing `u3b` of the second. */
const third = session('third', 20, ['second', 'u3b'])
const editedLater = [...edited.slice(0, 4), message('u3c', 21)]

const shown = (sessionId: string, variants: Variant[], messages: typeof asked) =>
  Object.fromEntries(
    [...findAlternatives(sessionId, variants, messages)].map(([id, { index, sessionIds }]) => [
      id,
      `${index + 1}/${sessionIds.length} ${sessionIds.join(' ')}`,
    ]),
  )

it('has none for a session that is alone', () => {
  expect(shown('first', [first], asked)).toEqual({})
})

it('shows them where the message was edited, in both sessions', () => {
  const variants = [first, second]
  expect(shown('first', variants, asked)).toEqual({ u2: '1/2 first second' })
  expect(shown('second', variants, edited)).toEqual({ u2b: '2/2 first second' })
})

it('shows them for the first message', () => {
  const variants = [first, session('second', 10, ['first', 'u1'])]
  expect(shown('second', variants, [message('u1b', 11)])).toEqual({ u1b: '2/2 first second' })
  expect(shown('first', variants, asked)).toEqual({ u1: '1/2 first second' })
})

it('keeps the place of an ancestor, and leads to where something happened last', () => {
  const variants = [first, second, third]
  expect(shown('third', variants, editedLater)).toEqual({ u2b: '2/2 first third', u3c: '2/2 second third' })
  expect(shown('second', variants, edited)).toEqual({ u2b: '2/2 first second', u3b: '1/2 second third' })
  expect(shown('first', variants, asked)).toEqual({ u2: '1/2 first third' })
})

it('counts what was made from the same message in the order it was made', () => {
  const variants = [session('third', 20, ['first', 'u2']), second, first]
  expect(shown('second', variants, edited)).toEqual({ u2b: '2/3 first second third' })
})

it('goes on without a session that was deleted', () => {
  const variants = [second, session('third', 20, ['first', 'u2'])]
  expect(shown('second', variants, edited)).toEqual({ u2b: '1/2 second third' })
})

it('does not guess where the place is not loaded yet', () => {
  const variants = [first, second]
  const loaded = edited.slice(3).map((entry, index) => ({ ...entry, seq: 4 + index }))
  expect(shown('second', variants, loaded)).toEqual({})
})

it('survives variants that claim to be made from each other', () => {
  const variants = [session('first', 0, ['second', 'u2']), session('second', 10, ['first', 'u2'])]
  expect(() => findAlternatives('first', variants, asked)).not.toThrow()
})

it('makes a new alternative from the session that had the message first', () => {
  const variants = [first, second, third]
  const origin = (sessionId: string, id: string, messages: typeof asked) =>
    originOf(
      messages.find((entry) => entry.id === id)!,
      sessionId,
      variants,
      messages,
    )
  expect(origin('first', 'u2', asked)).toEqual({ sessionId: 'first', messageId: 'u2' })
  // another edit of what was edited is an alternative to the same message
  expect(origin('second', 'u2b', edited)).toEqual({ sessionId: 'first', messageId: 'u2' })
  expect(origin('second', 'u1', edited)).toEqual({ sessionId: 'first', messageId: 'u1' })
  expect(origin('second', 'u3b', edited)).toEqual({ sessionId: 'second', messageId: 'u3b' })
  expect(origin('third', 'u3c', editedLater)).toEqual({ sessionId: 'second', messageId: 'u3b' })
})

it('makes a new alternative from the open session when the first one is gone', () => {
  const [origin] = [originOf(edited[2]!, 'second', [second], edited)]
  expect(origin).toEqual({ sessionId: 'second', messageId: 'u2b' })
})
