import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { readEvents } from '../src/client/chat.ts'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createScripted, says } from './chat-harness.ts'
import { follow } from './event-sockets.ts'
import { post } from './faults/nodes.ts'
import { rawRequest, startApp } from './http/app-server.ts'

/** A release has the figures of the tables: 1,000 readers, 10,000 connections. */
const readers = Number(process.env.PARLEY_TEST_READERS ?? 50)
const connections = Number(process.env.PARLEY_TEST_CONNECTIONS ?? 400)
const pieces = 4_096
const said = Array.from({ length: pieces }, (_, index) => String(index).padEnd(1_024, '.'))

it(`${readers} readers that stand still are held back for little, one that reads gets all, and so do they in the end`, async () => {
  const held = Promise.withResolvers<void>()
  await using server = await startApp({ clock: systemClock, model: createTalker(held.promise) })
  const { json } = await server.send('POST', '/api/sessions', { body: {} })
  const path = `/api/sessions/${String(json!.id)}`
  const fast = await post(`${server.url}${path}/chat`, { content: 'hi' })
  const stalled = await Promise.all(
    Array.from({ length: readers }, () => openStalled(server.url, `${path}/observe`)),
  )
  onTestFinished(() => stalled.forEach((socket) => void socket.destroy()))
  const before = heldBytes()
  held.resolve()
  const seen: string[] = []
  for await (const batch of readEvents(fast))
    for (const { chunk } of batch) if (chunk.type === 'text-delta') seen.push(chunk.delta)
  expect(seen).toEqual(said)
  seen.length = 0
  const perReader = (heldBytes() - before) / readers
  process.stdout.write(
    `${readers} readers that stand still, ${(pieces * 1_024) / 1e6} MB said to each: ${Math.round(perReader / 1_024)} KB held for each\n`,
  )
  // what else the process holds counts for them as well, so that no smaller part can be asked for
  expect(perReader).toBeLessThan((pieces * 1_024) / 8)
  // on a connection of its own: one that was kept may have been idle for so long that it is just being closed
  const asked = rawRequest('GET /healthz HTTP/1.1', `Host: ${new URL(server.url).host}`)
  expect((await server.sendRaw(asked)).status).toBe(200)

  const [one, ...others] = stalled
  for (const socket of others) socket.destroy()
  let received = ''
  one!.setEncoding('latin1').on('data', (piece: string) => (received += piece))
  one!.resume()
  await expect.poll(() => received.includes('data: [DONE]'), { timeout: 200_000 }).toBe(true)
  // the body is chunked: the sizes stand between its parts
  const body = received.replace(/\r\n[0-9a-f]+\r\n/g, '')
  const numbers = [...body.matchAll(/"delta":"(\d+)\.+"/g)].map(([, number]) => Number(number))
  // the first one may have come with the head
  expect(numbers).toEqual([...said.keys()].slice(-numbers.length))
  expect(numbers.length).toBeGreaterThanOrEqual(pieces - 1)
}, 300_000)

it(`${connections} observers that come and go leave nothing behind`, async () => {
  const held = Promise.withResolvers<void>()
  const model = createScripted(() => [...says('a').slice(0, 1), held.promise, ...says('b')])
  await using server = await startApp({ clock: systemClock, model })
  const { json } = await server.send('POST', '/api/sessions', { body: {} })
  const id = String(json!.id)
  const turn = server.send('POST', `/api/sessions/${id}/chat`, { body: { content: 'hi' } })
  await expect.poll(async () => (await server.store.listOpenRuns(id))[0]?.status).toBe('running')
  const comeAndGo = async (count: number) => {
    for (let done = 0; done < count; done += 50)
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const socket = await openStalled(server.url, `/api/sessions/${id}/observe`)
          socket.destroy()
          await once(socket, 'close')
        }),
      )
  }
  // what is made once is made now
  await comeAndGo(500)
  const before = heldBytes()
  await comeAndGo(connections)
  await expect
    .poll(() => heldBytes() - before, { interval: 200, message: 'bytes of the heap per observer' })
    .toBeLessThan(connections * 500)
  held.resolve()
  expect((await turn).text).toContain('[DONE]')
}, 300_000)

it(`${readers} followers and as many requests that never end hold up nobody`, async () => {
  await using server = await startApp({ clock: systemClock })
  const halves = await Promise.all(
    Array.from({ length: readers }, async (_, index) => {
      const socket = connect(server.port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      const head = `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`
      // within the headers, or within the body
      socket.write(
        index % 2 ? head : `${head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"ti`,
      )
      return socket
    }),
  )
  const followers = await Promise.all(Array.from({ length: readers }, () => follow(server.url, { after: 0 })))
  const created = await Promise.all(
    Array.from({ length: 20 }, () => server.send('POST', '/api/sessions', { body: {} })),
  )
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]))
  for (const follower of followers) expect(await follower.seqs(20)).toHaveLength(20)
  await Promise.all(followers.map((follower) => follower.close()))
  for (const socket of halves) socket.destroy()
  await expect.poll(() => server.events.followers).toBe(0)
  expect(server.bugs()).toEqual([])
})

/** Asks for a stream and reads its head; what follows is left where it is. */
async function openStalled(url: string, path: string): Promise<Socket> {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {}) // a reset; `close` follows
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  expect(head.toString('latin1')).toMatch(/^HTTP\/1.1 200/)
  return socket
}

/** Begins its answer, and says the rest when it is let go, much at a time: whoever listens has as much before it. */
const createTalker = (held: Promise<void>): ModelAdapter => ({
  id: 'scripted/test',
  async *stream() {
    yield { type: 'text-delta', text: said[0]! }
    await held
    for (const [index, text] of said.entries()) {
      if (index > 0) yield { type: 'text-delta', text }
      if (index % 1_024 === 0) await sleep(1)
    }
    yield { type: 'finish', reason: 'stop', usage: {} }
  },
})

/** What is in use of the heap and of the buffers beside it, when all has gone that can. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
