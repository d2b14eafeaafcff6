import type { Sessions } from '../src/core/chat/session-operations.ts'
import { expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/parley.ts'
import type { RunEvent } from '../src/core/protocol/chunk.ts'
import type { ObservedEvents } from '../src/core/protocol/sessions.ts'
import { createScripted, says } from './chat-harness.ts'
import { sqliteDatabase, toOptions } from './harness.ts'
import { startApp } from './http/app-server.ts'

/** A model that holds its answer back until it is let go. */
function createHeld() {
  const held = Promise.withResolvers<void>()
  return { model: createScripted(() => [held.promise, ...says('Hello')]), letGo: held.resolve }
}

async function collect(observed: AsyncIterable<ObservedEvents>) {
  const runIds = new Set<string>()
  const events: RunEvent[] = []
  for await (const batch of observed) {
    runIds.add(batch.runId)
    events.push(...batch.events)
  }
  return { runIds: [...runIds], events, types: events.map(({ chunk }) => chunk.type) }
}

async function expectSameView(sessions: Sessions, letGo: () => void): Promise<void> {
  const { id } = await sessions.create()
  expect(await collect(sessions.observe(id))).toMatchObject({ runIds: [], events: [] })
  const answer = Promise.resolve(sessions.chat(id, 'hi'))
  await expect.poll(async () => (await sessions.get(id)).chatStatus).toBe('chatting')
  const [early, late] = [collect(sessions.observe(id)), collect(sessions.observe(id))]
  letGo()
  const first = await early
  expect(first.types.at(0)).toBe('start')
  expect(first.types.at(-1)).toBe('finish')
  expect(first.runIds).toEqual([(await answer).run.id])
  expect((await late).events).toEqual(first.events)

  const stored = await collect(sessions.observe(id, { run: first.runIds[0], after: first.events[1]!.seq }))
  expect(stored.events).toEqual(first.events.slice(2))
  const other = await sessions.create()
  await expect(collect(sessions.observe(other.id, { run: first.runIds[0] }))).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(collect(sessions.observe('ses_none'))).rejects.toMatchObject({ code: 'not_found' })
}

it('shows a task that is still to begin from its beginning to its end', async () => {
  await using database = await sqliteDatabase()
  const { model, letGo } = createHeld()
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    background: { maxGlobal: 1, overLimit: 'queue' },
  })
  const { sessions } = parley
  await sessions.create({ kind: 'background', prompt: 'first' })
  const { id } = await sessions.create({ kind: 'background', prompt: 'waits for the first' })
  const observed = collect(sessions.observe(id))
  expect((await sessions.get(id)).bgStatus).toBe('pending')
  letGo()
  expect((await observed).types).toContain('finish')
  expect((await sessions.result(id)).output).toBe('Hello')
})

it('is the same in the library: live, from the store, of one run, and of no run', async () => {
  await using database = await sqliteDatabase()
  const { model, letGo } = createHeld()
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
  })
  await expectSameView(parley.sessions, letGo)
})

it('and over HTTP', async () => {
  const { model, letGo } = createHeld()
  await using server = await startApp({ model })
  await expectSameView(createClient({ baseUrl: server.url }).sessions, letGo)
})

it('goes on after a connection that broke, and ends when it is told to', async () => {
  const { model, letGo } = createHeld()
  await using server = await startApp({ model })
  let tries = 0
  const { sessions } = createClient({
    baseUrl: server.url,
    fetch: async (input, init) => {
      if (!String(input).includes('/observe') || ++tries > 2) return fetch(input, init)
      throw new TypeError('the network is down')
    },
  })
  const { id } = await sessions.create()
  const answer = Promise.resolve(sessions.chat(id, 'hi'))
  await expect.poll(async () => (await sessions.get(id)).chatStatus).toBe('chatting')
  const abort = new AbortController()
  const leaving = collect(sessions.observe(id, { signal: abort.signal }))
  const staying = collect(sessions.observe(id))
  await expect.poll(() => tries).toBeGreaterThan(3)
  abort.abort()
  expect((await leaving).types).not.toContain('finish')
  letGo()
  await answer
  expect((await staying).types).toContain('finish')
})

async function expectSent(sessions: Sessions, letGo: () => void): Promise<void> {
  const { id } = await sessions.create()
  const idempotencyKey = `key-of-${id}`
  const first = await sessions.send(id, 'hi', { idempotencyKey })
  expect((await sessions.get(id)).chatStatus).toBe('chatting')
  expect(await sessions.send(id, 'hi', { idempotencyKey })).toEqual(first)
  await expect(sessions.send(id, 'something else', { idempotencyKey })).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  })
  await expect(sessions.send('ses_none', 'hi')).rejects.toMatchObject({ code: 'not_found' })
  letGo()
  const { runIds, types } = await collect(sessions.observe(id, { run: first.runId }))
  expect(runIds).toEqual([first.runId])
  expect(types.at(-1)).toBe('finish')
  const { items } = await sessions.messages(id)
  expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
}

it('sends without waiting for the answer, once per key, in the library', async () => {
  await using database = await sqliteDatabase()
  const { model, letGo } = createHeld()
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
  })
  await expectSent(parley.sessions, letGo)
})

it('and over HTTP, where the turn goes on though nobody reads its stream', async () => {
  const { model, letGo } = createHeld()
  await using server = await startApp({ model })
  await expectSent(createClient({ baseUrl: server.url }).sessions, letGo)
})
