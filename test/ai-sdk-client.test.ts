import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { CreateSession } from '../src/core/protocol/session.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { createMeeting } from './gates.ts'
import { startApp } from './http/app-server.ts'

const user = (text: string): UIMessage => ({
  id: crypto.randomUUID(),
  role: 'user',
  parts: [{ type: 'text', text }],
})

/** The client code of the AI SDK itself, as it is published, against the real server. */
async function open(script: Script, session: CreateSession = {}) {
  const server = await startApp({ model: createScripted(script) })
  const { id } = await createClient({ baseUrl: server.url }).sessions.create(session)
  const transport = new DefaultChatTransport({ api: `${server.url}/api/sessions/${id}/chat` })
  const send = (text: string, abortSignal?: AbortSignal) =>
    transport.sendMessages({
      chatId: id,
      messages: [user(text)],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal,
    })
  return { server, id, transport, send, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

async function read(stream: ReadableStream): Promise<{ message: UIMessage | undefined; errors: unknown[] }> {
  let message: UIMessage | undefined
  const errors: unknown[] = []
  for await (const state of readUIMessageStream({ stream, onError: (error) => void errors.push(error) }))
    message = state
  return { message, errors }
}

it('shows text, reasoning and tool calls', async () => {
  await using chat = await open((_, call) =>
    call === 1
      ? [
          { type: 'reasoning-delta', text: 'Hmm.' },
          { type: 'reasoning-end' },
          { type: 'text-delta', text: 'Let me see.' },
          ...calls(['nothing', { a: 1 }]),
        ]
      : says('Here ', 'it is.'),
  )
  const { message, errors } = await read(await chat.send('hi'))
  expect(errors).toEqual([])
  expect(message!.parts.map(({ type }) => type)).toEqual([
    'step-start',
    'reasoning',
    'text',
    'dynamic-tool',
    'step-start',
    'text',
  ])
  expect(message!.parts[3]).toMatchObject({ toolName: 'nothing', input: { a: 1 }, state: 'output-error' })
  expect(message!.parts.at(-1)).toMatchObject({ text: 'Here it is.' })
  const [, stored] = (await createClient({ baseUrl: chat.server.url }).sessions.messages(chat.id)).items
  expect(stored).toMatchObject({ id: message!.id, role: 'assistant' })
  expect(messageText(stored!)).toBe('Let me see.\nHere it is.')
})

it('shows what several agents of a room say at once, each under its name', async () => {
  const nameOf = (system: string) => /You are (\w+)/.exec(system)![1]!
  const meet = createMeeting(3)
  await using chat = await open(
    ({ system }) => [
      { type: 'reasoning-delta', text: `${nameOf(system)} thinks.` },
      { type: 'reasoning-end' },
      { type: 'text-delta', text: `I am ` },
      meet(),
      ...says(`${nameOf(system)}.`),
    ],
    { agents: ['mira', 'quill', 'pip'] },
  )
  const { message, errors } = await read(await chat.send('hi'))
  expect(errors).toEqual([])
  const texts = message!.parts.filter((part) => part.type === 'text')
  const said = Object.fromEntries(
    texts.map(({ text, providerMetadata }) => [String(providerMetadata!.parley!.agent), text]),
  )
  expect(said).toEqual({ mira: 'I am Mira.', quill: 'I am Quill.', pip: 'I am Pip.' })
  expect(message!.parts.find(({ type }) => type === 'data-round')).toMatchObject({
    data: { agents: ['mira', 'quill', 'pip'], routing: { reason: 'policy' } },
  })
  const { items } = await createClient({ baseUrl: chat.server.url }).sessions.messages(chat.id)
  expect(items.slice(1).map((stored) => messageText(stored))).toEqual([
    'I am Mira.',
    'I am Quill.',
    'I am Pip.',
  ])
  expect(items[1]!.id).toBe(message!.id)
})

it('shows errors', async () => {
  await using chat = await open(() => [
    { type: 'text-delta', text: 'half' },
    new ModelFault('server', 'The model broke.'),
  ])
  const { message, errors } = await read(await chat.send('hi'))
  expect(errors.map((error) => (error as Error).message)).toEqual(['The model broke.'])
  expect(message!.parts.at(-1)).toMatchObject({ type: 'text', text: 'half' })
})

it('resumes after the connection was dropped, and the turn did not stop for it', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  await using chat = await open(() => [{ type: 'text-delta', text: 'One ' }, gate, ...says('two.')])
  const abort = new AbortController()
  const dropped = await chat.send('hi', abort.signal)
  const reader = dropped.getReader()
  await reader.read()
  abort.abort()
  const resumed = await chat.transport.reconnectToStream({ chatId: chat.id })
  expect(resumed).not.toBeNull()
  go()
  const { message } = await read(resumed!)
  expect(message!.parts.at(-1)).toMatchObject({ text: 'One two.' })
  expect(await chat.transport.reconnectToStream({ chatId: chat.id })).toBeNull()
})

it('our own client watches, resumes by the number of the last event, and waits', async () => {
  await using chat = await open(() => says('a', 'b', 'c'))
  const { sessions } = createClient({ baseUrl: chat.server.url })
  const turn = sessions.chat(chat.id, 'hi')
  const types: string[] = []
  for await (const { chunk } of turn) types.push(chunk.type)
  expect(types).toContain('text-delta')
  const answer = await turn
  expect(answer.run.status).toBe('completed')
  expect(messageText(answer.message!)).toBe('abc')
  const whole = await sessions.chat(chat.id, { content: 'again' })
  expect(messageText(whole.message!)).toBe('abc')
  const observed = await fetch(`${chat.server.url}/api/sessions/${chat.id}/observe`, {
    headers: { 'last-event-id': '5' },
  })
  expect(await observed.text()).toMatch(/^id: 6\n/)
  expect(z.string().parse(observed.headers.get('x-vercel-ai-ui-message-stream'))).toBe('v1')
})
