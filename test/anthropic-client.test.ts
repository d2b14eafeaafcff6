/** Messages as the package of Anthropic asks for them. */
import Anthropic, { APIError, NotFoundError } from '@anthropic-ai/sdk'
import type { Message, MessageParam, RawMessageStreamEvent, Tool } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { parameterNames } from '../src/core/protocol/parameters.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { startApp, type AppServerOptions } from './http/app-server.ts'

const model = 'scripted/test'
const weather: Tool = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Asks for the weather of each list of cities in a step of its own, then says what it heard last. */
const asksFor =
  (...cities: string[][]): Script =>
  ({ messages }) => {
    const heard = messages.filter(({ role }) => role === 'tool').length
    const last = messages.at(-1)!
    if (heard < cities.length)
      return calls(...cities[heard]!.map((city): [string, unknown] => ['weather', { city }]))
    return says(`Heard ${JSON.stringify(last.content.at(-1))}`)
  }

async function open(script: Script, options: AppServerOptions = {}) {
  const scripted = Object.assign(createScripted(script), { takes: parameterNames })
  const server = await startApp({ model: scripted, background: {}, ...options })
  return {
    server,
    anthropic: new Anthropic({ baseURL: server.url, apiKey: 'not needed', maxRetries: 0 }),
    client: createClient({ baseUrl: server.url }),
    requests: scripted.requests,
    runs: async () => (await server.store.listRuns('default', { limit: 50 })).items,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
type Chat = Awaited<ReturnType<typeof open>>

const usesOf = ({ content }: Message) =>
  content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
const textOf = ({ content }: Message) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
const ask = ({ anthropic }: Chat, messages: MessageParam[], more: object = {}) =>
  anthropic.messages.create({ model, max_tokens: 1_000, messages, ...more }) as Promise<Message>
const user = (content: MessageParam['content']): MessageParam => ({ role: 'user', content })

const answersOf = (message: Message, more: object = {}): MessageParam[] => [
  { role: 'assistant', content: message.content },
  user(
    usesOf(message).map(({ id, input }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: `sun for ${JSON.stringify(input)}`,
      ...more,
    })),
  ),
]

describe.each(anyDatabase)('a client of Anthropic with tools on %s', (_name, database) => {
  it('goes through all of its calls in one turn of one session', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome'], ['Oslo', 'Bonn']), { database: db })
    const messages = [user('Weather?')]
    const reasons: unknown[] = []
    let message: Message
    do {
      message = await ask(chat, messages, { tools: [weather], system: 'Be brief.' })
      reasons.push(message.stop_reason)
      messages.push(...answersOf(message))
    } while (message.stop_reason === 'tool_use')
    expect(reasons).toEqual(['tool_use', 'tool_use', 'end_turn'])
    expect(textOf(message)).toContain('Bonn')
    expect(message).toMatchObject({ role: 'assistant', usage: { input_tokens: 10, output_tokens: 5 } })
    const runs = await chat.runs()
    expect(runs).toMatchObject([{ status: 'completed' }])
    expect(chat.requests).toHaveLength(3)
    expect(chat.requests[0]!.system).toContain('Be brief.')
    expect(chat.requests[0]!.tools.map(({ name }) => name)).toEqual(['weather'])
    expect(await chat.client.sessions.get(runs[0]!.sessionId)).toMatchObject({
      kind: 'tool',
      toolMeta: { source: 'anthropic' },
    })
  })

  it('streams calls, and what follows them', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome']), { database: db })
    const read = async (messages: MessageParam[]) => {
      const events: RawMessageStreamEvent[] = []
      const stream = chat.anthropic.messages.stream({ model, max_tokens: 1_000, messages, tools: [weather] })
      for await (const event of stream) events.push(event)
      return { types: events.map(({ type }) => type), message: await stream.finalMessage() }
    }
    const first = await read([user('Weather?')])
    expect(first.types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(first.message).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'weather', input: { city: 'Rome' } }],
    })
    const second = await read([user('Weather?'), ...answersOf(first.message)])
    expect(second.types).toEqual(first.types)
    expect(textOf(second.message)).toContain('Rome')
    expect(second.message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 10 } })
    expect(await chat.runs()).toHaveLength(1)
  })
})

describe('a message', () => {
  it('has what was thought before what is said, streamed as whole', async () => {
    await using chat = await open(() => [
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'text-delta', text: 'So' },
      {
        type: 'finish',
        reason: 'length',
        usage: { inputTokens: 9, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 2 },
      },
    ])
    const wanted = {
      content: [
        { type: 'thinking', thinking: 'Hm' },
        { type: 'text', text: 'So' },
      ],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 3, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 },
    }
    expect(await ask(chat, [user('Well?')])).toMatchObject(wanted)
    const stream = chat.anthropic.messages.stream({ model, max_tokens: 5, messages: [user('Well?')] })
    expect(await stream.finalMessage()).toMatchObject(wanted)
  })

  it('passes on what it is asked with', async () => {
    await using chat = await open(() => says('Fine'))
    await ask(chat, [user('Hi'), { role: 'assistant', content: 'Hello' }, user('How are you?')], {
      temperature: 0.2,
      top_p: 0.9,
      stop_sequences: ['END'],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      metadata: { user_id: 'u' },
    })
    expect(chat.requests[0]).toMatchObject({
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 1_000,
      stop: ['END'],
      reasoningEffort: 'low',
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    })
  })

  it.each<[string, object, object]>([
    ['any', { type: 'any' }, { toolChoice: 'required' }],
    ['one', { type: 'tool', name: 'weather' }, { toolChoice: { name: 'weather' } }],
    ['none', { type: 'none' }, { toolChoice: 'none' }],
  ])('chooses tools: %s', async (_name, choice, wanted) => {
    await using chat = await open(() => says('Fine'))
    await ask(chat, [user('Hi')], { tools: [weather], tool_choice: choice })
    expect(chat.requests[0]).toMatchObject(wanted)
  })

  it('gets one call at a time where it wants that', async () => {
    await using chat = await open(asksFor(['Rome', 'Oslo']))
    const message = await ask(chat, [user('Weather?')], {
      tools: [weather],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(usesOf(message)).toHaveLength(1)
  })

  it('brings images and documents', async () => {
    await using chat = await open(() => says('Seen'))
    await ask(chat, [
      user([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
        {
          type: 'document',
          title: 'Notes',
          source: { type: 'text', media_type: 'text/plain', data: 'Buy milk' },
        },
        { type: 'text', text: 'What is it?' },
      ]),
    ])
    expect(chat.requests[0]!.messages.at(-1)!.content.slice(-4)).toMatchObject([
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' },
      { type: 'file', mediaType: 'application/pdf', url: 'data:application/pdf;base64,aGk=' },
      { type: 'text', text: 'Notes\n\nBuy milk' },
      { type: 'text', text: 'What is it?' },
    ])
  })

  it('says that a tool failed, in the turn that waits and in one told again', async () => {
    await using chat = await open(asksFor(['Rome']))
    const first = await ask(chat, [user('Weather?')], { tools: [weather] })
    const failed = answersOf(first, { is_error: true })
    expect(textOf(await ask(chat, [user('Weather?'), ...failed], { tools: [weather] }))).toContain(
      '"isError":true',
    )
    expect(await chat.runs()).toHaveLength(1)
    expect(textOf(await ask(chat, [user('The weather?'), ...failed], { tools: [weather] }))).toContain(
      '"isError":true',
    )
    expect(await chat.runs()).toHaveLength(2)
  })

  it('follows on results when the user says more: then it is a turn of its own', async () => {
    await using chat = await open(asksFor(['Rome']))
    const first = await ask(chat, [user('Weather?')], { tools: [weather] })
    const [said, result] = answersOf(first) as [MessageParam, MessageParam]
    const blocks = [...(result.content as []), { type: 'text' as const, text: 'Be quick.' }]
    const second = await ask(chat, [user('Weather?'), said, user(blocks)], { tools: [weather] })
    expect(second.stop_reason).toBe('end_turn')
    // nobody continues the first one any more
    const left = (await chat.runs()).at(-1)!
    await expect
      .poll(async () => (await chat.server.store.getRun('default', left.id))!.status)
      .toBe('cancelled')
    expect(chat.requests.at(-1)!.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })

  it('is about as long as it is counted', async () => {
    await using chat = await open(() => says('Never'))
    const count = (text: string) => chat.anthropic.messages.countTokens({ model, messages: [user(text)] })
    const short = await count('Hi')
    expect(short.input_tokens).toBeGreaterThan(0)
    expect((await count('Hi there, how are you today? '.repeat(100))).input_tokens).toBeGreaterThan(
      short.input_tokens + 400,
    )
  })
})

describe('what is refused', () => {
  it.each<[string, object, string]>([
    [
      'a tool that Anthropic runs',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      '"web_search_20250305"',
    ],
    ['top k', { top_k: 5 }, 'top_k'],
    [
      'a beginning of the answer',
      { messages: [user('Hi'), { role: 'assistant', content: 'I' }] },
      'role "user"',
    ],
    [
      'a block of another kind',
      { messages: [user([{ type: 'search_result' } as never])] },
      '"search_result"',
    ],
    [
      'a file by its id',
      { messages: [user([{ type: 'image', source: { type: 'file', file_id: 'f' } } as never])] },
      'source',
    ],
    [
      'a result without its call',
      { messages: [user('Hi'), user([{ type: 'tool_result', tool_use_id: 'c' }])] },
      '"c"',
    ],
    ['an answer without a limit', { max_tokens: undefined }, 'max_tokens'],
    ['a choice of no tool', { tool_choice: { type: 'any' } }, 'tool_choice'],
  ])('%s', async (_what, body, message) => {
    await using chat = await open(() => says('Never'))
    const before = chat.server.dump()
    const error = await ask(chat, [user('Hi')], body).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({
      status: 400,
      error: {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
      },
    })
    expect(chat.server.dump()).toBe(before)
  })

  it('an unknown model, in the shape of Anthropic', async () => {
    await using chat = await open(() => says('Never'))
    const error = await ask(chat, [user('Hi')], { model: 'no-such-model' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NotFoundError)
    expect((error as NotFoundError).error).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    })
  })

  it('a wrong key', async () => {
    await using chat = await open(() => says('Hi'), { apiKeys: [{ key: 'right' }] })
    await expect(ask(chat, [user('Hi')])).rejects.toMatchObject({
      status: 401,
      error: { error: { type: 'authentication_error' } },
    })
    const right = new Anthropic({ baseURL: chat.server.url, apiKey: 'right' })
    expect(textOf(await right.messages.create({ model, max_tokens: 5, messages: [user('Hi')] }))).toBe('Hi')
  })

  it('a turn that fails, and a stream of one', async () => {
    await using chat = await open(() => [new Error('The model is on fire')])
    await expect(ask(chat, [user('Hi')])).rejects.toMatchObject({ status: 502 })
    const stream = chat.anthropic.messages.stream({ model, max_tokens: 5, messages: [user('Hi')] })
    await expect(stream.finalMessage()).rejects.toMatchObject({ error: { error: { type: 'api_error' } } })
  })
})

it('waits for a result over a restart of the server', async () => {
  await using database = await sqliteDatabase()
  const messages = [user('Weather?')]
  {
    await using chat = await open(asksFor(['Rome']), { database })
    messages.push(...answersOf(await ask(chat, messages, { tools: [weather] })))
  }
  await using chat = await open(asksFor(['Rome']), { database })
  expect(textOf(await ask(chat, messages, { tools: [weather] }))).toContain('Rome')
  expect(await chat.runs()).toHaveLength(1)
})
