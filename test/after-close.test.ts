import { describe, expect, it } from 'vitest'
import { createAgent, createParley, type Parley } from '../src/index.ts'
import { postgresDatabase, sqliteDatabase, temporaryFolder } from './harness.ts'

const closed = { code: 'shutting_down', message: 'This Parley is closed.' }

/** What is no call of a program: read, or handed on to a server. */
const others = ['store', 'ids', 'operations', 'contributions', 'services', 'configured', 'agentBasis']

type Call = (...given: unknown[]) => unknown

/** Every call of an object by its name, those of what it holds included. */
function callsOf(object: object, path = ''): [string, Call][] {
  return Object.entries(object).flatMap(([key, value]): [string, Call][] => {
    const name = path === '' ? key : `${path}.${key}`
    if (others.includes(name) || name === 'close' || name === 'background.hooks') return []
    if (typeof value === 'function') return [[name, value as Call]]
    return typeof value === 'object' && value !== null ? callsOf(value as object, name) : []
  })
}

const isWatching = (name: string) => /^watchers\.(?!add$)/.test(name)

describe('a Parley that is closed', () => {
  it('refuses every call, whether it is awaited or iterated', async () => {
    using folder = temporaryFolder()
    const parley: Parley = await createParley({ dataDir: folder.path })
    const every = callsOf(parley).filter(([name]) => !isWatching(name))
    expect(every.length).toBeGreaterThan(150)
    await parley.close()
    const kept: string[] = []
    for (const [name, call] of every) {
      const error = await (async () => call())().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if ((error as Error | undefined)?.message !== closed.message) kept.push(name)
    }
    expect(kept).toEqual([])
    const watch = async () => {
      for await (const _ of parley.sessions.observe('ses_1'));
    }
    await expect(watch()).rejects.toMatchObject(closed)
    const chat = async () => {
      for await (const _ of parley.sessions.chat('ses_1', 'hello'));
    }
    await expect(chat()).rejects.toMatchObject(closed)
    const feed = parley.events.follow('default', { signal: new AbortController().signal })
    await expect(feed.next()).rejects.toMatchObject(closed)
    expect(() => parley.registry.require('demo/parley')).toThrow(closed.message)
  })

  it('can be closed again', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    await Promise.all([parley.close(), parley.close()])
    await expect(parley.close()).resolves.toBeUndefined()
  })

  it('is closed for its agents too', async () => {
    using folder = temporaryFolder()
    const parley = await createParley({ dataDir: folder.path })
    await using agent = createAgent({ parley })
    const session = agent.activateSession('mine')
    await session.add({ role: 'user', content: 'kept' })
    await parley.close()
    await expect(session.log()).rejects.toMatchObject(closed)
    await expect(agent.ask('late')).rejects.toMatchObject(closed)
  })
})

describe('an agent that is closed', () => {
  it('refuses every call but those that let go', async () => {
    const agent = createAgent()
    const session = agent.attachSession()
    await agent.ask('hello')
    await agent.close()
    for (const [name, call] of callsOf(
      Object.fromEntries(Object.entries(agent).filter(([key]) => key !== 'session')),
    ))
      if (name !== 'detachSession')
        await expect((async () => call())(), name).rejects.toMatchObject({
          code: 'shutting_down',
          message: 'The agent is closed.',
        })
    for (const call of [() => session.log(), () => session.window(), () => session.toJSON()])
      await expect(call()).rejects.toThrow('The agent is closed.')
    agent.detachSession()
    await agent.close()
  })
})

describe.each([
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
])('a store on %s that is closed', (_, openDatabase) => {
  it('says so, in place of what the driver would say', async () => {
    await using database = await openDatabase()
    const store = await database.open()
    await store.close()
    await expect(store.getSession('default', 'ses_1')).rejects.toMatchObject(closed)
    await expect(store.transaction(async (tx) => tx.listScopes())).rejects.toMatchObject(closed)
    await expect(store.ping()).rejects.toMatchObject(closed)
    await expect(store.checkIntegrity()).rejects.toMatchObject(closed)
    await store.close()
  })

  it('keeps a transaction that was begun whole, or refuses it', async () => {
    await using database = await openDatabase()
    const store = await database.open()
    let closing: Promise<void> | undefined
    const outcome = await store
      .transaction(async (tx) => {
        await tx.ensureScope('late')
        closing = store.close()
        await tx.createSession({ id: 'ses_late', scope: 'late' })
      })
      .then(
        () => 'stored',
        (error: Error) => error.message,
      )
    await closing
    await using again = await database.open()
    const isStored = (await again.getSession('late', 'ses_late')) !== undefined
    expect(outcome).toBe(isStored ? 'stored' : closed.message)
    expect(await again.getScope('late'), 'all or nothing').toEqual(isStored ? expect.anything() : undefined)
  })
})
