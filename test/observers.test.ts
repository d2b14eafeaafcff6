import { describe, expect, it } from 'vitest'
import { createParley, type Parley, type SessionObserver } from '../src/index.ts'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import type { RunEvent } from '../src/core/protocol/chunk.ts'
import { createScripted, says } from './chat-harness.ts'
import { anyDatabase, toOptions, type TestDatabase } from './harness.ts'

const open = (database: TestDatabase, model: ModelAdapter) =>
  createParley({ ...toOptions(database), models: { model: 'extra/test', extra: { extra: () => model } } })

/** Watches until the end, and answers the text that was said. */
async function textOf(parley: Parley, sessionId: string): Promise<string> {
  const events: RunEvent[] = []
  await new Promise<void>((resolve, reject) => {
    const observer: SessionObserver = {
      onEvents: (batch) => void events.push(...batch),
      onDone: resolve,
    }
    parley.observers
      .register(sessionId, observer)
      .then((isThere) => isThere || reject(new Error('nothing')), reject)
  })
  return events.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
}

describe.each(anyDatabase)('observers of what Parley runs on %s', (_name, openDatabase) => {
  it('see a turn from its beginning while it goes on, after its end, and after a restart', async () => {
    await using database = await openDatabase()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const model = createScripted(() => [
      { type: 'text-delta', text: 'one ' },
      released,
      ...says('two ', 'three'),
    ])
    const parley = await open(database, model)
    const { id } = await parley.sessions.create()
    expect(await parley.observers.register(id, { onEvents() {} })).toBe(false)
    expect(await parley.observers.register('ses_unknown', { onEvents() {} })).toBe(false)
    const turn = parley.sessions.chat(id, 'count').then(({ run }) => run)
    await expect.poll(async () => (await parley.store.listOpenRuns(id))[0]?.status).toBe('running')
    const texts = Array.from({ length: 20 }, () => textOf(parley, id))
    await expect.poll(() => parley.observers.countObservers(id)).toBe(20)
    release()
    expect(new Set(await Promise.all(texts))).toEqual(new Set(['one two three']))
    expect(await turn).toMatchObject({ status: 'completed' })
    expect(await textOf(parley, id)).toBe('one two three')
    await parley.close()

    await using again = await open(database, model)
    expect(await textOf(again, id)).toBe('one two three')
  })

  it('are 500 on one background session, one of them slow: nobody misses anything', async () => {
    await using database = await openDatabase()
    const words = 3_000
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const model = createScripted(() => [released, ...says(...Array.from({ length: words }, () => 'x'))])
    await using parley = await open(database, model)
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'long' })
    await expect.poll(async () => (await parley.sessions.get(id)).bgStatus).toBe('running')
    const count = (events: readonly RunEvent[]) =>
      events.filter(({ chunk }) => chunk.type === 'text-delta').length
    const counts = Array.from({ length: 500 }, () => 0)
    const othersDone = Promise.withResolvers<void>()
    let done = 0
    for (const index of counts.keys())
      await parley.observers.register(id, {
        async onEvents(events) {
          counts[index]! += count(events)
          // so slow that it is far behind when everything has been said
          if (index === 0) await othersDone.promise
        },
        onDone() {
          if (++done === 499) othersDone.resolve()
        },
      })
    expect(parley.observers.countObservers(id)).toBe(500)
    release()
    await expect.poll(() => done, { timeout: 200_000 }).toBe(500)
    // what was said, and once more after the reminder that nothing was handed in
    expect(new Set(counts)).toEqual(new Set([2 * words]))
    expect(parley.observers.countObservers(id)).toBe(0)
  })
})
