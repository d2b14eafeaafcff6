/** Conversations as the package of OpenAI asks for them: sessions. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { startApp, type AppServerOptions } from './http/app-server.ts'

const model = 'scripted/test'

async function open(script: Script = () => says('Hello'), options: AppServerOptions = {}) {
  const scripted = createScripted(script)
  const server = await startApp({ model: scripted, background: {}, ...options })
  return {
    server,
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not needed', maxRetries: 0 }),
    client: createClient({ baseUrl: server.url }),
    requests: scripted.requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

describe.each(anyDatabase)('a conversation on %s', (_name, database) => {
  it('is a session: made, named, answered in, read and deleted', async () => {
    await using db = await database()
    await using chat = await open(undefined, { database: db })
    const { conversations } = chat.openai
    const made = await conversations.create({
      metadata: { topic: 'demo' },
      items: [
        { type: 'message', role: 'user', content: 'One' },
        { type: 'message', role: 'assistant', content: 'Two' },
      ],
    })
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'demo' } })
    expect(made.id).toMatch(/^conv_/)
    const answer = await chat.openai.responses.create({ model, conversation: made.id, input: 'Three' })
    expect(answer).toMatchObject({ output_text: 'Hello', conversation: { id: made.id } })
    expect(chat.requests[0]!.messages).toHaveLength(3)
    await conversations.update(made.id, { metadata: { title: 'Counting' } })
    expect(await conversations.retrieve(made.id)).toMatchObject({ metadata: { title: 'Counting' } })
    const sessionId = made.id.replace(/^conv_/, 'ses_')
    expect(await chat.client.sessions.get(sessionId)).toMatchObject({
      title: 'Counting',
      kind: 'tool',
      conversationMetadata: { title: 'Counting' },
    })
    expect(await conversations.delete(made.id)).toMatchObject({ deleted: true })
    await expect(conversations.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
    await expect(chat.client.sessions.get(sessionId)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is read page by page, in both directions', async () => {
    await using db = await database()
    await using chat = await open(undefined, { database: db })
    const { conversations } = chat.openai
    const { id } = await conversations.create()
    const texts = Array.from({ length: 60 }, (_, index) => `Message ${index}`)
    const added = await conversations.items.create(id, {
      items: texts.map((content) => ({ type: 'message', role: 'user', content })),
    })
    expect(added.data).toHaveLength(60)
    for (const order of ['asc', 'desc'] as const) {
      const read: string[] = []
      for await (const item of conversations.items.list(id, { order, limit: 7 }))
        if (item.type === 'message' && item.content[0]?.type === 'input_text') read.push(item.content[0].text)
      expect(read).toEqual(order === 'asc' ? texts : texts.toReversed())
    }
    const [first] = added.data
    expect(await conversations.items.retrieve(first!.id!, { conversation_id: id })).toEqual(first)
  })
})

describe('a conversation', () => {
  it('shows what was called in it', async () => {
    await using chat = await open(({ messages }) =>
      messages.at(-1)!.role === 'tool' ? says('Sunny') : calls(['weather', { city: 'Rome' }]),
    )
    const { id } = await chat.openai.conversations.create()
    const tools = [
      { type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false },
    ]
    const asked = { model, conversation: id, tools }
    const first = await chat.openai.responses.create({ ...asked, input: 'Weather?' })
    const [call] = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
    const result = { type: 'function_call_output' as const, call_id: call!.call_id, output: 'sun' }
    expect((await chat.openai.responses.create({ ...asked, input: [result] })).output_text).toBe('Sunny')
    const { data } = await chat.openai.conversations.items.list(id, { order: 'asc' })
    expect(data.map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
      'message',
    ])
    expect(data[2]).toMatchObject({ call_id: call!.call_id, output: 'sun' })
  })

  it('may be what a person talks in, with the tools of Parley', async () => {
    await using chat = await open()
    const { id } = await chat.client.sessions.create()
    const conversation = id.replace(/^ses_/, 'conv_')
    await chat.openai.responses.create({ model, conversation, input: 'Hi' })
    expect(chat.requests[0]!.tools.length).toBeGreaterThan(0)
    expect((await chat.openai.conversations.items.list(conversation)).data).toHaveLength(2)
    await chat.openai.conversations.update(conversation, { metadata: { title: 'Named' } })
    expect((await chat.client.sessions.get(id)).title).toBe('Named')
  })

  it.each<[string, (openai: OpenAI) => PromiseLike<unknown>, number]>([
    ['that is not there', ({ conversations }) => conversations.retrieve('conv_none'), 404],
    [
      'with a title of two lines',
      ({ conversations }) => conversations.create({ metadata: { title: 'a\nb' } }),
      400,
    ],
    [
      'with items of another kind',
      ({ conversations }) => conversations.create({ items: [{ type: 'computer_call' } as never] }),
      400,
    ],
  ])('%s is refused', async (_name, ask, status) => {
    await using chat = await open()
    const before = chat.server.dump()
    await expect(ask(chat.openai)).rejects.toMatchObject({ status })
    expect(chat.server.dump()).toBe(before)
  })
})
