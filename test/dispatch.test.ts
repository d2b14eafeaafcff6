import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createInProcessDispatcher } from '../src/core/runs/dispatcher.ts'
import { createEventHub } from '../src/core/runs/event-hub.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { Store } from '../src/core/store/store.ts'
import { databases } from './harness.ts'

describe.each(databases)('a run that waits on %s', (_name, openDatabase) => {
  it('goes on under its new lease when a heartbeat of the one before comes late', async () => {
    await using database = await openDatabase()
    await using store = await database.open(systemClock)
    await store.ensureScope('default')
    const { id: sessionId } = await store.createSession({ scope: 'default' })
    const run = await store.createRun({ scope: 'default', sessionId, kind: 'workflow', input: {} })
    const beating = Promise.withResolvers<void>()
    const isBack = Promise.withResolvers<void>()
    const beaten = Promise.withResolvers<void>()
    /** A store that is slow to hear of heartbeats. */
    const slow = Object.assign(Object.create(store) as Store, {
      async renewLeases(...given: Parameters<Store['renewLeases']>) {
        beating.resolve()
        await isBack.promise
        const held = await store.renewLeases(...given)
        setImmediate(beaten.resolve)
        return held
      },
    })
    const reasons: unknown[] = []
    const dispatcher = createInProcessDispatcher({
      store: slow,
      hub: createEventHub(store, () => {}),
      logger: pino({ level: 'silent' }),
      owner: async () => 'one',
      takesUpRuns: true,
      // its owner is slow on purpose, and must not lose it for that
      leaseMs: 6_000,
      pollMs: 20,
      async execute({ lease, signal }) {
        if (lease.fence === 1) {
          await beating.promise
          await store.parkRun(lease, {})
          await store.wakeRun(run.id)
          return 'waits'
        }
        isBack.resolve()
        await beaten.promise
        reasons.push(signal.reason)
        await store.finishRun(lease, { status: 'completed' })
      },
      giveUp: async () => {},
    })
    dispatcher.start()
    await expect.poll(async () => (await store.getRun('default', run.id))?.status).toBe('completed')
    await dispatcher.stop(1_000)
    expect(reasons).toEqual([undefined])
  })
})
