import OpenAI, { APIError, APIUserAbortError, NotFoundError } from 'openai'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { parameterNames } from '../src/core/protocol/parameters.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { startApp, type AppServerOptions } from './http/app-server.ts'

const model = 'scripted/test'
const user = (content: string) => ({ role: 'user' as const, content })
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The client of OpenAI itself, as it is published, against the real server. */
async function open(script: Script = () => says('Hello'), options: AppServerOptions = {}) {
  const scripted = Object.assign(createScripted(script), { takes: parameterNames })
  const server = await startApp({ model: scripted, ...options })
  const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not needed' })
  const { sessions } = createClient({ baseUrl: server.url })
  return {
    server,
    openai,
    sessions,
    requests: scripted.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const refused = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => expect.fail('It should have been refused.'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(APIError)
      return error as APIError
    },
  )

describe.each(anyDatabase)('on %s', (_name, database) => {
  it('answers whole, from a session that has the conversation', async () => {
    await using db = await database()
    await using chat = await open(() => says('Fine', ', thanks.'), { database: db })
    const { data, response } = await chat.openai.chat.completions
      .create({
        model,
        messages: [
          { role: 'system', content: 'You are a pirate.' },
          user('Hello'),
          { role: 'assistant', content: 'Ahoy!' },
          { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
          user('How are you?'),
        ],
        temperature: 0.3,
        user: 'somebody',
      })
      .withResponse()
    expect(data).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Fine, thanks.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    })
    const [request] = chat.requests
    expect(request!.system).toContain('You are a pirate.\n\nBe brief.')
    expect(request!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const { items } = await chat.sessions.messages(response.headers.get('x-parley-session')!)
    expect(items.map((message) => `${message.role}: ${messageText(message)}`)).toEqual([
      'user: Hello',
      'assistant: Ahoy!',
      'user: How are you?',
      'assistant: Fine, thanks.',
    ])
  })
})

it('streams: the role first, then what is said, how it ended, and what it cost', async () => {
  await using chat = await open((_, call) =>
    call === 1
      ? [
          { type: 'reasoning-delta', text: 'Hmm.' },
          { type: 'reasoning-end' },
          { type: 'text-delta', text: 'Let me see.' },
          ...calls(['nothing', {}]),
        ]
      : says('Here ', 'it is.'),
  )
  const stream = await chat.openai.chat.completions.create({
    model,
    messages: [user('hi')],
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks: ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  expect(chunks[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: '' })
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  expect(deltas.map(({ content }) => content ?? '').join('')).toBe('Let me see.\nHere it is.')
  expect(
    deltas.map((delta) => (delta as { reasoning_content?: string }).reasoning_content ?? '').join(''),
  ).toBe('Hmm.')
  expect(chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? []))).toEqual([
    'stop',
  ])
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 10 } })
  expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1)
})

it('streams and answers whole alike, also through the helpers of the client', async () => {
  await using chat = await open((_, call) => (call % 2 === 1 ? calls(['nothing', {}]) : says('a', 'b', 'c')))
  const body = { model, messages: [user('hi')] }
  const whole = await chat.openai.chat.completions.create(body)
  const streamed = await chat.openai.chat.completions.stream(body).finalChatCompletion()
  expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content)
  expect(streamed.choices[0]!.finish_reason).toBe('stop')
  const raw = await fetch(`${chat.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  })
  const text = await raw.text()
  expect(raw.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect(text).not.toContain('"usage"')
})

it('takes images and files, calls and answers of tools, and hands them to the model', async () => {
  await using chat = await open()
  await chat.openai.chat.completions.create({
    model,
    messages: [
      user('What is the weather?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"at":"here"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: pixel } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' } },
        ],
      },
    ],
  })
  expect(chat.requests[0]!.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool-call', toolName: 'weather', input: { at: 'here' } }] },
    { role: 'tool', content: [{ toolName: 'weather', output: 'Rain' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'file', mediaType: 'image/png', url: pixel },
        { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf' },
      ],
    },
  ])
})

it('goes on with the session of X-Parley-Session, where only the last message counts', async () => {
  await using chat = await open((_, call) => says(`answer ${call}`))
  const { id } = await chat.sessions.create({ title: 'mine' })
  const ask = (content: string, sessionId: string) =>
    chat.openai.chat.completions.create(
      {
        model: 'default',
        messages: [{ role: 'system', content: 'Ignore me.' }, user('before'), user(content)],
      },
      { headers: { 'X-Parley-Session': sessionId } },
    )
  await ask('one', id)
  expect((await ask('two', id)).choices[0]!.message.content).toBe('answer 2')
  const { items } = await chat.sessions.messages(id)
  expect(items.map((message) => messageText(message))).toEqual(['one', 'answer 1', 'two', 'answer 2'])
  expect(chat.requests[1]!.system).not.toContain('Ignore me.')
  expect((await chat.sessions.list()).items).toHaveLength(1)
  const error = await refused(ask('three', 'ses_unknown'))
  expect(error).toBeInstanceOf(NotFoundError)
  expect((await refused(ask('three', '../etc'))).status).toBe(400)
})

it('lists models, and shows one by its name', async () => {
  await using chat = await open()
  const ids: string[] = []
  for await (const { id } of chat.openai.models.list()) ids.push(id)
  expect(ids).toEqual(expect.arrayContaining(['default', model, 'demo/parley']))
  expect(ids).not.toContain('openai/gpt-6-astra') // there is no key for it
  expect(await chat.openai.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
  expect(await refused(chat.openai.models.retrieve('none/such'))).toMatchObject({
    status: 404,
    code: 'model_not_found',
    param: 'model',
  })
})

describe('an error', () => {
  const message = user('hi')
  it.each([
    ['tools that a provider runs', { tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    ['a choice of no tool', { tool_choice: 'required' }, 'tool_choice'],
    ['biases', { logit_bias: { 5: 1 } }, 'logit_bias'],
    ['a parameter out of bounds', { temperature: 9 }, 'temperature'],
    ['functions', { functions: [{ name: 'f' }] }, 'functions'],
    ['several answers', { n: 2 }, 'n'],
    ['answers of another format', { response_format: { type: 'grammar' } }, 'response_format.type'],
    ['log probabilities', { logprobs: true }, 'logprobs'],
    ['no messages', { messages: [] }, 'messages'],
    [
      'a last message of the assistant',
      { messages: [message, { role: 'assistant', content: 'x' }] },
      'messages.1.role',
    ],
    ['an empty input', { messages: [{ role: 'user', content: [] }] }, 'messages.0'],
    [
      'sound',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'messages.0.content',
    ],
    ['an unknown role', { messages: [{ role: 'pirate', content: 'x' }] }, 'messages.0.role'],
  ])('says which field asks for what is not there: %s', async (_what, fields, param) => {
    await using chat = await open()
    const before = chat.server.dump()
    const error = await refused(
      chat.openai.chat.completions.create({ model, messages: [message], ...fields } as never),
    )
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param,
      code: 'invalid_request',
    })
    expect(error.requestID).toMatch(/^req_/)
    expect(chat.server.dump()).toBe(before)
  })

  it('says that there is no such model, and makes no session', async () => {
    await using chat = await open()
    const before = chat.server.dump()
    const ask = (name: string) => chat.openai.chat.completions.create({ model: name, messages: [message] })
    expect(await refused(ask('gpt-4'))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    })
    expect(await refused(ask('openai/gpt-6-astra'))).toMatchObject({
      status: 503,
      code: 'adapter_unavailable',
    })
    expect(chat.server.dump()).toBe(before)
  })

  it('of the model is told once, whole and in a stream', async () => {
    await using chat = await open(() => [
      { type: 'text-delta', text: 'half' },
      new ModelFault('auth', 'The model broke.'),
    ])
    const body = { model, messages: [message] }
    const whole = await refused(chat.openai.chat.completions.create(body))
    expect(whole).toMatchObject({ status: 502, type: 'server_error', code: 'model_auth' })
    expect(whole.message).toContain('The model broke.')
    expect(chat.requests).toHaveLength(1)
    let said = ''
    const error = await refused(
      (async () => {
        for await (const { choices } of await chat.openai.chat.completions.create({ ...body, stream: true }))
          said += choices[0]?.delta.content ?? ''
      })(),
    )
    expect([said, error.code]).toEqual(['half', 'model_auth'])
  })

  it('about the key and the scope has the shape of OpenAI too', async () => {
    const apiKeys = [{ name: 'blue', key: 'blue-key-0123456789', scopes: ['blue'] }]
    await using chat = await open(undefined, { apiKeys })
    const withKey = (apiKey: string, scope: string) =>
      new OpenAI({
        baseURL: `${chat.server.url}/v1`,
        apiKey,
        defaultHeaders: { 'X-Parley-Scope': scope },
      }).chat.completions.create({ model, messages: [message] })
    expect(await refused(withKey('wrong', 'blue'))).toMatchObject({
      status: 401,
      type: 'authentication_error',
    })
    expect(await refused(withKey('blue-key-0123456789', 'red'))).toMatchObject({
      status: 403,
      type: 'permission_error',
    })
    expect((await withKey('blue-key-0123456789', 'blue')).choices).toHaveLength(1)
    expect((await chat.server.store.listSessions('blue', { limit: 10 })).items).toHaveLength(1)
  })
})

describe('a client that goes away', () => {
  const never = new Promise<void>(() => {})
  const slow: Script = () => [{ type: 'text-delta', text: 'One ' }, never]

  it.each([[true], [false]])(
    'stops the turn of a session that was made for the call; streaming: %s',
    async (stream) => {
      await using chat = await open(slow)
      const abort = new AbortController()
      const asked = Promise.resolve(
        chat.openai.chat.completions.create(
          { model, messages: [user('hi')], stream },
          { signal: abort.signal, maxRetries: 0 },
        ),
      )
      const failed = asked.then(
        () => undefined,
        (error: unknown) => error,
      )
      await expect.poll(() => chat.requests.length).toBe(1)
      if (stream) await asked
      abort.abort()
      if (!stream) expect(await failed).toBeInstanceOf(APIUserAbortError)
      await expect
        .poll(async () => (await chat.server.store.listRuns('default', { limit: 1 })).items[0]?.status)
        .toBe('cancelled')
    },
  )

  it('leaves alone the turn of a session that it named', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    await using chat = await open(() => [{ type: 'text-delta', text: 'One ' }, gate, ...says('two.')])
    const { id } = await chat.sessions.create()
    const abort = new AbortController()
    await chat.openai.chat.completions.create(
      { model, messages: [user('hi')], stream: true },
      { signal: abort.signal, headers: { 'X-Parley-Session': id } },
    )
    abort.abort()
    const observed = chat.sessions.observe(id)
    go()
    for await (const _ of observed);
    expect(messageText((await chat.sessions.messages(id)).items.at(-1)!)).toBe('One two.')
  })
})

it('keeps 20 calls at once apart', async () => {
  await using chat = await open(({ messages }) => {
    const last = messages.at(-1)!.content.at(-1)! as { text: string }
    return says(`echo ${last.text}`)
  })
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const body = { model, messages: [user(`call ${index}`)] }
      if (index % 2 === 0)
        return (await chat.openai.chat.completions.create(body)).choices[0]!.message.content
      return (await chat.openai.chat.completions.stream(body).finalChatCompletion()).choices[0]!.message
        .content
    }),
  )
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => `echo call ${index}`))
  expect((await chat.sessions.list()).items).toHaveLength(20)
})

it('finds the answer of the first when a request is repeated with its Idempotency-Key', async () => {
  await using database = await sqliteDatabase()
  await using chat = await open((_, call) => says(`answer ${call}`), { database })
  const ask = () =>
    chat.openai.chat.completions.create(
      { model, messages: [user('hi')] },
      { headers: { 'Idempotency-Key': 'once' } },
    )
  const [one, two] = [await ask(), await ask()]
  expect([two.id, two.choices[0]!.message.content]).toEqual([one.id, 'answer 1'])
  expect(chat.requests).toHaveLength(1)
})
