import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createIds } from '../../src/shared/ids.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { createStore } from '../../src/store/store.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { calls, createScripted, openChat, says } from '../chat-harness.ts'
import { postgresDatabase } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { z } from 'zod'

it('answers 503 while PostgreSQL is out of reach, stays alive, and works again when it is back', async () => {
  await using database = await postgresDatabase()
  await using proxy = await startProxy(new URL(database.environment.DATABASE_URL!))
  const server = await startServer({ env: { DATABASE_URL: proxy.url } })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create({ title: 'Before' })

  // requests are under way whenever the connection is cut
  let isOver = false
  const busy = Array.from({ length: 4 }, async () => {
    while (!isOver) await sessions.create().catch(() => undefined)
  })

  for (let cut = 0; cut < 10; cut++) {
    proxy.cut()
    await expect(sessions.append(id, { role: 'user', content: 'lost' })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await expect(sessions.get(id)).rejects.toMatchObject({ code: 'store_unavailable' })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    proxy.restore()
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 10_000 }).toBe(200)
    await sessions.append(id, { role: 'user', content: `kept ${cut}` })
  }
  isOver = true
  await Promise.all(busy)
  const { items } = await sessions.messages(id)
  expect(items.map(({ parts }) => parts[0]?.text)).toEqual(
    Array.from({ length: 10 }, (_, cut) => `kept ${cut}`),
  )
  expect((await server.kill('SIGTERM')).code).toBe(0)
})

it('goes on with a turn that was under way when PostgreSQL went out of reach', async () => {
  const database = await postgresDatabase()
  const proxy = await startProxy(new URL(database.environment.DATABASE_URL!))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const cutOff = defineTool({
    name: 'cut_off',
    description: 'Cuts the database off',
    input: z.strictObject({}),
    async execute() {
      proxy.cut()
      setTimeout(() => proxy.restore(), 3_000)
      return 'cut'
    },
  })
  const model = createScripted((_, call) => (call === 1 ? calls(['cut_off', {}]) : says('back')))
  await using chat = await openChat(
    async () => ({
      ...database,
      open: () =>
        createStore(openPostgres({ url: proxy.url, poolSize: 5 }), {
          clock: systemClock,
          ids: createIds(systemClock),
        }),
    }),
    model,
    { tools: [cutOff], limits: { maxClaims: 1 } },
  )
  const { run, begin } = await chat.chats.admit(
    chat.store,
    { scope: 'default', sessionId: chat.sessionId },
    chat.input('hello'),
  )
  begin()
  await expect
    .poll(() => chat.store.getRun('default', run.id).catch(() => undefined), { timeout: 30_000 })
    .toMatchObject({ status: 'completed', attempt: 1 })
  const [, reply] = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
  // whether the tool did its work cannot be known: it was not stored
  expect(reply?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'dynamic-tool', state: 'output-error' },
    { type: 'step-start' },
    { type: 'text', text: 'back' },
  ])
})

/** Passes bytes on to a database until it is cut; then it drops what is open and lets nobody in. */
async function startProxy(
  target: URL,
): Promise<AsyncDisposable & { url: string; cut(): void; restore(): void }> {
  const open = new Set<Socket>()
  let isCut = false
  const proxy = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => open.delete(socket))
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(target.href)
  url.port = String((proxy.address() as AddressInfo).port)
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    restore: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      cut()
      proxy.close()
    },
  }
}
