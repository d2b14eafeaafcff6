import { describe, expect, it } from 'vitest'
import { fromUiMessages } from './ui-messages.ts'

const messagesOf = (value: unknown) => fromUiMessages(value).messages

describe('AI SDK UI messages', () => {
  it('keep their parts as they are', () => {
    const parts = [
      { type: 'step-start' },
      { type: 'text', text: 'Hi', state: 'done' },
      { type: 'tool-search', toolCallId: '1', state: 'output-available', input: { q: 1 }, output: [] },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    ]
    const given = {
      id: 'm1',
      role: 'assistant',
      parts,
      metadata: { a: 1 },
      createdAt: '2026-01-01T00:00:00Z',
    }
    expect(messagesOf([given])).toEqual([{ ...given, createdAt: '2026-01-01T00:00:00.000Z' }])
  })

  it('of older versions get the fields of today', () => {
    const parts = [
      { type: 'reasoning', reasoning: 'Hm' },
      { type: 'file', mimeType: 'image/png', data: 'AAAA' },
    ]
    expect(messagesOf([{ role: 'assistant', parts, content: 'ignored' }])[0]?.parts).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    ])
  })

  it('bring the id and title of their session, when these fit', () => {
    const one = fromUiMessages({ id: 'chat-1', title: 'A\nB', messages: [], model: 'ignored' })
    expect(one.session).toMatchObject({ id: 'chat-1', title: 'A B', kind: 'interactive' })
    expect(fromUiMessages({ id: '../etc', title: 7, messages: [] }).session).toEqual({
      kind: 'interactive',
      title: '',
    })
  })
})

it('drops message ids that do not fit or are taken, and times that mean nothing', () => {
  const ids = ['a', 'a', '', 'x'.repeat(201), 7, '\u0000', 'b'].map((id) => ({
    id,
    role: 'user',
    content: '',
  }))
  // a NUL is refused by whoever parses the file; here only the id is at stake
  expect(messagesOf(ids).map((message) => message.id)).toEqual([
    'a',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'b',
  ])
  expect(messagesOf([{ role: 'user', content: '', createdAt: 'soon' }])[0]).not.toHaveProperty(
    'createdAt',
    expect.any(String),
  )
})

it('reads the roles of other tools', () => {
  const roles = ['user', 'assistant', 'system', 'developer'].map((role) => ({ role, content: 'x' }))
  expect(messagesOf(roles).map((message) => message.role)).toEqual(['user', 'assistant', 'system', 'system'])
})

it('reads OpenAI content parts', () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    { type: 'image_url', image_url: 'data:image/jpeg;base64,AAAA' },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'refusal', refusal: 'No' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ]
  expect(messagesOf([{ role: 'user', content }])[0]?.parts).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/*', url: 'https://example.com/a.png' },
    { type: 'file', mediaType: 'image/jpeg', url: 'data:image/jpeg;base64,AAAA' },
    {
      type: 'file',
      mediaType: 'application/pdf',
      filename: 'a.pdf',
      url: 'data:application/pdf;base64,AAAA',
    },
    { type: 'text', text: 'No' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ])
})

describe('tools', () => {
  const called = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const tool = { type: 'dynamic-tool', toolName: 'add', toolCallId: 'c1', input: { a: 1 } }

  it('of OpenAI: the answer completes the call', () => {
    const messages = messagesOf([
      { role: 'user', content: 'Add' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [called('c1', 'add', '{"a":1}'), called('c2', 'add', '{"a":')],
      },
      { role: 'tool', tool_call_id: 'c1', content: '2' },
      { role: 'assistant', content: 'It is 2' },
    ])
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'assistant'])
    expect(messages[1]?.parts).toEqual([
      { ...tool, state: 'output-available', output: '2' },
      { ...tool, toolCallId: 'c2', input: '{"a":', state: 'input-available' },
    ])
  })

  it('of OpenAI, the older way: the name connects call and answer', () => {
    const messages = messagesOf([
      { role: 'assistant', content: '', function_call: { name: 'add', arguments: '{"a":1}' } },
      { role: 'function', name: 'add', content: '2' },
    ])
    expect(messages).toHaveLength(1)
    expect(messages[0]?.parts).toEqual([
      { ...tool, toolCallId: 'add', state: 'output-available', output: '2' },
    ])
  })

  it.each([
    [
      { type: 'json', value: { sum: 2 } },
      { state: 'output-available', output: { sum: 2 } },
    ],
    [
      { type: 'content', value: [{ type: 'text', text: '2' }] },
      { state: 'output-available', output: '2' },
    ],
    [
      { type: 'error-text', value: 'overflow' },
      { state: 'output-error', errorText: 'overflow' },
    ],
    [
      { type: 'error-json', value: { code: 1 } },
      { state: 'output-error', errorText: '{"code":1}' },
    ],
  ])('of AI SDK model messages: %j', (output, expected) => {
    const messages = messagesOf([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: { a: 1 } }],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'add', output }] },
    ])
    expect(messages).toHaveLength(1)
    expect(messages[0]?.parts).toEqual([{ ...tool, ...expected }])
  })

  it('an id that is used again belongs to the latest call', () => {
    const round = (output: string) => [
      { role: 'assistant', content: '', tool_calls: [called('c1', 'add', '{"a":1}')] },
      { role: 'tool', tool_call_id: 'c1', content: output },
    ]
    const messages = messagesOf([...round('first'), ...round('second')])
    expect(messages.map((message) => message.parts?.[0]?.output)).toEqual(['first', 'second'])
  })

  it('keeps an answer to a call that is not in the file', () => {
    const messages = messagesOf([
      { role: 'user', content: 'x' },
      { role: 'tool', tool_call_id: 'c9', name: 'add', content: '2' },
    ])
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'dynamic-tool', toolName: 'add', toolCallId: 'c9', state: 'output-available', output: '2' },
      ],
    })
  })
})

it.each([
  [[{ role: 'user', content: 5 }], 'messages.0.content is neither text nor a list of parts: 5'],
  [[{ role: 'user', content: ['a', 5] }], 'messages.0.content.1 is not a part'],
  [[{ role: 'user', parts: 'x' }], 'messages.0.parts is not a list: "x"'],
  [[{ role: 'user', parts: [{ type: 'text' }] }], 'a text part needs a string "text"'],
  [[{ role: 'assistant', tool_calls: [null] }], 'messages.0.tool_calls.0 is not an object: null'],
  [{ messages: 'x' }, '"messages" is not a list: "x"'],
])('names what it cannot read in %j', (value, reason) => {
  expect(() => fromUiMessages(value)).toThrow(reason)
})
