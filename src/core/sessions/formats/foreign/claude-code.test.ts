import { expect, it } from 'vitest'
import { parseRows } from '../jsonl.ts'
import { fromClaudeCodeRows } from './claude-code.ts'

const sessionId = '5f0c4e5a-7d41-4d2b-9a3e-0d9f3a4b5c6d'

function log(...rows: object[]) {
  return fromClaudeCodeRows(parseRows(rows.map((row) => JSON.stringify(row)).join('\n')))
}

const user = (uuid: string, content: unknown, more = {}) => ({
  type: 'user',
  uuid,
  sessionId,
  timestamp: '2026-01-01T10:00:00.000Z',
  message: { role: 'user', content },
  ...more,
})
const assistant = (uuid: string, id: string, block: object, more = {}) => ({
  type: 'assistant',
  uuid,
  sessionId,
  timestamp: '2026-01-01T10:00:05.000Z',
  message: {
    id,
    role: 'assistant',
    model: 'claude',
    content: [block],
    usage: { input_tokens: 3, output_tokens: 7 },
  },
  ...more,
})
const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } })
const answer = (id: string, content: unknown, more = {}) => [
  { type: 'tool_result', tool_use_id: id, content, ...more },
]

it('joins the lines of one answer, and each tool with what it answered', () => {
  const { document, skipped } = log(
    { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
    user('u1', 'List the files\nplease'),
    assistant('a1', 'msg_1', { type: 'thinking', thinking: 'ls', signature: 'sig' }),
    assistant('a2', 'msg_1', use('t1')),
    user('u2', answer('t1', [{ type: 'text', text: 'a.txt' }])),
    assistant('a3', 'msg_1', use('t2')),
    user('u3', answer('t2', 'no such file', { is_error: true })),
    assistant('a4', 'msg_2', use('t3')),
    assistant('a5', 'msg_2', { type: 'text', text: 'One file.' }),
    { type: 'system', subtype: 'info', content: 'x' },
  )
  expect(skipped).toBe(2)
  expect(document.session).toMatchObject({
    id: sessionId,
    title: 'List the files please',
    createdAt: '2026-01-01T10:00:00.000Z',
  })
  const tool = { type: 'dynamic-tool', toolName: 'Bash', input: { command: 'ls' } }
  expect(document.messages.map(({ id, role, parts }) => ({ id, role, parts }))).toEqual([
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'List the files\nplease' }] },
    {
      id: 'a1',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'ls', providerMetadata: { anthropic: { signature: 'sig' } } },
        { ...tool, toolCallId: 't1', state: 'output-available', output: 'a.txt' },
        { ...tool, toolCallId: 't2', state: 'output-error', errorText: 'no such file' },
      ],
    },
    {
      id: 'a4',
      role: 'assistant',
      parts: [
        { ...tool, toolCallId: 't3', state: 'input-available' },
        { type: 'text', text: 'One file.' },
      ],
    },
  ])
  expect(document.messages[1]?.metadata).toEqual({
    model: 'claude',
    usage: { inputTokens: 3, outputTokens: 7 },
  })
})

it('takes the summary for a title, cut to 60 characters', () => {
  const { document } = log(
    { type: 'summary', summary: `Files ${'x'.repeat(80)}`, leafUuid: 'u1' },
    user('u1', 'Hi'),
  )
  expect(document.session.title).toBe(`Files ${'x'.repeat(54)}`)
})

it('leaves out side chains and notes to the model', () => {
  const { document, skipped } = log(
    user('u0', 'Caveat: …', { isMeta: true }),
    user('u1', 'Sub-task', { isSidechain: true }),
    user('u2', 'Hello'),
    assistant('a1', 'msg_1', { type: 'text', text: 'Sub-answer' }, { isSidechain: true }),
  )
  expect(document.messages.map((message) => message.id)).toEqual(['u2'])
  expect(document.session.title).toBe('Hello')
  expect(skipped).toBe(3)
})

it('reads images, and a question that comes with an answer of a tool', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const { document } = log(
    assistant('a1', 'msg_1', use('t1')),
    user('u1', [...answer('t1', 'ok'), { type: 'text', text: 'And this?' }, { type: 'image', source }]),
  )
  expect(document.messages[0]?.parts).toMatchObject([{ toolCallId: 't1', output: 'ok' }])
  expect(document.messages[1]?.parts).toEqual([
    { type: 'text', text: 'And this?' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
  ])
})
