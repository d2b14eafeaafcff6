import { expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { createScripted, says } from './chat-harness.ts'
import { startApp } from './http/app-server.ts'

/** A server whose model waits for a word before its first answer. */
async function startWaiting() {
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const model = createScripted((_, call) =>
    call === 1 ? [{ type: 'text-delta', text: 'one' }, gate, ...says('!')] : says(`answer ${call}`),
  )
  const server = await startApp({ model })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create()
  const running = Promise.resolve(sessions.chat(id, 'first'))
  await expect.poll(() => model.requests.length).toBe(1)
  return { server, sessions, id, go, running, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

it('lists what waits, lets it be changed and taken back, and does the rest in order', async () => {
  await using chat = await startWaiting()
  const { server, sessions, id } = chat
  const waiting = ['second', 'third', 'fourth'].map((content) => Promise.resolve(sessions.chat(id, content)))
  const queue = async () =>
    (await server.send('GET', `/api/sessions/${id}/queue`)).json!.items as {
      id: string
      input: { message: { parts: { text: string }[] } }
    }[]
  await expect.poll(async () => (await queue()).length).toBe(3)
  const items = await queue()
  const textOf = (index: number) =>
    items.findIndex(({ input }) => input.message.parts[0]!.text === ['second', 'third', 'fourth'][index])
  const [second, third] = [items[textOf(0)]!, items[textOf(1)]!]
  expect(
    (await server.send('PATCH', `/api/sessions/${id}/queue/${second.id}`, { body: { content: 'changed' } }))
      .status,
  ).toBe(200)
  expect((await server.send('DELETE', `/api/sessions/${id}/queue/${third.id}`)).status).toBe(204)
  expect((await server.send('DELETE', `/api/sessions/${id}/queue/${third.id}`)).status).toBe(404)
  expect(
    (await server.send('PATCH', `/api/sessions/${id}/queue/${second.id}`, { body: { content: '' } })).status,
  ).toBe(400)
  expect(
    (
      await server.send('PATCH', `/api/sessions/${id}/queue/${second.id}?scope=other`, {
        body: { content: 'x' },
      })
    ).status,
  ).toBe(404)
  chat.go()
  await chat.running
  const answers = await Promise.all(waiting)
  expect(answers.map(({ run }) => run.status)).toEqual(['completed', 'cancelled', 'completed'])
  const { items: log } = await sessions.messages(id)
  expect(log.filter(({ role }) => role === 'user').map(messageText)).toEqual(
    expect.arrayContaining(['first', 'changed', 'fourth']),
  )
  expect(log.filter(({ role }) => role === 'user')).toHaveLength(3)
})

it('refuses a busy session with 409 when asked to, and stops it for good when told', async () => {
  await using chat = await startWaiting()
  await expect(
    Promise.resolve(chat.sessions.chat(chat.id, { content: 'x', policy: 'reject' })),
  ).rejects.toMatchObject({ code: 'conflict' })
  expect(await chat.sessions.stop(chat.id)).toMatchObject({ stopped: { status: 'running' }, tasks: [] })
  const { run, message } = await chat.running
  expect(run.status).toBe('cancelled')
  expect(message?.metadata).toMatchObject({ stopped: true })
  expect(await chat.sessions.stop(chat.id)).toEqual({ stopped: null, tasks: [] })
})

it('answers a repeated request with the run of the first one', async () => {
  await using server = await startApp({ model: createScripted((_, call) => says(`answer ${call}`)) })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create()
  const ask = () =>
    server.send('POST', `/api/sessions/${id}/chat`, {
      headers: { 'idempotency-key': 'k1', accept: 'application/json' },
      body: { content: 'hi' },
    })
  const answers = await Promise.all([ask(), ask(), ask()])
  expect(new Set(answers.map(({ json }) => (json!.run as { id: string }).id)).size).toBe(1)
  expect((await sessions.messages(id)).items).toHaveLength(2)
})
