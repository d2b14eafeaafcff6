import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { Sessions } from '../src/core/chat/session-operations.ts'
import type { Store } from '../src/core/store/store.ts'
import { createParley } from '../src/parley.ts'
import { createScripted, says } from './chat-harness.ts'
import { createGate, type Gate } from './gates.ts'
import { databases, sqliteDatabase, toOptions } from './harness.ts'
import { startApp } from './http/app-server.ts'

/** Holds the transaction that ends a run: all of it was written, and nothing is committed. */
function holdEnd(store: Store, gate: Gate): void {
  const { transaction } = store
  store.transaction = (work) =>
    transaction.call(store, async (tx) => {
      let endsRun = false
      const watched = new Proxy(tx, {
        get(target, name) {
          if (name === 'finishRun') endsRun = true
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const result = await work(watched)
      if (endsRun) await gate.wait()
      return result
    }) as never
}

/** What a client reads of a turn at the moment in which it is told of the end. */
async function readAtEnd(sessions: Sessions, runs: RunReader, id: string, onText: () => void) {
  for await (const { runId, events } of sessions.observe(id)) {
    if (events.some(({ chunk }) => chunk.type === 'text-delta')) onText()
    if (!events.some(({ chunk }) => chunk.type === 'finish')) continue
    const [session, run, { items }] = await Promise.all([
      sessions.get(id),
      runs.get(runId),
      sessions.messages(id),
    ])
    return { chatStatus: session.chatStatus, status: run.status, roles: items.map(({ role }) => role) }
  }
  throw new Error('The stream ended without an end of the turn.')
}

type RunReader = { get(id: string): Promise<{ status: string }> }

const ended = { chatStatus: 'idle', status: 'completed', roles: ['user', 'assistant'] }

async function expectEndAfterCommit({ sessions, runs }: { sessions: Sessions; runs: RunReader }, gate: Gate) {
  const { id } = await sessions.create()
  await sessions.send(id, 'hi')
  let isEnded = false
  const said = Promise.withResolvers<void>()
  const watched = readAtEnd(sessions, runs, id, said.resolve).finally(() => (isEnded = true))
  try {
    await said.promise
    await gate.reached
    // a round trip, in which what was emitted before would have arrived
    expect((await sessions.get(id)).chatStatus).toBe('chatting')
    expect(isEnded).toBe(false)
  } finally {
    gate.open()
  }
  expect(await watched).toEqual(ended)
}

describe.each(databases)('the end of a run on %s', (_name, openDatabase) => {
  it('is emitted after its commit: whoever sees it reads that the run is finished', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const gate = createGate()
    holdEnd(server.store, gate)
    await expectEndAfterCommit(createClient({ baseUrl: server.url }), gate)
  })

  it('also in the library', async () => {
    await using database = await openDatabase()
    await using parley = await createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => createScripted(() => says('Hello')) } },
    })
    const gate = createGate()
    holdEnd(parley.store, gate)
    await expectEndAfterCommit(parley, gate)
  })
})

it('ends the stream of a run that was cancelled before it began', async () => {
  await using database = await sqliteDatabase()
  await using server = await startApp({
    database,
    model: createScripted(() => [new Promise(() => {})]),
    background: { maxGlobal: 1, overLimit: 'queue' },
  })
  const { sessions } = createClient({ baseUrl: server.url })
  const first = await sessions.create({ kind: 'background', prompt: 'never ends' })
  const { id } = await sessions.create({ kind: 'background', prompt: 'waits for the first' })
  const requests: string[] = []
  const watching = createClient({
    baseUrl: server.url,
    fetch: (input, init) => {
      requests.push(String(input))
      return fetch(input, init)
    },
  })
  const observed = (async () => {
    for await (const _ of watching.sessions.observe(id));
  })()
  await expect.poll(() => requests.length).toBe(1)
  await sessions.stop(id)
  await observed
  expect(requests).toHaveLength(1)
  await sessions.stop(first.id)
})
