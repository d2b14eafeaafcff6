import { expect, it } from 'vitest'
import { parseRows } from '../jsonl.ts'
import { fromOpenAiRows } from './openai-jsonl.ts'

const read = (...rows: unknown[]) =>
  fromOpenAiRows(parseRows(rows.map((row) => JSON.stringify(row)).join('\n')))

it('makes one session of one message per line', () => {
  const [document, ...others] = read({ role: 'system', content: 'Be brief' }, { role: 'user', content: 'Hi' })
  expect(others).toEqual([])
  expect(document?.messages.map(({ role, parts }) => [role, parts?.[0]?.text])).toEqual([
    ['system', 'Be brief'],
    ['user', 'Hi'],
  ])
})

it('makes a session of each line that holds messages', () => {
  const documents = read({ messages: [{ role: 'user', content: 'a' }], tools: [] }, { messages: [] })
  expect(documents.map((document) => document.messages.length)).toEqual([1, 0])
})

it('names the line that it cannot read', () => {
  expect(() => read({ role: 'user', content: 'a' }, { content: 'b' })).toThrow('Line 2.role is undefined')
  expect(() => read({ messages: [] }, { messages: [{ role: 'x' }] })).toThrow(
    'Line 2: messages.0.role is "x"',
  )
  expect(() => read({ role: 'user', content: 'a' }, { messages: [] })).toThrow('Line 2 holds "messages"')
})
