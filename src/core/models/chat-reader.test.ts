import { describe, expect, it } from 'vitest'
import type { ModelEvent } from './adapter.ts'
import { createChatReader } from './chat-reader.ts'
import { createFaults } from './provider-faults.ts'

/** The events of a reply that came in these deltas. */
function read(deltas: unknown[], finish_reason: unknown = 'stop', usage?: unknown): ModelEvent[] {
  const reader = createChatReader(createFaults('x/m'))
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ delta }] })),
    { choices: [{ delta: {}, finish_reason }] },
    { choices: [], usage },
  ]
  const events = chunks.flatMap((chunk) => [...reader.read(JSON.stringify(chunk))])
  return [...events, ...reader.end()]
}

const callsOf = (events: ModelEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool-call' ? [[event.toolCallId, event.toolName, event.input]] : [],
  )

const piece = (fields: { index?: unknown; id?: unknown; name?: unknown; text?: unknown }) => ({
  tool_calls: [
    { index: fields.index, id: fields.id, function: { name: fields.name, arguments: fields.text } },
  ],
})

describe('tool calls', () => {
  it('are put together by index, however their pieces mix', () => {
    const events = read([
      piece({ index: 0, id: 'a', name: 'one', text: '{"n"' }),
      piece({ index: 1, id: 'b', name: 'two', text: '{' }),
      piece({ index: 0, text: ':1}' }),
      piece({ index: 1, text: '}' }),
    ])
    expect(callsOf(events)).toEqual([
      ['a', 'one', '{"n":1}'],
      ['b', 'two', '{}'],
    ])
    expect(events.at(-1)).toMatchObject({ reason: 'tool-calls' })
  })

  it('that share an index are told apart by their ids', () => {
    const events = read([
      piece({ index: 0, id: 'a', name: 'one', text: '{}' }),
      piece({ index: 0, id: 'b', name: 'one', text: '{}' }),
    ])
    expect(callsOf(events)).toEqual([
      ['a', 'one', '{}'],
      ['b', 'one', '{}'],
    ])
  })

  it('without an id, or with one that is taken, get one of their own', () => {
    const calls = callsOf(
      read([
        piece({ index: 0, name: 'one', text: '{}' }),
        piece({ index: 1, id: 'x', name: 'two', text: '{}' }),
        piece({ index: 2, id: 'x', name: 'three', text: '{}' }),
      ]),
    )
    expect(calls.map(([, name]) => name)).toEqual(['one', 'two', 'three'])
    expect(new Set(calls.map(([id]) => id)).size).toBe(3)
  })

  it('whose name comes late begin with all that came before it', () => {
    const events = read([
      piece({ index: 0, id: 'a', text: '{"n"' }),
      piece({ index: 0, name: 'one', text: ':1}' }),
    ])
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'one' },
      { type: 'tool-input-delta', toolCallId: 'a', text: '{"n":1}' },
    ])
    expect(callsOf(events)).toEqual([['a', 'one', '{"n":1}']])
  })

  it('without a text have an empty input, without a name an empty name', () => {
    expect(callsOf(read([piece({ index: 0, id: 'a', name: 'one' })]))).toEqual([['a', 'one', '{}']])
    expect(callsOf(read([piece({ index: 0, id: 'a', text: '{}' })]))).toEqual([['a', '', '{}']])
  })

  it('keep what the server attached to them', () => {
    const extra_content = { google: { thought_signature: 's' } }
    const events = read([{ tool_calls: [{ index: 0, id: 'a', function: { name: 'one' }, extra_content }] }])
    expect(events.at(-2)).toMatchObject({ providerMetadata: { chatCompletions: { extra: extra_content } } })
  })

  it('come two hundred at a time', () => {
    const tool_calls = Array.from({ length: 200 }, (_, index) => ({
      id: `c${index}`,
      function: { name: 'one' },
    }))
    expect(callsOf(read([{ tool_calls }]))).toHaveLength(200)
  })
})

describe('what servers do differently', () => {
  it('reasoning in another field, or together with text', () => {
    expect(read([{ reasoning: 'hm' }, { reasoning: '!', content: 'yes' }]).slice(0, 4)).toEqual([
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'reasoning-delta', text: '!' },
      { type: 'reasoning-end', providerMetadata: { chatCompletions: { field: 'reasoning' } } },
      { type: 'text-delta', text: 'yes' },
    ])
  })

  it('text in parts', () => {
    expect(
      read([{ content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] }])[0],
    ).toEqual({
      type: 'text-delta',
      text: 'ab',
    })
  })

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['insufficient_system_resource', 'other'],
  ])('an end called %s', (finish, reason) => {
    expect(read([{ content: 'a' }], finish).at(-1)).toMatchObject({ reason })
  })

  it.each([
    null,
    7,
    'text',
    [],
    { choices: null },
    { choices: 'no' },
    { choices: [null] },
    { choices: [{ delta: 7 }] },
  ])('a chunk that says nothing: %j', (chunk) => {
    const reader = createChatReader(createFaults('x/m'))
    expect([...reader.read(JSON.stringify(chunk))]).toEqual([])
  })

  it.each([
    { content: 7 },
    { reasoning_content: {} },
    { tool_calls: {} },
    { tool_calls: [null, 7, 'x', { function: 'f', id: 7, index: {} }] },
    { tool_calls: [{ function: { name: {}, arguments: [] } }] },
  ])('a delta of wrong types: %j', (delta) => {
    const told = read([delta])
    expect(told.at(-1)).toMatchObject({ type: 'finish' })
    for (const event of told)
      if ('text' in event) expect(typeof event.text).toBe('string')
      else if ('input' in event) expect([event.toolName, event.input]).toEqual(['', '{}'])
  })

  it('counts that are no numbers', () => {
    expect(
      read([], 'stop', { prompt_tokens: '7', completion_tokens: null, prompt_tokens_details: 7 }).at(-1),
    ).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: {},
    })
  })
})
