import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { calls, says, type Script } from './chat-harness.ts'
import { anyDatabase, databases } from './harness.ts'
import { createGate, openTasks, scope, submit } from './task-harness.ts'

const isTask = ({ tools }: ModelRequest) => tools.some(({ name }) => name === 'set_result')
const lastRole = ({ messages }: ModelRequest) => messages.at(-1)!.role

/** Starts a task for everything that it is told, reports among them. */
const restless: Script = (request) => {
  if (isTask(request)) return submit()
  return lastRole(request) === 'tool' ? says('Started.') : calls(['spawn_task', { task: 'more work' }])
}

type Opened = Awaited<ReturnType<typeof openTasks>>

const turnsOf = async ({ store }: Opened, sessionId: string) => {
  const { items } = await store.listRuns(scope, { sessionId, limit: 100 })
  return items.map(({ input }) => (input as { isWake?: true }).isWake === true)
}

describe.each(anyDatabase)('a chat that starts a task for every report, on %s,', (_name, openDatabase) => {
  it('stops after so many turns without a person, says so, and begins again with the next message', async () => {
    await using parley = await openTasks(openDatabase, restless, { background: { maxWakes: 3 } })
    const { sessions } = parley
    const { id } = await sessions.create()
    await sessions.chat(id, 'go')
    await expect.poll(async () => (await sessions.get(id)).wakes?.stoppedAt).toBeDefined()
    expect((await turnsOf(parley, id)).filter((isWake) => isWake)).toHaveLength(3)
    expect(await sessions.get(id)).toMatchObject({ wakes: { count: 3 } })
    const events = await parley.store.listEvents(scope, { after: 0, limit: 1_000 })
    expect(events.filter(({ type }) => type === 'session-wakes-stopped')).toMatchObject([
      { sessionId: id, data: { count: 3, limit: 3 } },
    ])
    expect(await parley.eventsOf(id)).toContain('session-inbox')
    const log = (await sessions.messages(id, { limit: 100 })).items
    expect(log.at(-1)).toMatchObject({
      role: 'system',
      parts: [{ text: expect.stringContaining('background.maxWakes') }],
    })
    // the report that came last waits where everybody can see it
    const { items: waiting } = await sessions.inbox(id)
    expect(waiting).toMatchObject([{ kind: 'task-result', wake: true, result: { output: 'done' } }])

    await sessions.chat(id, 'go on')
    await expect.poll(async () => (await turnsOf(parley, id)).filter((isWake) => isWake).length).toBe(6)
    await expect.poll(async () => (await sessions.get(id)).wakes?.stoppedAt).toBeDefined()
    expect(await sessions.inbox(id)).toMatchObject({ items: [{ kind: 'task-result' }] })
    const copy = await sessions.import(await sessions.export(id), { scope: 'elsewhere' })
    expect(copy).not.toHaveProperty('wakes')
  })

  it('begins none by itself with a limit of 0', async () => {
    await using parley = await openTasks(openDatabase, restless, { background: { maxWakes: 0 } })
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'go')
    await expect.poll(async () => (await parley.sessions.inbox(id)).items.length).toBe(1)
    expect(await turnsOf(parley, id)).toEqual([false])
  })

  it('is allowed more by words that are said into a running turn', async () => {
    const gate = createGate()
    let turns = 0
    await using parley = await openTasks(
      openDatabase,
      (request, call) => {
        if (isTask(request) || lastRole(request) === 'tool') return restless(request, call)
        // the second turn of the chat is the one that began by itself
        return ++turns === 2 ? [gate.promise, ...restless(request, call)] : restless(request, call)
      },
      { background: { maxWakes: 1 } },
    )
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'go')
    await expect.poll(async () => (await parley.sessions.get(id)).wakes).toEqual({ count: 1 })
    await expect.poll(() => turns).toBe(2)
    await parley.sessions.send(id, { content: 'I am here', policy: 'steer' })
    expect(await parley.sessions.get(id)).not.toHaveProperty('wakes')
    gate.open()
    await expect.poll(async () => (await parley.sessions.get(id)).wakes?.stoppedAt).toBeDefined()
    expect((await turnsOf(parley, id)).filter((isWake) => isWake)).toHaveLength(2)
  })

  it('stops as well where it fires a cron for every report, or makes one that fires once', async () => {
    const inOneSecond = () => `once:${new Date(Date.now() + 1_000).toISOString()}`
    const wanted: (() => object)[] = [
      () => ({ action: 'trigger', id: cron.id }),
      () => ({ action: 'create', schedule: inOneSecond(), prompt: 'report' }),
    ]
    await using parley = await openTasks(
      openDatabase,
      (request) => {
        if (isTask(request)) return submit()
        if (lastRole(request) === 'tool') return says('Fired.')
        const isFirst = JSON.stringify(request.messages).includes('by hand')
        return calls(['cron', wanted[isFirst ? 0 : 1]!()])
      },
      { background: { maxWakes: 1 }, permissions: { mode: 'bypassPermissions' } },
    )
    const cron = await parley.crons.create({ schedule: '@yearly', prompt: 'report' })
    for (const words of ['by hand', 'by the clock']) {
      const { id } = await parley.sessions.create()
      await parley.crons.update(cron.id, { announceTarget: id })
      await parley.sessions.chat(id, words)
      await expect.poll(async () => (await parley.sessions.get(id)).wakes?.stoppedAt).toBeDefined()
      expect((await turnsOf(parley, id)).filter((isWake) => isWake)).toHaveLength(1)
    }
  })

  it('is woken by what a program starts, however often', async () => {
    await using parley = await openTasks(
      openDatabase,
      (request) => (isTask(request) ? submit() : says('Noted.')),
      {
        background: { maxWakes: 1 },
      },
    )
    const { id } = await parley.sessions.create()
    for (let round = 1; round <= 3; round++) {
      await parley.sessions.create({ kind: 'background', prompt: 'report', announceTarget: id, wake: true })
      await expect.poll(async () => (await turnsOf(parley, id)).length).toBe(round)
      await expect.poll(async () => (await parley.sessions.inbox(id)).items).toEqual([])
    }
    const cron = await parley.crons.create({ schedule: '@yearly', prompt: 'report', announceTarget: id })
    for (let round = 4; round <= 6; round++) {
      await parley.crons.trigger(cron.id)
      await expect.poll(async () => (await turnsOf(parley, id)).length).toBe(round)
      await expect.poll(async () => (await parley.sessions.inbox(id)).items).toEqual([])
    }
    expect(await parley.sessions.get(id)).not.toHaveProperty('wakes')
  })
})

describe.each(databases)('what a session and its tasks used, on %s,', (_name, openDatabase) => {
  it('can be read together', async () => {
    await using parley = await openTasks(openDatabase, (request) => {
      if (isTask(request)) return submit()
      return lastRole(request) === 'tool'
        ? says('Done.')
        : calls(['spawn_task', { task: 'one', mode: 'sync' }], ['spawn_task', { task: 'two', mode: 'sync' }])
    })
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'go')
    expect(await parley.sessions.usage(id)).not.toHaveProperty('withTasks')
    expect(await parley.sessions.usage(id, { tasks: true })).toMatchObject({
      calls: 2,
      inputTokens: 20,
      withTasks: { sessions: 3, runs: 3, calls: 4, inputTokens: 40, outputTokens: 20, cacheReadTokens: 0 },
    })
    const { id: unused } = await parley.sessions.create()
    const none = { runs: 0, calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
    expect((await parley.sessions.usage(unused, { tasks: true })).withTasks).toEqual({ sessions: 1, ...none })
  })
})

describe.each(anyDatabase)('stopping a session, on %s,', (_name, openDatabase) => {
  it('says which tasks it stopped', async () => {
    const { promise: never } = createGate()
    await using parley = await openTasks(
      openDatabase,
      (request) => {
        if (isTask(request)) return [never]
        return lastRole(request) === 'tool'
          ? says('Fine.')
          : calls(['spawn_task', { task: 'a', label: 'first' }], ['spawn_task', { task: 'b' }])
      },
      { background: { maxGlobal: 1, overLimit: 'queue' } },
    )
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'go')
    const ids = await parley.idsBelow(id)
    const isRunning = ([, status]: [string, unknown]) => status === 'running'
    const findRunning = async () => Object.entries(await parley.below(id)).find(isRunning)?.[0]
    // whichever of them was faster
    await expect.poll(findRunning).toBeDefined()
    const running = (await findRunning())!
    const queued = Object.keys(ids).find((name) => name !== running)!
    const { stopped, tasks } = await parley.sessions.stop(id)
    expect(stopped).toBeNull()
    expect(tasks).toHaveLength(2)
    expect(tasks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ taskId: ids[running], kind: 'background' }),
        expect.objectContaining({ taskId: ids.first, label: 'first' }),
        expect.objectContaining({ taskId: ids[queued], status: 'cancelled' }),
      ]),
    )
    await parley.until(ids[running]!, 'cancelled')
    expect(await parley.sessions.stop(id)).toEqual({ stopped: null, tasks: [] })
  })
})
