import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createRunEngine, type RunEngineOptions, type RunKind } from '../src/core/runs/run-engine.ts'
import { admitRun } from '../src/core/runs/busy-policy.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { Store } from '../src/core/store/store.ts'
import { says } from './chat-harness.ts'
import { databases, type OpenDatabase } from './harness.ts'
import { openTasks } from './task-harness.ts'

const scope = 'default'

async function openEngine(openDatabase: OpenDatabase, options: Partial<RunEngineOptions> = {}) {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope(scope)
  const logger = pino({ level: 'silent' })
  const engine = createRunEngine({ store, logger, owner: async () => 'one', takesUpRuns: true, ...options })
  return {
    store,
    engine,
    /** A run of a session of its own. */
    async add(kind: string) {
      const { id: sessionId } = await store.createSession({ scope })
      return store.createRun({ scope, sessionId, kind, input: {} })
    },
    async until(id: string, status: string) {
      await expect.poll(async () => (await store.getRun(scope, id))?.status).toBe(status)
      return (await store.getRun(scope, id))!
    },
    async [Symbol.asyncDispose]() {
      await engine.close(0)
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A kind whose runs end at once, as those that are given up do. */
const ending = (store: Store, done: string[] = []): RunKind => ({
  async execute({ run, lease }) {
    done.push(`${run.kind} executed`)
    await store.finishRun(lease, { status: 'completed' })
  },
  async giveUp({ run, lease }, { code }) {
    done.push(`${run.kind} ${code}`)
    await store.finishRun(lease, { status: 'interrupted', outcome: { code } })
  },
})

/** A kind whose runs end when they are stopped. */
const waiting = (store: Store): RunKind => ({
  ...ending(store),
  async execute({ lease, signal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await store.finishRun(lease, { status: 'cancelled', outcome: { code: String(signal.reason) } })
  },
})

describe.each(databases)('the run engine on %s', (_name, openDatabase) => {
  it('has each run executed by its kind', async () => {
    await using open = await openEngine(openDatabase)
    const done: string[] = []
    open.engine.register('red', ending(open.store, done))
    open.engine.register('blue', ending(open.store, done))
    const runs = [await open.add('red'), await open.add('blue')]
    open.engine.start()
    for (const { id } of runs) await open.until(id, 'completed')
    expect(done.sort()).toEqual(['blue executed', 'red executed'])
  })

  it('refuses a kind that is registered already, or too late, by its name', async () => {
    await using open = await openEngine(openDatabase)
    open.engine.register('red', ending(open.store))
    expect(() => open.engine.register('red', ending(open.store))).toThrow(
      'The run kind "red" is registered already.',
    )
    open.engine.start()
    expect(() => open.engine.register('blue', ending(open.store))).toThrow(
      /^The run kind "blue" is registered too late/,
    )
    // neither changed anything
    const { id } = await open.add('red')
    await open.until(id, 'completed')
    const other = await open.add('blue')
    expect((await open.until(other.id, 'failed')).outcome).toMatchObject({ code: 'unknown_kind' })
  })

  it('gives up a run of a kind that nobody registered, and says so to whoever watches', async () => {
    await using open = await openEngine(openDatabase)
    const { id, sessionId } = await open.add('poll')
    await open.store.setChatStatus(sessionId, 'chatting')
    open.engine.start()
    const chunks = []
    for await (const batch of open.engine.observe(id, { signal: AbortSignal.timeout(100_000) }))
      chunks.push(...batch.map(({ chunk }) => chunk))
    const message = expect.stringContaining('runs of the kind "poll"') as string
    expect(chunks).toEqual([
      { type: 'error', errorText: message },
      { type: 'finish', finishReason: 'error' },
    ])
    expect(await open.store.getRun(scope, id)).toMatchObject({
      status: 'failed',
      outcome: { code: 'unknown_kind', message },
    })
    expect((await open.store.requireSession(scope, sessionId)).chatStatus).toBe('idle')
    const events = await open.store.listEvents(scope, { after: 0, limit: 10 })
    expect(events.at(-1)).toMatchObject({
      type: 'run-finished',
      sessionId,
      data: { runId: id, status: 'failed', code: 'unknown_kind' },
    })
  })

  it('executes a local run only where it was admitted', async () => {
    await using open = await openEngine(openDatabase, { leaseMs: 60_000 })
    const done: string[] = []
    open.engine.register('own', { ...ending(open.store, done), isLocal: true })
    const { id: sessionId } = await open.store.createSession({ scope })
    const admission = await open.store.transaction((tx) =>
      admitRun(tx, { scope, sessionId, kind: 'own', input: {} }, 'reject', { claim: open.engine.claim }),
    )
    open.engine.begin(admission)
    await open.until(admission.run.id, 'completed')
    const left = await open.add('own')
    open.engine.start()
    await open.until(left.id, 'interrupted')
    expect(done).toEqual(['own executed', 'own interrupted'])
  })

  it('stops what is running in a session, and a run by itself', async () => {
    await using open = await openEngine(openDatabase)
    open.engine.register('long', waiting(open.store))
    const [one, other] = [await open.add('long'), await open.add('long')]
    open.engine.start()
    for (const { id } of [one, other]) await open.until(id, 'running')
    expect(await open.engine.stopSession(one)).toMatchObject({ id: one.id })
    await open.until(one.id, 'cancelled')
    expect(await open.engine.stopSession(one)).toBeUndefined()
    expect((await open.store.getRun(scope, other.id))?.status).toBe('running')
    await open.engine.stopRun(other)
    expect((await open.until(other.id, 'cancelled')).outcome).toEqual({ code: 'stopped' })
  })

  it('cancels and ends runs in the way of their kind', async () => {
    await using open = await openEngine(openDatabase)
    const { store, engine } = open
    const calls: string[] = []
    engine.register('red', {
      ...ending(store),
      cancel: async (_tx, run, { message }) => void calls.push(`cancel ${run.kind}: ${message}`),
      end: async (_tx, run) => void calls.push(`end ${run.kind}`),
    })
    engine.register('plain', ending(store))
    engine.register('blue', {
      ...ending(store),
      cancel: async (tx, run) => {
        await tx.cancelQueuedRun(run.scope, run.id)
        throw new Error('broken')
      },
    })
    expect(engine.taskKinds()).toEqual(['red', 'blue'])
    const [red, plain, blue] = [await open.add('red'), await open.add('plain'), await open.add('blue')]
    await store.transaction(async (tx) => {
      await engine.cancel(tx, red, { message: 'no more' })
      // one that has no way of its own is stopped like any run
      await engine.cancel(tx, plain, { message: 'no more' })
      for (const run of [red, plain, blue]) await engine.end(tx, run)
    })
    expect(calls).toEqual(['cancel red: no more', 'end red'])
    expect((await store.getRun(scope, plain.id))?.status).toBe('cancelled')
    const failing = store.transaction((tx) => engine.cancel(tx, blue, { message: 'no more' }))
    await expect(failing).rejects.toThrow('broken')
    expect((await store.getRun(scope, blue.id))?.status).toBe('queued')
  })

  it('never takes a run of an unknown kind for a turn', async () => {
    await using parley = await openTasks(openDatabase, () => says('Hello'))
    const { id } = await parley.sessions.create()
    const run = await parley.store.createRun({
      scope,
      sessionId: id,
      kind: 'poll',
      input: { message: { id: 'msg_1', parts: [{ type: 'text', text: 'Hi' }] } },
    })
    await expect.poll(async () => (await parley.store.getRun(scope, run.id))?.status).toBe('failed')
    expect(parley.model.requests).toEqual([])
    expect((await parley.sessions.messages(id)).items).toEqual([])
  })
})
