import dns from 'node:dns'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ModelEvent, ModelMessage } from '../src/core/models/adapter.ts'
import { createChatCompletionsAdapter } from '../src/core/models/chat-completions.ts'
import { createAnthropicAdapter } from '../src/core/models/hosted-adapters.ts'
import { replySchema } from '../src/extensions/plan/read-reply.ts'
import {
  askFor,
  bodyOf,
  canaryKey,
  dialects,
  hear,
  tryOut,
  userSays,
  type Dialect,
} from './providers/dialects.ts'
import { startProviderServer, type Behaviour } from './providers/provider-server.ts'

const usage = { input: 100, output: 20, cacheRead: 64, reasoning: 8 }
const counted = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64, reasoningTokens: 8 }

const finished = expect.objectContaining({
  type: 'finish',
  reason: 'stop',
  usage: expect.objectContaining(counted),
  // the provider's own
  id: expect.any(String),
})

const texts = (...parts: string[]): ModelEvent[] => parts.map((text) => ({ type: 'text-delta', text }))

/** The events of a tool call before it is made, from an input that came in these pieces. */
const inputs = (
  dialect: Dialect,
  toolCallId: string,
  toolName: string,
  ...pieces: string[]
): ModelEvent[] => [
  { type: 'tool-input-start', toolCallId, toolName },
  ...(dialect.hasWholeInputs ? [pieces.join('')] : pieces).map((text): ModelEvent => ({
    type: 'tool-input-delta',
    toolCallId,
    text,
  })),
]

const call = (
  toolCallId: string,
  toolName: string,
  input: string,
  providerMetadata?: Record<string, unknown>,
) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
  ...(providerMetadata && { providerMetadata }),
})

describe.each(dialects)('$name', (dialect) => {
  const metadataOf = (id: string, isFirst = true) => dialect.callMetadata?.(id, isFirst)

  it('tells text as it comes', async () => {
    const { events } = await tryOut(dialect, { reply: { text: 'Grüße, 世界 🙂', chunks: 4, usage } })
    expect(events).toEqual([...texts('Grü', 'ße,', ' 世界', ' 🙂'), finished])
  })

  it('tells text that comes byte by byte', async () => {
    const frames = dialect.wire.frames({ text: 'Grüße, 世界 🙂', chunks: 4 })
    const { events } = await tryOut(dialect, { frames: [frames.join('')], writeBytes: true })
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual(texts('Grü', 'ße,', ' 世界', ' 🙂'))
  })

  it('tells reasoning, and what must come back with it', async () => {
    const { events } = await tryOut(dialect, {
      reply: { reasoning: 'Let me see', signature: 'sig', text: 'Yes', chunks: 2 },
    })
    const { reasoningMetadata } = dialect
    expect(events.slice(0, -1)).toEqual([
      { type: 'reasoning-delta', text: 'Let m' },
      { type: 'reasoning-delta', text: 'e see' },
      { type: 'reasoning-end', ...(reasoningMetadata && { providerMetadata: reasoningMetadata }) },
      ...texts('Ye', 's'),
    ])
  })

  it('tells a tool call whose input came in pieces', async () => {
    const { events } = await tryOut(dialect, {
      reply: {
        signature: 'sig',
        text: 'I look',
        chunks: 2,
        toolCalls: [{ id: 'c1', name: 'look', input: '{"at":"世界"}' }],
      },
    })
    expect(events).toEqual([
      ...texts('I l', 'ook'),
      ...inputs(dialect, 'c1', 'look', '{"at":', '"世界"}'),
      call('c1', 'look', '{"at":"世界"}', metadataOf('c1')),
      expect.objectContaining({ type: 'finish', reason: 'tool-calls' }),
    ])
  })

  it('tells several tool calls, each once', async () => {
    const { events } = await tryOut(dialect, {
      reply: {
        signature: 'sig',
        chunks: 1,
        toolCalls: [
          { id: 'c1', name: 'look', input: '{"at":1}' },
          { id: 'c2', name: 'look', input: '{"at":2}' },
          { id: 'c3', name: 'stop', input: '{}' },
        ],
      },
    })
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([
      call('c1', 'look', '{"at":1}', metadataOf('c1')),
      call('c2', 'look', '{"at":2}', metadataOf('c2', false)),
      call('c3', 'stop', '{}', metadataOf('c3', false)),
    ])
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
  })

  // Google sends inputs as JSON, not as text of JSON; only what is a text there can be wrong
  const wrong = ['{"at": ', 'at the door']
  const odd = [
    '{"at": 1}}',
    '{"__proto__": {"a": 1}}',
    '{"n": 1e999}',
    '{"a": 1, "a": 2}',
    '[]',
    '"x"',
    '   ',
  ]
  it.each(dialect.hasWholeInputs ? wrong : [...wrong, ...odd])(
    'tells a tool input as the model wrote it: %s',
    async (input) => {
      const { events } = await tryOut(dialect, { reply: { toolCalls: [{ id: 'c1', name: 'look', input }] } })
      expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input })
    },
  )

  it.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['refusal', 'content-filter'],
  ] as const)('tells why an answer ended early: %s', async (finish, reason) => {
    const { events } = await tryOut(dialect, { reply: { text: 'I must', chunks: 1, finish } })
    expect(events).toEqual([...texts('I must'), expect.objectContaining({ type: 'finish', reason })])
  })

  it.each([{ text: '' }, {}])('tells an empty answer as one: %j', async (reply) => {
    const { events } = await tryOut(dialect, { reply: { ...reply, usage } })
    expect(events).toEqual([finished])
  })
})

const tools = ['look', 'stop'].map((name) => ({
  name,
  description: `To ${name}`,
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
}))

/** A turn with two calls, the second of which went wrong, as the log holds it. */
const turn = (dialect: Dialect, number: number): ModelMessage[] => [
  userSays(`question ${number}`),
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'hm',
        ...(dialect.reasoningMetadata && { providerMetadata: dialect.reasoningMetadata }),
      },
      { type: 'text', text: 'I look' },
      { type: 'tool-call', toolCallId: `a${number}`, toolName: 'look', input: { at: 'door' } },
      { type: 'tool-call', toolCallId: `b${number}`, toolName: 'look', input: '{"at": ' },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: `a${number}`,
        toolName: 'look',
        output: '{"open":true}',
        isError: false,
      },
      { type: 'tool-result', toolCallId: `b${number}`, toolName: 'look', output: 'no JSON', isError: true },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: `answer ${number}` }] },
]

/** The marks of a cache move on with the conversation and are no part of what is cached. */
const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)))

describe.each(dialects)('$name, what is sent', (dialect) => {
  /** The bodies of requests that each hold one more message of the log. */
  async function send(...requests: ModelMessage[][]) {
    await using server = await startProviderServer(dialect.wire)
    const adapter = dialect.create(server.url, { apiKey: canaryKey })
    for (const messages of requests) await hear(adapter, askFor('', { messages, tools }))
    return requests.map((_, index) => bodyOf(server, index))
  }

  it('is a prefix of what is sent next', async () => {
    const log = [...turn(dialect, 1), ...turn(dialect, 2), userSays('question 3')]
    const steps = [1, 3, 5, 7, 9].map((length) => log.slice(0, length))
    const bodies = (await send(...steps)).map((body) => withoutMarks(body) as Record<string, unknown>)
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index]!
      const [older, newer] = [dialect.messagesOf(before), dialect.messagesOf(body)]
      expect(newer.length).toBeGreaterThan(older.length)
      expect(JSON.stringify(newer).startsWith(JSON.stringify(older).slice(0, -1))).toBe(true)
      expect({ ...body, messages: 0, input: 0, contents: 0 }).toEqual({
        ...before,
        messages: 0,
        input: 0,
        contents: 0,
      })
    }
  })

  it('holds every result next to its call, also of a call that was no JSON', async () => {
    const [body] = await send([...turn(dialect, 1), userSays('next')])
    const text = JSON.stringify(body)
    for (const [id, result] of [
      ['a1', 'open'],
      ['b1', 'no JSON'],
    ] as const) {
      expect(text.indexOf(id)).toBeGreaterThan(0)
      expect(text.indexOf(result)).toBeGreaterThan(text.indexOf(id))
    }
    expect(text).toMatch(/invalid_input/)
  })

  it('leaves out an answer that was empty, and names no tool in a way that is refused', async () => {
    const [body] = await send([
      userSays('one'),
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      userSays('two'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'rm -rf /', input: {} }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'rm -rf /', output: 'no', isError: true },
        ],
      },
    ])
    const text = JSON.stringify(body)
    expect(text).not.toMatch(/"(content|parts)":(""|\[\])/)
    expect(text).toContain('"rm_-rf__"')
    expect(text).not.toContain('"rm -rf /"')
  })

  it('carries images and text files', async () => {
    const [body] = await send([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          {
            type: 'file',
            mediaType: 'image/png',
            url: 'data:image/png;base64,iVBORw0KGgo=',
            filename: 'a.png',
          },
          { type: 'file', mediaType: 'text/csv', url: 'data:text/csv;base64,YSxi', filename: 'a.csv' },
          { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,caf%C3%A9' },
        ],
      },
    ])
    const text = JSON.stringify(body)
    for (const part of ['iVBORw0KGgo=', '<file name=\\"a.csv\\">\\na,b', 'café']) expect(text).toContain(part)
  })

  it('has the key in a header, and in nothing else', async () => {
    await using server = await startProviderServer(dialect.wire)
    await hear(dialect.create(server.url, { apiKey: canaryKey }), askFor('hi'))
    const [request] = server.requests
    expect(Object.values(request!.headers).join()).toContain(canaryKey)
    expect(request!.path + request!.body.toString()).not.toContain(canaryKey)
  })

  it('goes to no other address: a redirect is a fault', async () => {
    await using other = await startProviderServer(dialect.wire)
    const { fault } = await tryOut(dialect, {
      status: 307,
      headers: { location: `${other.url}/v1/messages` },
    })
    expect(fault).toMatchObject({
      kind: 'bad-request',
      status: 307,
      message: expect.stringContaining(other.url),
    })
    expect(other.requests).toEqual([])
  })
})

describe('what providers can cache and think about', () => {
  const byName = (name: string) => dialects.find((dialect) => dialect.name === name)!

  async function bodyFor(name: string, more: Parameters<typeof askFor>[1]) {
    await using server = await startProviderServer(byName(name).wire)
    await hear(byName(name).create(server.url, { apiKey: canaryKey }), askFor('hi', more))
    return bodyOf(server, 0)
  }

  it('marks for Anthropic the prompt, the end, and where the last request ended', async () => {
    const messages = [
      ...turn(byName('Anthropic Messages'), 1),
      ...turn(byName('Anthropic Messages'), 2).slice(0, 3),
    ]
    const body = (await bodyFor('Anthropic Messages', { messages, tools })) as {
      system: object[]
      messages: { content: object[] }[]
    }
    const marked = (parts: object[]) => parts.map((part) => 'cache_control' in part)
    expect(marked(body.system)).toEqual([true])
    expect(body.messages.map(({ content }) => marked(content).lastIndexOf(true))).toEqual([
      -1, -1, -1, -1, 0, -1, 1,
    ])
    expect(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(3)
  })

  it('gives OpenAI a key for its cache, and has it store nothing', async () => {
    expect(await bodyFor('OpenAI Responses', {})).toMatchObject({
      prompt_cache_key: 'ses_1',
      store: false,
      include: ['reasoning.encrypted_content'],
    })
    // a server that is not OpenAI may refuse what it does not know
    expect(await bodyFor('Chat Completions', {})).not.toHaveProperty('prompt_cache_key')
  })

  it.each([
    ['Chat Completions', { reasoning_effort: 'medium' }],
    ['Chat Completions through the AI SDK', { reasoning_effort: 'medium' }],
    ['OpenAI Responses', { reasoning: { effort: 'medium', summary: 'detailed' } }],
    ['Anthropic Messages', { thinking: { type: 'adaptive', display: 'summarized' } }],
    [
      'Google generateContent',
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'medium' } } },
    ],
  ])('asks for reasoning the way it is asked for: %s', async (name, expected) => {
    const [plain, thinking] = [await bodyFor(name, {}), await bodyFor(name, { thinking: true })]
    expect(thinking).toMatchObject(expected)
    expect(plain).not.toMatchObject(expected)
  })

  it.each([
    ['Chat Completions', { max_tokens: 77 }],
    ['OpenAI Responses', { max_output_tokens: 77 }],
    ['Anthropic Messages', { max_tokens: 77 }],
    ['Google generateContent', { generationConfig: { maxOutputTokens: 77 } }],
  ])('passes the limit of an answer on: %s', async (name, expected) => {
    expect(await bodyFor(name, { maxOutputTokens: 77 })).toMatchObject(expected)
  })
})

describe('the format of a reply', () => {
  const byName = (name: string) => dialects.find((dialect) => dialect.name === name)!
  // open in places: parameters of an action are any object
  const schema = z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>
  const replyFormat = { name: 'plan_reply', schema }
  const json = '{"llm_reply":{"message":"Grüße, 世界"},"actions":[]}'
  const textOf = (events: ModelEvent[]) =>
    events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

  it.each<[string, object]>([
    [
      'OpenAI Responses',
      {
        text: {
          format: { type: 'json_schema', name: 'plan_reply', strict: false, schema: { type: 'object' } },
        },
      },
    ],
    ['Google generateContent', { generationConfig: { responseMimeType: 'application/json' } }],
    ['Chat Completions', { response_format: { type: 'json_object' } }],
    ['Chat Completions through the AI SDK', { response_format: { type: 'json_object' } }],
  ])('is asked for, and what comes is told as text: %s', async (name, expected) => {
    await using server = await startProviderServer(byName(name).wire)
    server.script({ reply: { text: json, chunks: 4 } }, { reply: { text: 'plain' } })
    const adapter = byName(name).create(server.url, { apiKey: canaryKey })
    const { events } = await hear(adapter, askFor('hi', { replyFormat }))
    expect(bodyOf(server, 0)).toMatchObject(expected)
    expect(textOf(events)).toBe(json)
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    await hear(adapter, askFor('hi'))
    expect(bodyOf(server, 1)).not.toMatchObject(expected)
  })

  it('has no schema for Gemini, which would leave its open places empty', async () => {
    await using server = await startProviderServer(byName('Google generateContent').wire)
    const adapter = byName('Google generateContent').create(server.url, { apiKey: canaryKey })
    for (const more of [{}, { tools }]) await hear(adapter, askFor('hi', { replyFormat, ...more }))
    for (const body of [bodyOf(server, 0), bodyOf(server, 1)])
      expect(JSON.stringify(body)).not.toMatch(/llm_reply|responseJsonSchema|responseSchema/)
    expect(JSON.stringify(bodyOf(server, 1))).toMatch(/"name":"look"/)
  })

  it.each(['Chat Completions', 'Chat Completions through the AI SDK'])(
    'is not asked for together with tools, which it would rule out: %s',
    async (name) => {
      await using server = await startProviderServer(byName(name).wire)
      const adapter = byName(name).create(server.url, { apiKey: canaryKey })
      await hear(adapter, askFor('hi', { replyFormat, tools }))
      expect(bodyOf(server, 0)).not.toHaveProperty('response_format')
    },
  )

  it('is a schema for OpenAI itself, with tools or without', async () => {
    await using server = await startProviderServer(byName('Chat Completions').wire)
    // its name leads here
    vi.spyOn(dns, 'lookup').mockImplementation(((_: string, __: object, found: Function) =>
      found(null, [{ address: '127.0.0.1', family: 4 }])) as never)
    const baseUrl = server.url.replace('127.0.0.1', 'api.openai.com')
    const adapter = createChatCompletionsAdapter('openai/m', 'm', { baseUrl: `${baseUrl}/v1` })
    const outcomes = [
      await hear(adapter, askFor('hi', { replyFormat })),
      await hear(adapter, askFor('hi', { replyFormat, tools })),
    ]
    vi.restoreAllMocks()
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined])
    for (const body of [bodyOf(server, 0), bodyOf(server, 1)])
      expect(body.response_format).toEqual({
        type: 'json_schema',
        json_schema: { name: 'plan_reply', strict: false, schema },
      })
  })

  it('is left out where the SDK itself cannot say it', async () => {
    await using server = await startProviderServer(byName('OpenAI Responses').wire)
    const adapter = byName('OpenAI Responses').create(server.url, { apiKey: canaryKey })
    const odd = { name: 'odd', schema: { type: 'object', propertyNames: false } }
    const { events } = await hear(adapter, askFor('hi', { replyFormat: odd }))
    expect(textOf(events)).toBe('ok')
    expect(bodyOf(server, 0)).not.toHaveProperty('text')
  })

  describe('of Claude', () => {
    const wire = byName('Anthropic Messages').wire

    async function ask(model: string, reply: object, more: Parameters<typeof askFor>[1] = {}) {
      await using server = await startProviderServer(wire)
      server.script({ reply })
      const adapter = createAnthropicAdapter(model, { apiKey: canaryKey, baseUrl: server.url })
      const outcome = await hear(adapter, askFor('hi', { replyFormat, ...more }))
      return { ...outcome, body: bodyOf(server, 0) as { tools?: { name: string }[]; tool_choice?: object } }
    }
    const called = { toolCalls: [{ id: 'c1', name: 'json', input: json }], chunks: 5 }

    it('is a tool that must be called, and its input is the text', async () => {
      const { body, events } = await ask('claude-haiku-4-5', called, { tools })
      expect(body.tools!.map(({ name }) => name)).toEqual(['look', 'stop', 'json'])
      expect(body.tool_choice).toMatchObject({ type: 'any' })
      expect(textOf(events)).toBe(json)
      expect(events.map(({ type }) => type)).not.toContain('tool-call')
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    })

    it('lets it call another tool before', async () => {
      const look = { toolCalls: [{ id: 'c1', name: 'look', input: '{"at":"door"}' }] }
      const { events } = await ask('claude-haiku-4-5', look, { tools })
      expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ toolName: 'look' })
      expect(events.at(-1)).toMatchObject({ reason: 'tool-calls' })
    })

    it('may be called where a model cannot be made to, and words do as well', async () => {
      for (const reply of [called, { text: json, chunks: 5 }]) {
        const { body, events } = await ask('claude-sonnet-5-5', reply)
        expect(body.tool_choice).toMatchObject({ type: 'auto' })
        expect(textOf(events)).toBe(json)
        expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
      }
    })

    it('is left out where it shall think', async () => {
      const { body, events } = await ask('claude-haiku-5-5', { text: json }, { thinking: true })
      expect(body).not.toHaveProperty('tools')
      expect(textOf(events)).toBe(json)
    })

    it('keeps nobody waiting in silence while its words are held back', async () => {
      await using server = await startProviderServer(wire)
      const words = json.padEnd(200)
      server.script({ reply: { text: words, chunks: 40 }, everyMs: 200 })
      const adapter = createAnthropicAdapter('claude-sonnet-5-5', {
        apiKey: canaryKey,
        baseUrl: server.url,
        idleTimeoutMs: 6_000,
      })
      const { events, error } = await hear(adapter, askFor('hi', { replyFormat }))
      expect(error).toBeUndefined()
      expect(textOf(events)).toBe(words)
    })
  })

  describe.each(dialects)('that $name does not take', (dialect) => {
    const refusal = {
      status: 400,
      body: dialect.wire.errorBody({ type: 'invalid_request_error', message: 'unknown field', status: 400 }),
    }
    const marks = /response_?format|json_schema|responseMimeType|"json"/i

    /** What came of so many requests, and which of those on the wire asked for the format. */
    async function ask(times: number, ...behaviours: Behaviour[]) {
      await using server = await startProviderServer(dialect.wire)
      server.script(...behaviours)
      const adapter = dialect.create(server.url, { apiKey: canaryKey })
      const outcomes = []
      for (let round = 0; round < times; round++)
        outcomes.push(await hear(adapter, askFor('hi', { replyFormat })))
      return { outcomes, asked: server.requests.map(({ body }) => marks.test(body.toString())) }
    }

    it.each([400, 422])('is left out, then and from then on: %i', async (status) => {
      const answered = { reply: { text: json } }
      const { outcomes, asked } = await ask(2, { ...refusal, status }, answered, answered)
      expect(outcomes.map(({ events }) => textOf(events))).toEqual([json, json])
      expect(asked).toEqual([true, false, false])
    })

    it('is asked for again when something else was wrong', async () => {
      const { outcomes, asked } = await ask(2, refusal, refusal, { reply: { text: json } })
      expect(outcomes[0]!.error).toMatchObject({ kind: 'bad-request', status: 400 })
      expect(textOf(outcomes[1]!.events)).toBe(json)
      expect(asked).toEqual([true, false, true])
    })

    it('does not make a fault of another kind come twice', async () => {
      const { outcomes, asked } = await ask(1, { ...refusal, status: 503 })
      expect(outcomes[0]!.error).toMatchObject({ kind: 'overloaded' })
      expect(asked).toEqual([true])
    })
  })
})
