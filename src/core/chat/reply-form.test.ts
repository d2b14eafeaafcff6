import { expect, it } from 'vitest'
import type { Part } from '../protocol/message.ts'
import { toModelMessages } from './model-history.ts'
import { attemptPart, replyPart } from './reply-form.ts'

const said = (...parts: Part[]) =>
  toModelMessages([], [{ type: 'step-start' }, ...parts]).flatMap(({ content }): unknown[] => content)

it('a model sees what it wrote, not what people see of it', () => {
  expect(said({ type: 'text', text: 'Done.' }, replyPart('{"a":1}'))).toEqual([
    { type: 'text', text: '{"a":1}' },
  ])
  expect(said(attemptPart('broken {', 'no JSON'))).toEqual([{ type: 'text', text: 'broken {' }])
})

it.each([undefined, null, 'text', 7, {}, { text: 7 }, []])(
  'a part of a log that holds %j says nothing',
  (data) => {
    for (const type of ['data-reply', 'data-reply-attempt'])
      expect(said({ type: 'text', text: 'Done.' }, { type, data })).toEqual([{ type: 'text', text: 'Done.' }])
  },
)
