/** How messages come into the search index behind appends and imports, and what a search says while they do. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ParleyError } from '../src/core/protocol/error.ts'
import { listSessions } from '../src/core/sessions/list.ts'
import { searchScope } from '../src/core/sessions/search.ts'
import { startSearchIndexer } from '../src/core/sessions/search-indexer.ts'
import { catchUpIndex, mostCaughtUp } from '../src/core/store/catch-up-index.ts'
import type { NewSession } from '../src/core/store/queries/sessions.ts'
import type { Store } from '../src/core/store/store.ts'
import { databases, type TestDatabase } from './harness.ts'

const scope = 'default'
const caller = { scope, actor: { type: 'user' as const, id: 'me' }, seesAllScopes: true }
const pages = { pageSize: 100_000 }
const many = 20_000

const written = (count: number, word = 'apple') =>
  Array.from({ length: count }, (_, index) => ({
    role: 'user' as const,
    parts: JSON.stringify([{ type: 'text', text: `${word} ${index}` }]),
  }))

async function addSession(
  store: Store,
  count: number,
  { word = 'apple', ...session }: Partial<NewSession> & { word?: string } = {},
) {
  await store.ensureScope(session.scope ?? scope)
  const { id } = await store.createSession({ scope, ...session })
  for (let at = 0; at < count; at += 5_000)
    await store.appendWritten(session.scope ?? scope, id, written(Math.min(5_000, count - at), word))
  return id
}

const search = (store: Store, q = 'apple', limit = pages.pageSize) =>
  searchScope(store, pages, caller, { q, limit })
const find = async (store: Store, q?: string) => (await search(store, q, 10)).items.length

/** Lets a store take in so many steps of its index, and then no more. */
async function takeSteps(store: Store, sessionId: string, steps: number): Promise<number> {
  let left = 0
  for (let step = 0; step < steps; step++)
    left = (await store.indexMessages([sessionId])).left.get(sessionId)!
  return left
}

/** The same store, whose calls for the index are counted. */
function counted(store: Store) {
  const calls = { lists: 0, steps: 0 }
  const watched: Store = {
    ...store,
    listUnindexed: (limit) => (calls.lists++, store.listUnindexed(limit)),
    indexMessages: (ids) => (calls.steps++, store.indexMessages(ids)),
  }
  return { calls, store: watched }
}

function startIndexer(store: Store): AsyncDisposable & { errors: unknown[] } {
  const errors: unknown[] = []
  const indexer = startSearchIndexer(store, (error) => errors.push(error))
  return { errors, [Symbol.asyncDispose]: () => indexer.stop() }
}

async function untilIndexed(store: Store): Promise<void> {
  await expect.poll(() => store.listUnindexed(1), { timeout: 60_000, interval: 20 }).toEqual([])
}

describe.each(databases)('the search index on %s', (_name, openDatabase) => {
  const open = async () => {
    const database: TestDatabase = await openDatabase()
    const store = await database.open()
    return {
      database,
      store,
      async [Symbol.asyncDispose]() {
        await store.close()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  it('answers after a large import from what is there, and says what is missing', async () => {
    await using opened = await open()
    const id = await addSession(opened.store, many)
    const { store, calls } = counted(opened.store)
    expect(await search(store)).toEqual({ items: [], indexing: { messages: many } })
    expect(await listSessions(store, pages, caller, { q: 'apple' })).toEqual({
      items: [],
      nextCursor: null,
      indexing: { messages: many },
    })
    expect(calls.steps).toBe(0)

    const left = await takeSteps(store, id, 3)
    expect(left).toBe(many - 3 * 50)
    const some = await search(store)
    expect(some.items).toHaveLength(many - left)
    expect(some.indexing).toEqual({ messages: left })
    const listed = await listSessions(store, pages, caller, { q: 'apple' })
    expect(listed).toMatchObject({ items: [{ id }], indexing: { messages: left } })
    expect(await listSessions(store, pages, caller, {})).not.toHaveProperty('indexing')
  })

  it('finds the messages of a turn at once while an import is taken in, also of many sessions', async () => {
    await using opened = await open()
    const { store } = opened
    await addSession(store, many)
    await addSession(store, 2, { word: 'pear' })
    expect(await search(store, 'pear')).toMatchObject({ items: [{}, {}], indexing: { messages: many } })
    for (let session = 0; session < 40; session++) await addSession(store, 3, { word: 'plum' })
    const plums = await search(store, 'plum')
    expect(plums.items).toHaveLength(120)
    expect(plums.indexing).toEqual({ messages: many })
  })

  it('takes in so much before it answers and no more, the newest sessions first', async () => {
    await using opened = await open()
    const { store } = opened
    const { messages: most } = mostCaughtUp
    const first = await addSession(store, most, { word: 'oldest' })
    expect((await search(store, 'oldest')).items).toHaveLength(most)
    await store.appendWritten(scope, first, written(1, 'later'))
    expect(await search(store, 'later')).toEqual({ items: [expect.objectContaining({ sessionId: first })] })

    await addSession(store, 10, { word: 'cherry' })
    await addSession(store, most - 5, { word: 'melon' })
    expect((await search(store, 'melon')).items).toHaveLength(most - 5)
    await addSession(store, most + 1, { word: 'grape' })
    expect(await search(store, 'grape')).toEqual({ items: [], indexing: { messages: most + 1 } })
  })

  it('takes in fewer messages at once when they are long, and all of them in the end', async () => {
    await using opened = await open()
    const { store } = opened
    const long = (word: string) => ({
      role: 'user' as const,
      parts: JSON.stringify([{ type: 'text', text: `${word} ${'x '.repeat(150_000)}` }]),
    })
    const id = await addSession(store, 0)
    await store.appendWritten(
      scope,
      id,
      Array.from({ length: 6 }, () => long('heavy')),
    )
    expect((await store.indexMessages([id])).left.get(id)).toBe(5)
    const { items, indexing } = await search(store, 'heavy')
    expect(items.length + (indexing?.messages ?? 0)).toBe(6)
    expect(indexing).toBeDefined()
    expect((await search(store, 'heavy')).items).toHaveLength(6)
  })

  it('counts for a session only what is missing of it, and nothing of those that are hidden', async () => {
    await using opened = await open()
    const { store } = opened
    const id = await addSession(store, 4)
    await addSession(store, 3_000)
    await addSession(store, 3_000, { kind: 'tool', toolMeta: { source: 'room-seat' } })
    await addSession(store, 3_000, { scope: 'other' })
    expect(await catchUpIndex(store, scope, { sessionId: id })).toEqual({})
    expect(await store.searchMessages(scope, id, { text: 'apple', limit: 10 })).toHaveLength(4)
    expect(await catchUpIndex(store, scope)).toEqual({ indexing: { messages: 3_000 } })
  })

  it('is finished in the background, after which a search finds everything and does not mention it', async () => {
    await using opened = await open()
    await using indexer = startIndexer(opened.store)
    await addSession(opened.store, 5_000)
    await untilIndexed(opened.store)
    const found = await search(opened.store)
    expect(found).not.toHaveProperty('indexing')
    expect(new Set(found.items.map(({ seq }) => seq)).size).toBe(5_000)
    expect(found.items).toHaveLength(5_000)
    expect(indexer.errors).toEqual([])
  })

  it('lets others write between two steps', async () => {
    await using opened = await open()
    const { store } = opened
    await addSession(store, 5_000)
    const other = await addSession(store, 0)
    const begun = Promise.withResolvers<void>()
    let steps = 0
    const watched: Store = {
      ...store,
      async indexMessages(ids) {
        if (++steps === 2) begun.resolve()
        return store.indexMessages(ids)
      },
    }
    await using _indexer = startIndexer(watched)
    await begun.promise
    for (let message = 0; message < 5; message++) await store.appendWritten(scope, other, written(1, 'pear'))
    expect((await store.countUnindexed(scope)).messages).toBeGreaterThan(2_500)
    expect(await find(store, 'pear')).toBe(5)
  })

  it('continues after it was closed in the middle, without taking anything in twice', async () => {
    await using opened = await open()
    const { database } = opened
    const id = await addSession(opened.store, 2_000)
    const left = await takeSteps(opened.store, id, 7)
    await opened.store.close()
    await using again = await database.open()
    expect((await again.countUnindexed(scope)).messages).toBe(left)
    await using _indexer = startIndexer(again)
    await untilIndexed(again)
    expect((await search(again)).items).toHaveLength(2_000)
  })

  it('passes over a session that is deleted in the middle, be it short or long', async () => {
    await using opened = await open()
    const { store } = opened
    const short = await addSession(store, 1_000)
    const long = await addSession(store, 5_000)
    for (const id of [short, long]) await takeSteps(store, id, 2)
    for (const id of [short, long]) await store.deleteSession(scope, id)
    expect(await search(store)).toEqual({ items: [] })
    expect((await store.indexMessages([short, long])).left).toEqual(
      new Map([
        [short, undefined],
        [long, undefined],
      ]),
    )
    const behind = await addSession(store, 5_000)
    const kept = await addSession(store, 700, { word: 'kept' })
    const begun = Promise.withResolvers<void>()
    const watched: Store = {
      ...store,
      async indexMessages(ids) {
        const step = await store.indexMessages(ids)
        if (step.left.has(behind)) begun.resolve()
        return step
      },
    }
    await using indexer = startIndexer(watched)
    await begun.promise
    await store.deleteSession(scope, behind)
    await untilIndexed(store)
    expect(indexer.errors).toEqual([])
    expect((await search(store, 'kept')).items).toHaveLength(700)
    expect(await search(store)).toEqual({ items: [] })
    expect((await store.requireSession(scope, kept)).messageCount).toBe(700)
  })

  it('is kept up by two processes at once, each message once', async () => {
    await using opened = await open()
    const { database, store } = opened
    await using second = await database.open()
    for (const count of [3_000, 200, 900]) await addSession(store, count)
    await using one = startIndexer(store)
    await using two = startIndexer(second)
    await untilIndexed(store)
    expect((await search(second)).items).toHaveLength(4_100)
    expect([...one.errors, ...two.errors]).toEqual([])
  })
})

describe.each(databases.filter(([name]) => name === 'PostgreSQL'))(
  'the search index on %s',
  (_name, openDatabase) => {
    it('does not wait for a session that somebody has locked, and a search waits for what is fresh', async () => {
      await using database = await openDatabase()
      await using store = await database.open()
      await using other = await database.open()
      const locked = await addSession(store, 100)
      const free = await addSession(store, 10)
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holding = other.transaction(async (tx) => {
        await tx.lockSession(scope, locked)
        held.resolve()
        await release.promise
      })
      await held.promise
      const { left } = await store.indexMessages([locked, free])
      expect([...left]).toEqual([
        [locked, undefined],
        [free, 0],
      ])
      const waiting = store.indexWaiting(locked)
      release.resolve()
      await holding
      expect((await waiting).left.get(locked)).toBe(50)
      expect((await search(store)).items).toHaveLength(110)
    })

    it('is taken over from a node that is gone', async () => {
      await using database = await openDatabase()
      await using store = await database.open()
      await using idle = counted(await database.open()).store
      const id = await addSession(store, 2_000)
      await takeSteps(store, id, 1)
      await using _indexer = startIndexer(idle)
      await untilIndexed(idle)
      const more = await addSession(store, 2_000)
      await takeSteps(store, more, 1)
      // this node heard nothing of it, but somebody searches here
      expect(await search(idle)).toMatchObject({ indexing: { messages: 1_950 } })
      await untilIndexed(idle)
    })
  },
)

it('is left as it is on a full disk, where a search answers from what is there', async () => {
  await using database = await databases[0]![1]()
  await using store = await database.open()
  await addSession(store, 3)
  const refusing = (code: 'storage_full' | 'store_unavailable'): Store => ({
    ...store,
    indexMessages: () => Promise.reject(new ParleyError(code, 'No.')),
  })
  expect(await search(refusing('storage_full'))).toEqual({ items: [], indexing: { messages: 3 } })
  await expect(search(refusing('store_unavailable'))).rejects.toMatchObject({ code: 'store_unavailable' })
})

describe('a store that nothing is added to', () => {
  afterEach(() => void vi.useRealTimers())

  it('is asked once at the start, and never again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
    await using database = await databases[0]![1]()
    await using real = await database.open()
    await real.ensureScope(scope)
    const { store, calls } = counted(real)
    await using _indexer = startIndexer(store)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(calls).toEqual({ lists: 1, steps: 0 })
    const { id } = await real.createSession({ scope })
    await real.appendWritten(scope, id, written(2))
    await vi.advanceTimersByTimeAsync(3_600_000)
    await expect.poll(() => calls).toEqual({ lists: 3, steps: 1 })
    await find(store)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(calls).toEqual({ lists: 3, steps: 1 })
  })

  it('is asked again some time after it failed, though nothing is added', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
    await using database = await databases[0]![1]()
    await using real = await database.open()
    await addSession(real, 2)
    let failures = 2
    const store: Store = {
      ...real,
      async listUnindexed(limit) {
        if (failures-- > 0) throw new Error('gone')
        return real.listUnindexed(limit)
      },
    }
    await using indexer = startIndexer(store)
    await vi.advanceTimersByTimeAsync(120_000)
    await expect.poll(() => real.listUnindexed(1)).toEqual([])
    expect(indexer.errors).toHaveLength(2)
  })
})
