import { connect, createServer, type Socket } from 'node:net'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createParley } from '../../src/parley.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import { openPostgres } from '../../src/core/store/postgres/open.ts'
import { createStore } from '../../src/core/store/store.ts'
import { builtInSlices } from '../built-in.ts'
import { defineTool } from '../../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says } from '../chat-harness.ts'
import { postgresDatabase } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { startProvider, toolCall } from './nodes.ts'
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
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
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
      // back when it was missed more than once
      void proxy.refused(5).then(() => proxy.restore())
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
          slices: builtInSlices,
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
    .poll(() => chat.store.getRun('default', run.id).catch(() => undefined), { timeout: 200_000 })
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

it('goes on waiting for a task when a connection breaks meanwhile', async () => {
  await using tasks = await openTasks()
  const { parley, proxy, held, release } = tasks
  await parley.background.trigger('default', { prompt: 'hold on' }, { triggerType: 'api' })
  await held
  const { id } = await parley.sessions.create()
  const answer = parley.sessions.chat(id, 'go').then((value) => value)
  // it looks for the end of a task that has not begun
  await expect.poll(() => parley.background.activeCount()).toBe(2)
  for (let drops = 0; drops < 8; drops++) await proxy.dropNext()
  release()
  expect((await answer).message?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'dynamic-tool', state: 'output-available', output: { status: 'success', output: 'all done' } },
    { type: 'step-start' },
    { type: 'text', text: 'thanks' },
  ])
})

it('cancels the task of a task whose time ended while PostgreSQL was out of reach', async () => {
  await using tasks = await openTasks()
  const { parley, proxy, held } = tasks
  const request = { prompt: 'delegate', timeoutMs: 15_000 }
  const { sessionId } = await parley.background.trigger('default', request, { triggerType: 'api' })
  await held
  const [run] = await parley.store.listOpenRuns(sessionId)
  proxy.cut()
  await sleep(run!.deadlineAt! - Date.now())
  await proxy.refused(5)
  proxy.restore()
  const statuses = async () => {
    const outer = await parley.store.getSession('default', sessionId)
    const inner = await parley.store.listSessions('default', { parentId: sessionId, limit: 1 })
    return [outer?.bgStatus, inner.items[0]?.bgStatus]
  }
  await expect
    .poll(() => statuses().catch(() => undefined), { timeout: 200_000, interval: 200 })
    .toEqual(['timeout', 'cancelled'])
})

/** Tasks with one slot: "hold on" keeps it until it is released; "delegate", and every chat, waits for a task of its own. */
async function openTasks() {
  const database = await postgresDatabase()
  const proxy = await startProxy(new URL(database.environment.DATABASE_URL!))
  const provider = await startProvider((messages, isTask) => {
    const isBegin = messages.at(-1)!.role === 'user'
    const text = JSON.stringify(messages)
    if (isTask && isBegin && text.includes('hold on')) return { toolCalls: [toolCall('hold_1', 'hold', {})] }
    if (isBegin && (!isTask || text.includes('delegate')))
      return {
        toolCalls: [toolCall('spawn_1', 'spawn_task', { task: isTask ? 'hold on' : 'do it', mode: 'sync' })],
      }
    return isTask
      ? { toolCalls: [toolCall('result_1', 'set_result', { output: 'all done' })] }
      : { text: 'thanks' }
  })
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = defineTool({
    name: 'hold',
    description: 'Keeps the only slot',
    input: z.strictObject({}),
    async execute() {
      held.resolve()
      await released.promise
      return 'held'
    },
  })
  const parley = await createParley({
    databaseUrl: proxy.url,
    models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: provider.url } },
    tools: [hold],
    background: { overLimit: 'queue', maxGlobal: 1 },
  })
  return {
    parley,
    proxy,
    held: held.promise,
    release: released.resolve,
    async [Symbol.asyncDispose]() {
      for (const part of [parley, provider, proxy, database]) await part[Symbol.asyncDispose]()
    },
  }
}

interface Proxy extends AsyncDisposable {
  url: string
  /** Drops what is open and lets nobody in. */
  cut(): void
  restore(): void
  /** Resolves when so many from now on were not let in. */
  refused(count: number): Promise<void>
  /** Drops the connection that says something next; resolves when that has happened. */
  dropNext(): Promise<void>
}

/** Passes bytes on to a database. */
async function startProxy(target: URL): Promise<Proxy> {
  const open = new Set<Socket>()
  const events = new EventEmitter()
  let isCut = false
  let dropsNext = false
  const proxy = createServer((client) => {
    if (isCut) {
      client.destroy()
      return void events.emit('refused')
    }
    const upstream = connect(Number(target.port), target.hostname)
    client.on('data', () => {
      if (!dropsNext) return
      dropsNext = false
      client.destroy()
      events.emit('dropped')
    })
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
    async refused(count) {
      for (let seen = 0; seen < count; seen++) await once(events, 'refused')
    },
    async dropNext() {
      dropsNext = true
      await once(events, 'dropped')
    },
    async [Symbol.asyncDispose]() {
      cut()
      proxy.close()
    },
  }
}
