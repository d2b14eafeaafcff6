/** Tools of clients that keep the conversation themselves: they send all of it again with each result. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool } from 'ai'
import OpenAI, { APIError } from 'openai'
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import { parameterNames } from '../src/core/protocol/parameters.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { startApp, type AppServerOptions } from './http/app-server.ts'

const model = 'scripted/test'
const weather: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })

/** Asks for the weather of each city in a step of its own, then says what it heard last. */
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
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not needed', maxRetries: 0 }),
    client: createClient({ baseUrl: server.url }),
    requests: scripted.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** As agents do: until the model has no more calls. */
async function loop(openai: OpenAI, messages: ChatCompletionMessageParam[], more: object = {}) {
  const finals: string[] = []
  for (;;) {
    const { data, response } = await openai.chat.completions
      .create({ model, messages, tools: [weather], ...more })
      .withResponse()
    const [choice] = data.choices
    finals.push(choice!.finish_reason)
    messages.push(choice!.message)
    const wanted = choice!.message.tool_calls ?? []
    if (wanted.length === 0)
      return {
        finals,
        text: choice!.message.content,
        session: response.headers.get('x-parley-session')!,
        data,
      }
    for (const call of wanted)
      if (call.type === 'function')
        messages.push({ role: 'tool', tool_call_id: call.id, content: `sun for ${call.function.arguments}` })
  }
}

describe.each(anyDatabase)('a client with tools on %s', (_name, database) => {
  it('goes through all of its calls in one turn of one session', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome'], ['Oslo', 'Bonn']), { database: db })
    const { finals, text, session, data } = await loop(chat.openai, [user('Weather?')])
    expect(finals).toEqual(['tool_calls', 'tool_calls', 'stop'])
    expect(text).toContain('sun for {\\"city\\":\\"Bonn\\"}')
    // each answer has the usage of its own model calls
    expect(data.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
    const { items: runs } = await chat.server.store.listRuns('default', { limit: 10 })
    expect(runs).toMatchObject([{ status: 'completed', sessionId: session }])
    const { items } = await chat.client.sessions.messages(session)
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(chat.requests).toHaveLength(3)
    expect(chat.requests[0]!.tools.map(({ name }) => name)).toEqual(['weather'])
  })

  it('streams calls, and what follows them', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome']), { database: db })
    const messages = [user('Weather?')]
    const stream = (more: ChatCompletionMessageParam[]) =>
      chat.openai.chat.completions.stream({
        model,
        messages: [...messages, ...more],
        tools: [weather],
        stream_options: { include_usage: true },
      })
    const first = await stream([]).finalChatCompletion()
    const [call] = first.choices[0]!.message.tool_calls!
    expect(first.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: '', tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Rome"}' } }] },
    })
    const second = await stream([
      { role: 'assistant', tool_calls: [call!] } as ChatCompletionMessageParam,
      { role: 'tool', tool_call_id: call!.id, content: 'rain' },
    ]).finalChatCompletion()
    expect(second.choices[0]!.message.content).toContain('rain')
    expect(second.usage).toMatchObject({ prompt_tokens: 10 })
    expect((await chat.server.store.listRuns('default', { limit: 10 })).items).toHaveLength(1)
  })
})

describe('a client with tools', () => {
  it('may tell another story: then what it sends counts, in a session of its own', async () => {
    await using chat = await open(asksFor(['Rome']))
    const asked = { model, tools: [weather] }
    const { choices } = await chat.openai.chat.completions.create({ ...asked, messages: [user('Weather?')] })
    const [call] = choices[0]!.message.tool_calls!
    const { choices: answered } = await chat.openai.chat.completions.create({
      ...asked,
      messages: [
        user('Weather, please?'),
        { role: 'assistant', content: 'Let me see.', tool_calls: [call!] },
        { role: 'tool', tool_call_id: call!.id, content: 'hail' },
      ],
    })
    expect(answered[0]!.message.content).toContain('hail')
    expect(answered[0]!.message.content).not.toContain('Let me see.')
    const { items } = await chat.server.store.listRuns('default', { limit: 10 })
    // nobody continues the first one any more
    await expect
      .poll(async () => (await chat.server.store.getRun('default', items.at(-1)!.id))!.status)
      .toBe('cancelled')
    const { items: log } = await chat.client.sessions.messages(items[0]!.sessionId)
    expect(log[1]!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me see.' },
      { type: 'dynamic-tool', toolName: 'weather', output: 'hail' },
      { type: 'step-start' },
      { type: 'text' },
    ])
  })

  it('needs no earlier call here: ids of others are taken as they are', async () => {
    await using chat = await open(() => says('Thanks'))
    const call = {
      id: 'call_other',
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
    } as const
    const { choices } = await chat.openai.chat.completions.create({
      model,
      tools: [weather],
      messages: [
        user('Weather?'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'fog' },
      ],
    })
    expect(choices[0]!.message.content).toBe('Thanks')
    expect(chat.requests[0]!.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ toolCallId: 'call_other' }] },
      { role: 'tool', content: [{ toolCallId: 'call_other', output: 'fog' }] },
    ])
  })

  it.each<[string, object, unknown]>([
    ['required', { tool_choice: 'required' }, 'required'],
    ['by name', { tool_choice: { type: 'function', function: { name: 'weather' } } }, { name: 'weather' }],
    ['none', { tool_choice: 'none' }, 'none'],
    ['free', { tool_choice: 'auto' }, undefined],
  ])('chooses: %s', async (_what, more, wanted) => {
    await using chat = await open(asksFor(['Rome']))
    const { finals } = await loop(chat.openai, [user('Weather?')], more)
    expect(finals).toEqual(['tool_calls', 'stop'])
    // what a request says is about its own call of the model
    expect(chat.requests.map(({ toolChoice }) => toolChoice)).toEqual([wanted, wanted])
  })

  it('gets one call at a time where it wants that', async () => {
    const script: Script = ({ messages }, call) =>
      call === 1 || messages.at(-1)!.role !== 'tool'
        ? calls(['weather', { city: 'Rome' }], ['weather', { city: 'Oslo' }])
        : says('Done')
    await using chat = await open(script)
    const { choices } = await chat.openai.chat.completions.create({
      model,
      tools: [weather],
      parallel_tool_calls: false,
      messages: [user('Weather?')],
    })
    expect(choices[0]!.message.tool_calls).toHaveLength(1)
  })

  it('has tools of Parley beside its own where it asks for them, whose calls it does not see', async () => {
    const script: Script = ({ messages }) =>
      messages.at(-1)!.role === 'tool' ? says('Found') : calls(['recall', { query: 'sheep' }])
    await using chat = await open(script)
    const ask = (headers: Record<string, string>) =>
      chat.openai.chat.completions.create({ model, tools: [weather], messages: [user('Hi')] }, { headers })
    expect((await ask({ 'X-Parley-Tools': 'built-in' })).choices[0]!.message.content).toBe('Found')
    expect(chat.requests[0]!.tools.length).toBeGreaterThan(1)
    await ask({ 'X-Parley-Tools': 'none' })
    expect(chat.requests.at(-1)!.tools).toHaveLength(1)
  })

  it('is told which call has no result, and which result has no call', async () => {
    await using chat = await open(() => says('Never'))
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } } as const
    const ask = (...messages: ChatCompletionMessageParam[]) =>
      chat.openai.chat.completions
        .create({ model, tools: [weather], messages: [user('Weather?'), ...messages] })
        .catch((error: unknown) => error)
    const two = { ...call, id: 'c2' }
    expect(
      await ask(
        { role: 'assistant', tool_calls: [call, two] },
        { role: 'tool', tool_call_id: 'c1', content: '' },
      ),
    ).toMatchObject({ status: 400, message: expect.stringContaining('"c2" has no result') })
    expect(await ask({ role: 'tool', tool_call_id: 'c9', content: '' })).toBeInstanceOf(APIError)
    expect(chat.requests).toEqual([])
  })

  it('with a session of its own continues the turn there, with the result alone', async () => {
    await using chat = await open(asksFor(['Rome']))
    const { id } = await chat.client.sessions.create()
    const headers = { 'X-Parley-Session': id }
    const ask = (messages: ChatCompletionMessageParam[]) =>
      chat.openai.chat.completions.create({ model, tools: [weather], messages }, { headers })
    const { choices } = await ask([user('Weather?')])
    const { message } = choices[0]!
    const [call] = message.tool_calls!
    const result = { role: 'tool', tool_call_id: call!.id, content: 'snow' } as const
    const { choices: answered } = await ask([user('Weather?'), message, result])
    expect(answered[0]!.message.content).toContain('snow')
    expect((await chat.client.sessions.messages(id)).items).toHaveLength(2)
    await expect(ask([user('Weather?'), message, result])).rejects.toMatchObject({ status: 409 })
  })
})

describe('what a request says', () => {
  it('reaches the model: parameters, and the form of the answer', async () => {
    await using chat = await open(() => says('{"city": "Rome"}'))
    const { choices } = await chat.openai.chat.completions.create({
      model,
      messages: [user('Which city?')],
      temperature: 0.2,
      top_p: 0.9,
      max_tokens: 50,
      stop: 'END',
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: 0.25,
      reasoning_effort: 'low',
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'place',
          schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    })
    expect(JSON.parse(choices[0]!.message.content!)).toEqual({ city: 'Rome' })
    expect(chat.requests[0]).toMatchObject({
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 50,
      stop: ['END'],
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: 0.25,
      reasoningEffort: 'low',
      replyFormat: { name: 'place' },
    })
  })

  it('is asked again for by the model when it has another form', async () => {
    await using chat = await open((_, call) => says(call === 1 ? 'Rome' : '{"city": "Rome"}'))
    const { choices } = await chat.openai.chat.completions.create({
      model,
      messages: [user('Which city?')],
      response_format: { type: 'json_object' },
    })
    expect(choices[0]!.message.content).toBe('{"city": "Rome"}')
    expect(chat.requests).toHaveLength(2)
  })

  it('is refused by name where the model cannot take it', async () => {
    const scripted = Object.assign(
      createScripted(() => says('Never')),
      { takes: ['temperature'] as const },
    )
    await using server = await startApp({ model: scripted })
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'x', maxRetries: 0 })
    const before = server.dump()
    const asked = openai.chat.completions.create({ model, messages: [user('Hi')], seed: 1 })
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('does not take seed'),
    })
    expect(server.dump()).toBe(before)
  })
})

describe('a session of a request', () => {
  it('is apart from those of people, and has no tools of Parley', async () => {
    await using chat = await open(() => says('Hello'))
    const { data, response } = await chat.openai.chat.completions
      .create({ model, messages: [user('Hi')] })
      .withResponse()
    expect(data.choices[0]!.message.content).toBe('Hello')
    expect(chat.requests[0]!.tools).toEqual([])
    const id = response.headers.get('x-parley-session')!
    expect(await chat.client.sessions.get(id)).toMatchObject({ kind: 'tool', toolMeta: { source: 'openai' } })
    expect((await chat.client.sessions.list({ kind: 'interactive' })).items).toEqual([])
  })
})

it('is an agent of the AI SDK like any other', async () => {
  await using chat = await open(asksFor(['Rome'], ['Oslo']))
  const provider = createOpenAICompatible({ name: 'parley', baseURL: `${chat.server.url}/v1` })
  const { text, steps } = streamText({
    model: provider(model),
    prompt: 'Weather?',
    tools: {
      weather: tool({
        description: 'Tells the weather of a city.',
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => `sun in ${city}`,
      }),
    },
    stopWhen: stepCountIs(5),
  })
  expect(await text).toContain('sun in Oslo')
  expect(await steps).toHaveLength(3)
  expect((await chat.server.store.listRuns('default', { limit: 10 })).items).toHaveLength(1)
})

it('waits for a result over a restart of the server', async () => {
  await using database = await sqliteDatabase()
  const messages = [user('Weather?')]
  const ask = async (chat: Awaited<ReturnType<typeof open>>) =>
    (await chat.openai.chat.completions.create({ model, messages, tools: [weather] })).choices[0]!.message
  {
    await using first = await open(asksFor(['Rome']), { database })
    const message = await ask(first)
    const [call] = message.tool_calls!
    messages.push(message, { role: 'tool', tool_call_id: call!.id, content: 'wind' })
  }
  await using second = await open(asksFor(['Rome']), { database })
  expect((await ask(second)).content).toContain('wind')
  expect((await second.server.store.listRuns('default', { limit: 10 })).items).toHaveLength(1)
})
