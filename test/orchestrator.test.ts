/** What parks, wakes, ends and cancels runs, with a kind that nobody else has. */
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { ActiveRun, Advanced } from '../src/core/orchestrator/orchestrate.ts'
import { createSteppedRuns } from '../src/core/orchestrator/stepped-runs.ts'
import { isRefused } from '../src/core/orchestrator/steps.ts'
import { invalidRequest } from '../src/core/protocol/error.ts'
import { createRunEngine } from '../src/core/runs/run-engine.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { FinalStatus, Run } from '../src/core/store/queries/run-row.ts'
import { databases, type OpenDatabase } from './harness.ts'

interface End {
  status: FinalStatus
  words: string
}

const scope = 'default'

async function openRelays(openDatabase: OpenDatabase, look: (run: Run, times: number) => Advanced<End>) {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope(scope)
  const calls: string[] = []
  let looks = 0
  const relays = createSteppedRuns<ActiveRun, End>({
    name: 'relay',
    store,
    clock: systemClock,
    background: {
      async cancelTasksOf() {
        calls.push('stops tasks')
        return []
      },
    },
    load: async (execution) => execution,
    advance: async ({ run }) => look(run, ++looks),
    toEnd: ({ status, message = 'no words' }) => ({ status, words: message }),
    isRefusal: isRefused,
    async lock() {
      calls.push('locks')
    },
    toOutcome: ({ words }) => ({ words }),
    async onEnd(tx, { id }, { status }) {
      calls.push(`ends ${status}`)
      await tx.recordEvent(scope, { type: 'relay-ended', data: { runId: id } })
    },
    leavesTasks: ({ status }) => status === 'completed',
  })
  const logger = pino({ level: 'silent' })
  const engine = createRunEngine({ store, logger, owner: async () => 'one', takesUpRuns: true, pollMs: 20 })
  engine.register('relay', relays)
  return {
    store,
    engine,
    relays,
    calls,
    looks: () => looks,
    async add(timeoutMs?: number) {
      const { id: sessionId } = await store.createSession({ scope, kind: 'tool' })
      return store.createRun({ scope, sessionId, kind: 'relay', timeoutMs, input: {} })
    },
    async until(id: string, status: FinalStatus) {
      await expect.poll(async () => (await store.getRun(scope, id))?.status).toBe(status)
      const events = await store.listEvents(scope, { after: 0, limit: 10 })
      // exactly one end is stored, and what goes with it
      expect(events.filter(({ type }) => type === 'relay-ended')).toMatchObject([{ data: { runId: id } }])
      return (await store.getRun(scope, id))!
    },
    async [Symbol.asyncDispose]() {
      await engine.close(0)
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const done: Advanced<End> = { end: { status: 'completed', words: 'done' } }

describe.each(databases)('a kind of run with steps on %s', (_name, openDatabase) => {
  it('waits without an owner, looks again when it is woken, and ends with its last look', async () => {
    await using open = await openRelays(openDatabase, (_run, times) => (times < 3 ? {} : done))
    const { id } = await open.add()
    open.engine.start()
    await expect.poll(open.looks).toBe(1)
    expect(await open.store.wakeRun(id)).toBe(true)
    await expect.poll(open.looks).toBe(2)
    await open.store.wakeRun(id)
    expect((await open.until(id, 'completed')).outcome).toEqual({ words: 'done' })
    expect(open.looks()).toBe(3)
    expect(open.calls).toEqual(['locks', 'ends completed'])
  })

  it('looks again by itself when there is more to do, no place was free, or a time has come', async () => {
    const found = [undefined, 'more', 'full', { wakeAt: systemClock.now() }, done] as const
    await using open = await openRelays(openDatabase, (_run, times) => found[times]!)
    const { id } = await open.add()
    open.engine.start()
    await open.until(id, 'completed')
    expect(open.looks()).toBe(4)
  })

  it('ends one that waits when it is cancelled, and what was begun for it before', async () => {
    await using open = await openRelays(openDatabase, () => ({}))
    const { id } = await open.add()
    open.engine.start()
    await expect.poll(open.looks).toBe(1)
    await open.relays.cancelById(scope, id)
    expect((await open.until(id, 'cancelled')).outcome).toEqual({ words: 'no words' })
    expect(open.calls).toEqual(['locks', 'stops tasks', 'locks', 'ends cancelled'])
    await expect(open.relays.cancelById(scope, id)).rejects.toThrow('is over: it is cancelled')
    await expect(open.relays.cancelById(scope, 'run_none')).rejects.toThrow('There is no relay run')
  })

  it('ends one that nobody has begun at once', async () => {
    await using open = await openRelays(openDatabase, () => done)
    const { id } = await open.add()
    await open.relays.cancelById(scope, id)
    expect((await open.until(id, 'cancelled')).outcome).toEqual({ words: 'no words' })
    expect(open.calls).toEqual(['locks', 'ends cancelled'])
    expect(open.looks()).toBe(0)
  })

  it('ends one whose time is over while it waits', async () => {
    await using open = await openRelays(openDatabase, () => ({}))
    const { id } = await open.add(50)
    open.engine.start()
    await open.until(id, 'timeout')
    expect(open.calls).toEqual(['stops tasks', 'locks', 'ends timeout'])
  })

  it('fails one whose look is refused, and one that fails unexpectedly', async () => {
    for (const error of [invalidRequest('not like this'), new Error('a bug')]) {
      await using open = await openRelays(openDatabase, () => {
        throw error
      })
      const { id } = await open.add()
      open.engine.start()
      const { outcome } = await open.until(id, 'failed')
      expect(outcome).toEqual({
        words: error.message === 'a bug' ? expect.stringContaining('unexpected') : 'not like this',
      })
    }
  })
})
