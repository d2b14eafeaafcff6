import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../protocol/chunk.ts'
import { createObserverRegistry, type ObserverDeps, type SessionObserver } from './observers.ts'

const id = 'ses_one'
const soon = { timeout: 25_000 }
const delta = (text: string) => ({ type: 'text-delta', id: 't', delta: text }) as const

function open(deps: Partial<ObserverDeps> = {}) {
  const errors: unknown[] = []
  const registry = createObserverRegistry({
    observe: async () => undefined,
    onError: (error) => errors.push(error),
    ...deps,
  })
  return { registry, errors }
}

function watcher(onEvents?: SessionObserver['onEvents']) {
  const events: RunEvent[] = []
  const state = { isDone: false }
  const observer: SessionObserver = {
    async onEvents(batch) {
      events.push(...batch)
      await onEvents?.(batch)
    },
    onDone: () => void (state.isDone = true),
  }
  return { observer, events, state, seqs: () => events.map(({ seq }) => seq) }
}

const settle = async () => {
  for (let turns = 0; turns < 50; turns++) await Promise.resolve()
}
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

afterEach(() => vi.useRealTimers())

describe('an observer', () => {
  it('gets what happened before it came, then what happens, then the end', async () => {
    const { registry } = open()
    registry.startSession(id)
    for (const text of ['a', 'b']) registry.dispatch(id, delta(text))
    const { observer, events, state } = watcher()
    expect(await registry.register(id, observer)).toBe(true)
    await settle()
    expect(events.map(({ chunk }) => chunk)).toEqual([delta('a'), delta('b')])
    registry.dispatch(id, delta('c'))
    await settle()
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(state.isDone).toBe(false)
    registry.endSession(id)
    await settle()
    expect(state.isDone).toBe(true)
    expect(registry.countObservers(id)).toBe(0)
  })

  it('begins after a place where that is asked for', async () => {
    const { registry } = open()
    registry.startSession(id)
    for (let count = 0; count < 10; count++) registry.dispatch(id, delta(`${count}`))
    const { observer, seqs } = watcher()
    await registry.register(id, observer, { after: 7 })
    await settle()
    expect(seqs()).toEqual([8, 9, 10])
  })

  it('comes late and gets everything and the end, for half a minute; after that from the store, or nothing', async () => {
    vi.useFakeTimers()
    const stored = vi.fn<ObserverDeps['observe']>(async ({ sessionId }) =>
      sessionId === id
        ? (async function* () {
            yield [{ seq: 1, chunk: delta('stored') }]
          })()
        : undefined,
    )
    const { registry } = open({ observe: stored })
    registry.startSession(id)
    registry.dispatch(id, delta('live'))
    registry.endSession(id)
    const late = watcher()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(await registry.register(id, late.observer)).toBe(true)
    await vi.advanceTimersByTimeAsync(0)
    expect([late.events[0]?.chunk, late.state.isDone]).toEqual([delta('live'), true])
    expect(stored).not.toHaveBeenCalled()

    await vi.advanceTimersByTimeAsync(2_000)
    const later = watcher()
    expect(await registry.register(id, later.observer, { scope: 'red', after: 4 })).toBe(true)
    await vi.advanceTimersByTimeAsync(0)
    expect([later.events[0]?.chunk, later.state.isDone]).toEqual([delta('stored'), true])
    expect(stored.mock.calls[0]).toEqual([
      { scope: 'red', sessionId: id },
      { after: 4, signal: expect.any(AbortSignal) },
    ])
    expect(await registry.register('ses_unknown', watcher().observer)).toBe(false)
    expect(registry.countObservers('ses_unknown')).toBe(0)
  })

  it('hears nothing more once it is unregistered, not even the end', async () => {
    const { registry } = open()
    registry.startSession(id)
    const { observer, events, state } = watcher()
    await registry.register(id, observer)
    registry.dispatch(id, delta('a'))
    await settle()
    registry.unregister(id, observer)
    registry.unregister(id, observer)
    registry.dispatch(id, delta('b'))
    registry.endSession(id)
    await settle()
    expect([events.length, state.isDone]).toEqual([1, false])
  })

  it('that fails is let go, and the others do not notice', async () => {
    const { registry, errors } = open()
    registry.startSession(id)
    const good = watcher()
    const failing = [
      watcher(() => {
        throw new Error('at once')
      }),
      watcher(() => Promise.reject(new Error('later'))),
    ]
    for (const { observer } of [...failing, good]) await registry.register(id, observer)
    expect(registry.countObservers(id)).toBe(3)
    for (let count = 0; count < 5; count++) {
      registry.dispatch(id, delta(`${count}`))
      await settle()
    }
    registry.endSession(id)
    await settle()
    expect([good.seqs(), good.state.isDone]).toEqual([upTo(5), true])
    expect(failing.map(({ events, state }) => [events.length, state.isDone])).toEqual([
      [1, false],
      [1, false],
    ])
    expect(errors.map((error) => (error as Error).message)).toEqual(['at once', 'later'])
  })

  it('is let go when the store fails it', async () => {
    const { registry } = open({
      observe: async () => {
        throw new Error('out of reach')
      },
    })
    await expect(registry.register(id, watcher().observer)).rejects.toThrow('out of reach')
    expect(registry.countObservers(id)).toBe(0)
  })
})

describe('a session', () => {
  it('takes nothing before its start and after its end, and begins anew when it is started again', async () => {
    const { registry } = open()
    registry.dispatch(id, delta('early'))
    registry.endSession(id)
    registry.startSession(id)
    expect(registry.isActive(id)).toBe(true)
    const first = watcher()
    await registry.register(id, first.observer)
    registry.dispatch(id, delta('a'))
    registry.endSession(id)
    registry.endSession(id)
    registry.dispatch(id, delta('late'))
    await settle()
    expect(registry.isActive(id)).toBe(false)
    expect(first.events.map(({ chunk }) => chunk)).toEqual([delta('a')])

    registry.startSession(id)
    const second = watcher()
    await registry.register(id, second.observer)
    registry.startSession(id)
    await settle()
    // what was started twice without an end is over for those who watched it
    expect(second.state.isDone).toBe(true)
    registry.dispatch(id, delta('b'))
    const third = watcher()
    await registry.register(id, third.observer)
    await settle()
    expect(third.seqs()).toEqual([1])
  })

  it('is forgotten with its observers by clear', async () => {
    const { registry } = open()
    registry.startSession(id)
    const { observer, events } = watcher()
    await registry.register(id, observer)
    registry.clear()
    registry.dispatch(id, delta('a'))
    await settle()
    expect([events.length, registry.isActive(id), registry.countObservers(id)]).toEqual([0, false, 0])
  })
})

describe('memory', () => {
  it('is bounded: of a long stream the newest is kept, and of sessions that are over a thousand', async () => {
    const { registry } = open()
    registry.startSession(id)
    for (let count = 0; count < 50_000; count++) registry.dispatch(id, delta('x'))
    const { observer, seqs } = watcher()
    await registry.register(id, observer)
    registry.endSession(id)
    await settle()
    await expect.poll(() => seqs().at(-1), soon).toBe(50_000)
    expect(seqs().length).toBeLessThanOrEqual(4_000)
    expect(seqs()).toEqual(upTo(50_000, seqs()[0]))
    for (let count = 0; count < 1_500; count++) {
      registry.startSession(`ses_${count}`)
      registry.endSession(`ses_${count}`)
    }
    const registered = await Promise.all(
      upTo(1_499, 0).map((count) => registry.register(`ses_${count}`, watcher().observer)),
    )
    expect(registered.filter(Boolean)).toHaveLength(1_000)
    expect(registered.slice(-1_000).every(Boolean)).toBe(true)
    registry.clear()
  })

  it('does not grow with a slow observer among 500, and the others are not held up', async () => {
    const { registry } = open()
    registry.startSession(id)
    let release = () => {}
    const slow = watcher(() => new Promise<void>((resolve) => (release = resolve)))
    await registry.register(id, slow.observer)
    const counts = Array.from({ length: 499 }, () => 0)
    for (const index of counts.keys())
      await registry.register(id, { onEvents: (events) => void (counts[index]! += events.length) })
    const total = 20_000
    for (let count = 0; count < total; count++) {
      registry.dispatch(id, delta('x'))
      if (count % 100 === 0) await new Promise(setImmediate)
    }
    registry.endSession(id)
    await expect.poll(() => counts.every((count) => count === total), soon).toBe(true)
    expect(slow.events.length).toBeLessThan(total)
    // it goes on with what is kept, and hears of the end
    for (let calls = 0; !slow.state.isDone && calls < 100; calls++) {
      release()
      await new Promise(setImmediate)
    }
    expect(slow.state.isDone).toBe(true)
    expect(slow.seqs().at(-1)).toBe(total)
    expect(slow.events.length).toBeLessThanOrEqual(5_000)
  })
})
