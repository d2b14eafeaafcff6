import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/parley.ts'
import { startApp, type AppServer } from './http/app-server.ts'
import { anyDatabase, sqliteDatabase, toOptions } from './harness.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const clientOf = ({ url }: AppServer, apiKey = 'operator-0123456789') =>
  createClient({ baseUrl: url, apiKey })

describe.each(anyDatabase)('over HTTP on %s', (_name, openDatabase) => {
  it('documents are written, compared, restored and deleted', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { documents } = clientOf(server)
    const made = await documents.create({ title: 'Plan', folder: 'plans', content: 'one\n' })
    expect(made).toMatchObject({ scope: 'default', version: 1, bytes: 4 })
    expect(await documents.update(made.id, { content: 'two\n', ifVersion: 1 })).toMatchObject({ version: 2 })
    expect(await documents.get(made.id)).toMatchObject({ content: 'two\n' })
    expect(await documents.get(made.id, { version: 1 })).toMatchObject({ content: 'one\n' })
    expect(await documents.diff(made.id, { from: 1, to: 2 })).toMatchObject({ added: 1, removed: 1 })
    expect(await documents.restore(made.id, { version: 1 })).toMatchObject({ version: 3, content: 'one\n' })
    const page = await documents.versions(made.id, { limit: 2 })
    expect(page.items.map(({ version }) => version)).toEqual([3, 2])
    const next = await documents.versions(made.id, { limit: 2, cursor: page.nextCursor! })
    expect(next).toMatchObject({ items: [{ version: 1, author: { id: 'operator' } }], nextCursor: null })
    expect((await documents.list({ folder: 'plans' })).items).toMatchObject([{ id: made.id }])
    await documents.delete(made.id)
    await expect(documents.get(made.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(server.bugs()).toEqual([])
  })

  it('todo lists are kept', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { todos } = clientOf(server)
    const { id } = await todos.create({ title: 'Today', items: [{ title: 'a' }] })
    const [first] = (await todos.addItems(id, { items: [{ title: 'b', description: 'more' }] })).items
    const changed = await todos.updateItem(id, first!.id, { status: 'done', position: 5 })
    expect(changed.items.map(({ title, status }) => [title, status])).toEqual([
      ['b', 'todo'],
      ['a', 'done'],
    ])
    expect(await todos.update(id, { title: 'Tomorrow' })).toMatchObject({ title: 'Tomorrow' })
    expect((await todos.list()).items).toMatchObject([{ id, counts: { todo: 1, doing: 0, done: 1 } }])
    expect((await todos.deleteItem(id, first!.id)).items).toHaveLength(1)
    expect(await todos.get(id)).toMatchObject({ title: 'Tomorrow', items: [{ title: 'b' }] })
    await todos.delete(id)
    await expect(todos.get(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(server.bugs()).toEqual([])
  })

  it('a lock is seen, keeps a person off, and is taken away', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { documents, locks, sessions } = clientOf(server)
    const { id } = await documents.create({ title: 'Plan', content: 'one' })
    const session = await sessions.create({})
    const hold = { sessionId: session.id, reason: 'writing', ttlMs: 60_000 }
    await server.store.takeLock('default', { type: 'document', id }, hold)
    expect((await locks.list()).items).toMatchObject([
      { resourceType: 'document', resourceId: id, title: 'Plan', sessionId: session.id, fence: 1 },
    ])
    const heldBy = { sessionId: session.id, reason: 'writing' }
    await expect(documents.update(id, { content: 'two' })).rejects.toMatchObject({
      code: 'conflict',
      details: { heldBy },
    })
    await locks.release('document', id)
    expect((await locks.list({ session: session.id })).items).toEqual([])
    await expect(documents.update(id, { content: 'two', fence: 1 })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await documents.update(id, { content: 'two' })).toMatchObject({ version: 2 })
    await locks.release('document', id)
    await expect(locks.release('document', 'none')).rejects.toMatchObject({ code: 'not_found' })
  })
})

it('a key that is bound to a scope sees the documents, lists and locks of that one', async () => {
  await using server = await startApp({ apiKeys })
  const [operator, guest] = [clientOf(server), clientOf(server, 'guest-0123456789012')]
  const { id } = await operator.documents.create({ scope: 'blue', title: 'Secret' })
  const list = await operator.todos.create({ scope: 'blue', title: 'Secret' })
  await expect(guest.documents.get(id, { scope: 'blue' })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(guest.documents.get(id, { scope: 'red' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(guest.todos.get(list.id, { scope: 'red' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(guest.locks.release('document', id, { scope: 'red' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect((await guest.documents.list({ scope: 'red' })).items).toEqual([])
})

it('a document that is created twice with one key is there once', async () => {
  await using server = await startApp()
  const headers = { 'idempotency-key': 'once' }
  const body = { title: 'Plan', content: 'one' }
  const first = await server.send('POST', '/api/documents', { headers, body })
  const again = await server.send('POST', '/api/documents', { headers, body })
  expect([first.status, again.json]).toEqual([201, first.json])
  expect((await clientOf(server).documents.list()).items).toHaveLength(1)
})

it.each([
  ['no title', { content: 'x' }],
  ['an empty title', { title: '' }],
  ['a title that is too long', { title: 'x'.repeat(501) }],
  ['a title of two lines', { title: 'a\nb' }],
  ['a folder with nothing between its names', { title: 'x', folder: 'a//b' }],
  ['a field that is not known', { title: 'x', id: 'mine' }],
  ['a content over the limit', { title: 'x', content: 'x'.repeat(1_048_577) }],
])('%s is refused', async (_case, body) => {
  await using server = await startApp()
  expect((await server.send('POST', '/api/documents', { body })).status).toBe(400)
  expect((await clientOf(server).documents.list()).items).toEqual([])
})

it('a Parley in the process does the same, by its settings, and tells models of locks', async () => {
  await using database = await sqliteDatabase()
  await using parley = await createParley({ ...toOptions(database), documents: { maxBytes: 4 } })
  const { documents, todos, locks, sessions } = parley
  const { id } = await documents.create({ title: 'Plan', content: 'four' })
  await expect(documents.update(id, { content: 'fives' })).rejects.toThrow('the most is 4')
  expect(await todos.create({ title: 'Today' })).toMatchObject({ items: [] })
  const session = await sessions.create({})
  expect(JSON.stringify(await sessions.prompt(session.id))).not.toContain('<active_locks>')
  const hold = { sessionId: session.id, ttlMs: 60_000 }
  await parley.store.takeLock('default', { type: 'document', id }, hold)
  const { fragments } = await sessions.prompt(session.id)
  expect(fragments.find(({ name }) => name === 'active_locks')).toMatchObject({
    text: `<active_locks>\n- document:${id} "Plan" is held by this session\n</active_locks>`,
  })
  await locks.release('document', id)
  const names = (await parley.catalogue.tools()).items.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['document', 'lock', 'search', 'todo']))
})
