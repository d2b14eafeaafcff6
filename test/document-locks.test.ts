import { describe, expect, it } from 'vitest'
import {
  createDocument,
  deleteDocument,
  getDocument,
  updateDocument,
} from '../src/extensions/documents/documents.ts'
import {
  forceRelease,
  listLocks,
  readLocksAround,
  releaseLock,
  takeLock,
} from '../src/extensions/documents/locks.ts'
import { addTodoItems, createTodoList, deleteTodoList } from '../src/extensions/documents/todos.ts'
import type { LockedType } from '../src/extensions/documents/protocol/lock.ts'
import { openDocuments, type TestDocuments } from './document-harness.ts'
import { databases, sqliteDatabase } from './harness.ts'

const ttlMs = 300_000

async function openLocks(openDatabase: Parameters<typeof openDocuments>[0], lockTtlMs = ttlMs) {
  const test = await openDocuments(openDatabase, { lockTtlMs })
  const { store, limits, person } = test
  const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
  const [first, second] = [await test.addSession(), await test.addSession()]
  const locked = { type: 'document' as LockedType, id }
  return {
    test,
    id,
    first,
    second,
    locked,
    take: (caller: typeof first, reason?: string) => takeLock(limits, store, caller, locked, reason),
    write: (caller: TestDocuments['person'], content: string, fence?: number) =>
      updateDocument(limits, store, caller, id, { content, fence }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

describe.each(databases)('locks on %s', (_name, openDatabase) => {
  it('lets one session write, and tells others who holds it, since when and why', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, id, first, second, take, write } = arranged
    const { since } = await take(first, 'rewriting the start')
    const heldBy = { sessionId: first.sessionId, since, reason: 'rewriting the start' }
    const refused = { code: 'conflict', details: { heldBy } }
    await expect(take(second)).rejects.toMatchObject(refused)
    await expect(write(second, 'two')).rejects.toMatchObject(refused)
    await expect(write(test.person, 'two')).rejects.toMatchObject(refused)
    await expect(deleteDocument(test.store, test.person, id)).rejects.toMatchObject(refused)
    await expect(releaseLock(test.store, second, arranged.locked)).rejects.toMatchObject(refused)
    expect(await write(first, 'mine')).toMatchObject({ version: 2 })
  })

  it('is taken by an update itself, and kept until it is given back', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, second, write, locked } = arranged
    await write(first, 'two')
    await expect(write(second, 'three')).rejects.toMatchObject({ code: 'conflict' })
    await releaseLock(test.store, first, locked)
    expect(await write(second, 'three')).toMatchObject({ version: 3 })
    await expect(releaseLock(test.store, first, locked)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is the same lock when its holder takes it again, and a higher fence for everybody else', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, second, take, locked } = arranged
    const one = await take(first, 'a reason')
    const again = await take(first)
    expect(again).toMatchObject({ fence: one.fence, since: one.since, reason: 'a reason' })
    expect(again.expiresAt > one.expiresAt).toBe(true)
    const fences = [one.fence]
    for (const caller of [first, second, first, second]) {
      await test.store.releaseLock(locked, first.sessionId)
      await test.store.releaseLock(locked, second.sessionId)
      fences.push((await take(caller)).fence)
    }
    expect(fences).toEqual([1, 2, 3, 4, 5])
  })

  it('is taken over when it has run out, and then refuses what the one before still writes', async () => {
    await using arranged = await openLocks(openDatabase, 1)
    const { test, id, first, second, take, write, locked } = arranged
    const lost = await take(first)
    // by the clock of the store, which is that of the server on PostgreSQL
    await expect.poll(async () => (await test.store.readLock(locked)).holder).toBeUndefined()
    expect((await takeLock({ lockTtlMs: ttlMs }, test.store, second, locked)).fence).toBe(lost.fence + 1)
    await expect(write(first, 'late')).rejects.toMatchObject({ code: 'conflict' })
    await releaseLock(test.store, second, locked)
    // nobody holds it any more, but somebody had it in between
    await expect(write(first, 'late')).rejects.toThrow('somebody else had it since')
    await expect(write(test.person, 'late', lost.fence)).rejects.toThrow('somebody else had it since')
    expect(await getDocument(test.store, test.person, id)).toMatchObject({ content: 'one', version: 1 })
    const { fence } = await takeLock({ lockTtlMs: ttlMs }, test.store, first, locked)
    expect(fence).toBe(lost.fence + 2)
    expect(await write(first, 'now')).toMatchObject({ version: 2 })
  })

  it('that ran out still lets its holder write while nobody else took it', async () => {
    await using arranged = await openLocks(openDatabase, 1)
    const { test, first, take, write, locked } = arranged
    const { fence } = await take(first)
    await expect.poll(async () => (await test.store.readLock(locked)).holder).toBeUndefined()
    expect(await write(first, 'two', fence)).toMatchObject({ version: 2 })
    expect((await take(first)).fence).toBe(fence)
  })

  it('is taken away by a person, and its session writes no more until it takes it again', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, take, write, locked } = arranged
    await take(first)
    expect((await listLocks(test.store, test.person, {})).items).toMatchObject([
      { resourceType: 'document', resourceId: arranged.id, title: 'Plan', sessionId: first.sessionId },
    ])
    await forceRelease(test.store, test.person, locked)
    expect((await listLocks(test.store, test.person, {})).items).toEqual([])
    await expect(write(first, 'late')).rejects.toThrow('somebody else had it since')
    expect(await write(test.person, 'mine')).toMatchObject({ version: 2 })
    await take(first)
    expect(await write(first, 'now')).toMatchObject({ version: 3 })
    await releaseLock(test.store, first, locked)
    await test.newEvents('lock-changed')
    await forceRelease(test.store, test.person, locked)
    expect(await test.newEvents('lock-changed')).toEqual([])
  })

  it('goes with its session, and its fence stays', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, second, take } = arranged
    const { fence } = await take(first)
    await test.store.deleteSession('default', first.sessionId)
    expect((await listLocks(test.store, test.person, {})).items).toEqual([])
    expect((await take(second)).fence).toBe(fence + 1)
  })

  it('goes with what it is on', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, id, first, take } = arranged
    await take(first)
    await deleteDocument(test.store, first, id)
    expect((await listLocks(test.store, test.person, {})).items).toEqual([])
    await expect(take(first)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is not to be had in another scope', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, locked, take } = arranged
    await test.store.ensureScope('other')
    const stranger = { ...first, scope: 'other' }
    await expect(takeLock(test.limits, test.store, stranger, locked)).rejects.toMatchObject({
      code: 'not_found',
    })
    await take(first)
    await expect(forceRelease(test.store, stranger, locked)).rejects.toMatchObject({ code: 'not_found' })
    expect((await listLocks(test.store, stranger, {})).items).toEqual([])
  })

  it('goes to one of those who ask at once', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, take } = arranged
    const callers = await Promise.all(Array.from({ length: 6 }, () => test.addSession()))
    const results = await Promise.allSettled(callers.map((caller) => take(caller)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('keeps others off a todo list too', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createTodoList(store, person, { title: 'Today' })
    const [first, second] = [await test.addSession(), await test.addSession()]
    await takeLock(limits, store, first, { type: 'todo_list', id }, 'sorting')
    const refused = { code: 'conflict', details: { heldBy: { sessionId: first.sessionId } } }
    await expect(addTodoItems(store, second, id, [{ title: 'x' }])).rejects.toMatchObject(refused)
    await expect(deleteTodoList(store, person, id)).rejects.toMatchObject(refused)
    expect((await addTodoItems(store, first, id, [{ title: 'x' }])).items).toHaveLength(1)
  })

  it('tells of what changes hands, and not of a sign of life', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, first, take, locked } = arranged
    await take(first)
    await take(first)
    await releaseLock(test.store, first, locked)
    await take(first)
    await forceRelease(test.store, test.person, locked)
    const events = await test.newEvents('lock-changed')
    expect(events.map(({ action }) => action)).toEqual(['checkout', 'checkin', 'checkout', 'force_release'])
    expect(events[0]).toMatchObject({ resourceType: 'document', resourceId: arranged.id, fence: 1 })
  })

  it('is in the prompt of its session, and of those that changed the thing before', async () => {
    await using arranged = await openLocks(openDatabase)
    const { test, id, first, second, take } = arranged
    const third = await test.addSession()
    await take(first, 'a reason')
    const around = (sessionId: string) => readLocksAround(test.store, { id: sessionId, scope: 'default' })
    const resource = `document:${id} "Plan"`
    expect(await around(first.sessionId)).toEqual([{ resource, holder: 'this session', reason: 'a reason' }])
    const snapshot = { messageSeq: 0, kind: 'document', name: id, detail: {} }
    await test.store.keepSnapshot(second.sessionId, snapshot)
    const holder = `session ${first.sessionId}`
    expect(await around(second.sessionId)).toEqual([{ resource, holder, reason: 'a reason' }])
    expect(await around(third.sessionId)).toEqual([])
  })
})

it('holds for its time from the last sign of its session, to the millisecond', async () => {
  await using arranged = await openLocks(sqliteDatabase)
  const { test, first, second, take } = arranged
  await take(first)
  test.clock.advance(ttlMs - 1_000)
  await take(first)
  test.clock.advance(ttlMs - 1_000)
  await expect(take(second)).rejects.toMatchObject({ code: 'conflict' })
  test.clock.advance(1_000)
  expect((await take(second)).fence).toBe(2)
})
