/** Responses as the package of OpenAI asks for them, and as the AI SDK does by default. */
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import { parameterNames } from '../src/core/protocol/parameters.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { createGate } from './gates.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { startApp, type AppServerOptions } from './http/app-server.ts'

const model = 'scripted/test'
const weather: FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Tells the weather of a city.',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Asks for the weather of each list of cities in a step of its own, then says what it heard last. */
const asksFor =
  (...cities: string[][]): Script =>
  ({ messages }) => {
    const question = messages.findLastIndex(({ role }) => role === 'user')
    const heard = messages.slice(question).filter(({ role }) => role === 'tool').length
    const last = messages.at(-1)!
    if (heard < cities.length)
      return calls(...cities[heard]!.map((city): [string, unknown] => ['weather', { city }]))
    return says(`Heard ${JSON.stringify(last.content.at(-1))}`)
  }

/** Says back what the last message says. */
const echo: Script = ({ messages }) => {
  const texts = messages.map(({ content }) =>
    content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' '),
  )
  return says(`Heard: ${texts.join(' | ')}`)
}

async function open(script: Script, options: AppServerOptions = {}) {
  const scripted = Object.assign(createScripted(script), { takes: parameterNames })
  const server = await startApp({ model: scripted, background: {}, ...options })
  return {
    server,
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not needed', maxRetries: 0 }),
    client: createClient({ baseUrl: server.url }),
    requests: scripted.requests,
    runs: async () => (await server.store.listRuns('default', { limit: 50 })).items,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
type Chat = Awaited<ReturnType<typeof open>>

const callsOf = ({ output }: Response) =>
  output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
const resultOf = ({ call_id: callId, arguments: given }: { call_id: string; arguments: string }) => ({
  type: 'function_call_output' as const,
  call_id: callId,
  output: `sun for ${given}`,
})

describe.each(anyDatabase)('a client of responses on %s', (_name, database) => {
  it('goes through its calls by naming the response before', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome'], ['Oslo', 'Bonn']), { database: db })
    const asked = { model, tools: [weather] }
    const first = await chat.openai.responses.create({ ...asked, input: 'Weather?' })
    expect(first).toMatchObject({ status: 'completed', object: 'response', usage: { input_tokens: 10 } })
    expect(callsOf(first)).toMatchObject([{ name: 'weather', arguments: '{"city":"Rome"}' }])
    const second = await chat.openai.responses.create({
      ...asked,
      previous_response_id: first.id,
      input: callsOf(first).map(resultOf),
    })
    expect(callsOf(second)).toHaveLength(2)
    const third = await chat.openai.responses.create({
      ...asked,
      previous_response_id: second.id,
      input: callsOf(second).map(resultOf),
    })
    expect(third.output_text).toContain('Bonn')
    expect(third).toMatchObject({
      previous_response_id: second.id,
      usage: { input_tokens: 10, output_tokens: 5 },
    })
    expect(await chat.runs()).toMatchObject([{ status: 'completed' }])
    // each of them can be read again, as it was
    for (const { id, output } of [first, second, third])
      expect(await chat.openai.responses.retrieve(id)).toMatchObject({ id, output, status: 'completed' })
    const given = await chat.openai.responses.inputItems.list(third.id, { order: 'asc' })
    expect(given.data).toMatchObject([
      { type: 'function_call_output', output: 'sun for {"city":"Oslo"}' },
      { type: 'function_call_output', output: 'sun for {"city":"Bonn"}' },
    ])
  })

  it('goes through its calls by sending all of it again', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome'], ['Oslo', 'Bonn']), { database: db })
    const input: ResponseInputItem[] = [{ role: 'user', content: 'Weather?' }]
    const ask = () => chat.openai.responses.create({ model, input, tools: [weather], store: false })
    let response = await ask()
    while (callsOf(response).length > 0) {
      input.push(...(response.output as ResponseInputItem[]), ...callsOf(response).map(resultOf))
      response = await ask()
    }
    expect(response.output_text).toContain('Bonn')
    expect(await chat.runs()).toMatchObject([{ status: 'completed' }])
    await expect(chat.openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
  })

  it('streams texts and calls in the order of OpenAI', async () => {
    await using db = await database()
    await using chat = await open(asksFor(['Rome']), { database: db })
    const read = async (body: Omit<ResponseCreateParamsNonStreaming, 'stream'>) => {
      const events: ResponseStreamEvent[] = []
      const stream = chat.openai.responses.stream({ model, tools: [weather], ...body } as never)
      for await (const event of stream) events.push(event)
      return { events, response: (await stream.finalResponse()) as unknown as Response }
    }
    const first = await read({ input: 'Weather?' })
    expect(first.events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ])
    const second = await read({
      previous_response_id: first.response.id,
      input: callsOf(first.response).map(resultOf),
    })
    expect(second.events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(second.events.map(({ sequence_number: number }) => number)).toEqual(
      second.events.map((_, index) => index),
    )
    const { output_text: _, ...stored } = await chat.openai.responses.retrieve(second.response.id)
    expect(stored.output).toMatchObject(
      second.events.at(-1)!.type === 'response.completed' ? stored.output : [],
    )
    expect(second.response.output_text).toContain('Rome')
    expect(stored.usage).toEqual(second.response.usage)
    expect(stored.output[0]!.id).toBe(second.response.output[0]!.id)
    // what was streamed can be streamed again
    const again: ResponseStreamEvent[] = []
    for await (const event of await chat.openai.responses.retrieve(second.response.id, { stream: true }))
      again.push(event)
    expect(again.map(({ type }) => type)).toEqual(second.events.map(({ type }) => type))
  })
})

describe('a response', () => {
  it('continues the conversation of the one before, and branches off an older one', async () => {
    await using chat = await open(echo)
    const ask = (input: string, previous?: Response) =>
      chat.openai.responses.create({ model, input, previous_response_id: previous?.id })
    const first = await ask('one')
    const second = await ask('two', first)
    const other = await ask('three', first)
    const third = await ask('four', second)
    expect(second.output_text).toMatch(/one \| Heard: .*one \| two$/)
    expect(other.output_text).toMatch(/one \| three$/)
    expect(third.output_text).toMatch(/two \| four$/)
    expect(third.output_text).not.toContain('three')
    const runs = await chat.runs()
    expect(new Set(runs.map(({ sessionId }) => sessionId)).size).toBe(2)
    // none of it is among what people talk in, and none has tools of Parley
    expect((await chat.client.sessions.list({ kind: 'interactive' })).items).toEqual([])
    expect(chat.requests.flatMap(({ tools }) => tools)).toEqual([])
    const { data } = await chat.openai.responses.inputItems.list(third.id)
    expect(data).toMatchObject([{ type: 'message', role: 'user', content: [{ text: 'four' }] }])
  })

  it('has instructions of its own; what a developer says holds for those that follow', async () => {
    await using chat = await open(() => says('Aye'))
    const first = await chat.openai.responses.create({
      model,
      instructions: 'Be a pirate.',
      input: [
        { role: 'developer', content: 'Keep it short.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    expect(first.instructions).toBe('Be a pirate.')
    await chat.openai.responses.create({ model, previous_response_id: first.id, input: 'Again' })
    expect(chat.requests[0]!.system).toContain('Be a pirate.\n\nKeep it short.')
    expect(chat.requests[1]!.system).toContain('Keep it short.')
    expect(chat.requests[1]!.system).not.toContain('pirate')
  })

  it('passes on what it is asked with, and says so', async () => {
    await using chat = await open(() => says('{"city": "Rome"}'))
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const response = await chat.openai.responses.create({
      model,
      input: 'Which city?',
      temperature: 0.2,
      top_p: 0.9,
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      metadata: { ticket: '7' },
      text: { format: { type: 'json_schema', name: 'place', schema } },
    })
    expect(JSON.parse(response.output_text)).toEqual({ city: 'Rome' })
    expect(chat.requests[0]).toMatchObject({
      temperature: 0.2,
      topP: 0.9,
      maxOutputTokens: 50,
      reasoningEffort: 'low',
      replyFormat: { name: 'place' },
    })
    expect(response).toMatchObject({
      model,
      temperature: 0.2,
      top_p: 0.9,
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      metadata: { ticket: '7' },
      text: { format: { type: 'json_schema', name: 'place' } },
    })
  })

  it('shows reasoning before the text, streamed as whole', async () => {
    const script: Script = () => [
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'text-delta', text: 'So' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 1 } },
    ]
    await using chat = await open(script)
    const wanted = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'message', content: [{ text: 'So' }] },
    ]
    const whole = await chat.openai.responses.create({ model, input: 'Well?' })
    expect(whole.output).toMatchObject(wanted)
    expect(whole.usage!.output_tokens_details.reasoning_tokens).toBe(1)
    const streamed = await chat.openai.responses.stream({ model, input: 'Well?' }).finalResponse()
    expect(streamed.output).toMatchObject(wanted)
  })

  it('is deleted with its session, once that has no other', async () => {
    await using chat = await open(echo)
    const first = await chat.openai.responses.create({ model, input: 'one' })
    const second = await chat.openai.responses.create({ model, input: 'two', previous_response_id: first.id })
    const { sessionId } = (await chat.runs())[0]!
    await chat.openai.responses.delete(first.id)
    await expect(chat.openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 })
    expect((await chat.openai.responses.retrieve(second.id)).output_text).toContain('two')
    await chat.openai.responses.delete(second.id)
    await expect(chat.client.sessions.get(sessionId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is incomplete where the model came to its limit', async () => {
    await using chat = await open(() => [
      { type: 'text-delta', text: 'So far' },
      { type: 'finish', reason: 'length', usage: { inputTokens: 1, outputTokens: 2 } },
    ])
    const wanted = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(await chat.openai.responses.create({ model, input: 'Go' })).toMatchObject(wanted)
    const events: ResponseStreamEvent[] = []
    for await (const event of await chat.openai.responses.create({ model, input: 'Go', stream: true }))
      events.push(event)
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: wanted })
  })

  it('that fails is an error, and an event in a stream', async () => {
    await using chat = await open(() => [new Error('The model is on fire')])
    await expect(chat.openai.responses.create({ model, input: 'Go' })).rejects.toMatchObject({ status: 502 })
    const events: ResponseStreamEvent[] = []
    for await (const event of await chat.openai.responses.create({ model, input: 'Go', stream: true }))
      events.push(event)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { message: expect.any(String) } },
    })
  })
})

describe('a response in the background', () => {
  it('is read until it is there, and streamed from where one was', async () => {
    const opened = createGate()
    await using chat = await open(() => [
      { type: 'text-delta', text: 'Slow' },
      opened.wait(),
      ...says(' and steady'),
    ])
    const begun = await chat.openai.responses.create({ model, input: 'Go', background: true })
    expect(['queued', 'in_progress']).toContain(begun.status)
    expect(begun.background).toBe(true)
    const stream = await chat.openai.responses.retrieve(begun.id, { stream: true, starting_after: 1 })
    opened.open()
    const events: ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events[0]!.sequence_number).toBe(2)
    expect(events.at(-1)!.type).toBe('response.completed')
    expect((await chat.openai.responses.retrieve(begun.id)).output_text).toBe('Slow and steady')
  })

  it('is cancelled', async () => {
    const opened = createGate()
    await using chat = await open(() => [{ type: 'text-delta', text: 'Slow' }, opened.wait()])
    const begun = await chat.openai.responses.create({ model, input: 'Go', background: true })
    expect(await chat.openai.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' })
    expect((await chat.openai.responses.retrieve(begun.id)).status).toBe('cancelled')
    expect(await chat.openai.responses.cancel(begun.id)).toMatchObject({ status: 'cancelled' })
  })

  it('waits for the results of its calls like any other', async () => {
    await using chat = await open(asksFor(['Rome']))
    const asked = { model, tools: [weather], background: true }
    const begun = await chat.openai.responses.create({ ...asked, input: 'Weather?' })
    const ended = async (id: string) => {
      await expect.poll(async () => (await chat.openai.responses.retrieve(id)).status).toBe('completed')
      return chat.openai.responses.retrieve(id)
    }
    const first = await ended(begun.id)
    const next = await chat.openai.responses.create({
      ...asked,
      previous_response_id: first.id,
      input: callsOf(first).map(resultOf),
    })
    expect((await ended(next.id)).output_text).toContain('Rome')
  })
})

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['a tool that OpenAI runs', { tools: [{ type: 'web_search' }] }, '"web_search"'],
    ['an item of another kind', { input: [{ type: 'computer_call_output' }] }, '"computer_call_output"'],
    [
      'a file by its id',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
      'give the file itself',
    ],
    ['a stored prompt', { prompt: { id: 'p' } }, 'stored prompts'],
    ['log probabilities', { top_logprobs: 2 }, 'log probabilities'],
    ['what it cannot include', { include: ['file_search_call.results'] }, 'cannot be included'],
    ['two places', { previous_response_id: 'resp_1', conversation: 'conv_1' }, 'either'],
    ['the background without keeping', { background: true, store: false }, '"store" cannot be false'],
    [
      'a result without its call',
      { input: [{ type: 'function_call_output', call_id: 'c', output: '' }] },
      'previous_response_id',
    ],
    ['a reference to nothing', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'no item "msg_1"'],
    ['nothing to answer', { input: [{ role: 'assistant', content: 'Hi' }] }, 'last item'],
    ['a limit of calls', { max_tool_calls: 3 }, 'limit of tool calls'],
  ])('%s', async (_what, body, message) => {
    await using chat = await open(() => says('Never'))
    const before = chat.server.dump()
    const asked = chat.openai.responses.create({ model, input: 'Hi', ...body } as never)
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) })
    expect(chat.server.dump()).toBe(before)
  })

  it('a response that is not there', async () => {
    await using chat = await open(() => says('Never'))
    const asked = chat.openai.responses.create({ model, input: 'Hi', previous_response_id: 'resp_1' })
    await expect(asked).rejects.toMatchObject({
      status: 404,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
  })

  it('a message while calls wait, part of the results, other tools, and what was continued', async () => {
    await using chat = await open(asksFor(['Rome', 'Oslo']))
    const first = await chat.openai.responses.create({ model, tools: [weather], input: 'Weather?' })
    const results = callsOf(first).map(resultOf)
    const ask = (body: object) =>
      chat.openai.responses.create({ model, previous_response_id: first.id, ...body } as never)
    await expect(ask({ input: 'Hello?' })).rejects.toMatchObject({ status: 400 })
    await expect(ask({ input: results.slice(1) })).rejects.toMatchObject({
      message: expect.stringContaining('has no result'),
    })
    await expect(ask({ input: results, tools: [] })).rejects.toMatchObject({ param: 'tools' })
    await expect(ask({ input: results, tool_choice: 'none' })).rejects.toMatchObject({ param: 'tool_choice' })
    expect((await ask({ input: results, tools: [weather] })).output_text).toContain('Oslo')
    await expect(ask({ input: results })).rejects.toMatchObject({ status: 409 })
  })
})

describe('the AI SDK with its default model of OpenAI', () => {
  const provider = ({ server }: Chat) => createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not needed' })
  const tools = {
    weather: tool({
      description: 'Tells the weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `sun in ${city}`,
    }),
  }

  it.each([true, false])('is an agent, with store: %s', async (store) => {
    await using chat = await open(asksFor(['Rome'], ['Oslo']))
    const asked = {
      model: provider(chat)(model),
      prompt: 'Weather?',
      tools,
      stopWhen: stepCountIs(5),
      providerOptions: { openai: { store } },
    }
    const { text, steps } = streamText(asked)
    expect(await text).toContain('sun in Oslo')
    expect(await steps).toHaveLength(3)
    expect(await chat.runs()).toHaveLength(1)
    const whole = await generateText(asked)
    expect(whole.text).toContain('sun in Oslo')
    expect(await chat.runs()).toHaveLength(2)
  })

  it('sends back what was said before', async () => {
    await using chat = await open(echo)
    const first = await generateText({ model: provider(chat)(model), prompt: 'one' })
    const second = await generateText({
      model: provider(chat)(model),
      messages: [
        { role: 'user', content: 'one' },
        ...first.response.messages,
        { role: 'user', content: 'two' },
      ],
    })
    expect(second.text).toMatch(/one \| Heard: .*one \| two$/)
  })
})

it('waits for a result over a restart of the server', async () => {
  await using database = await sqliteDatabase()
  let first: Response
  {
    await using chat = await open(asksFor(['Rome']), { database })
    first = await chat.openai.responses.create({ model, tools: [weather], input: 'Weather?' })
  }
  await using chat = await open(asksFor(['Rome']), { database })
  expect(await chat.openai.responses.retrieve(first.id)).toMatchObject({ output: first.output })
  const second = await chat.openai.responses.create({
    model,
    previous_response_id: first.id,
    input: callsOf(first).map(resultOf),
  })
  expect(second.output_text).toContain('Rome')
  expect(await chat.runs()).toHaveLength(1)
})
