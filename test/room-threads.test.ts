import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/index.ts'
import { roomSeatSource } from '../src/extensions/room/protocol/session-kinds.ts'
import { databases, steppedClock, toOptions, sqliteDatabase } from './harness.ts'
import { expectRefusal, startApp } from './http/app-server.ts'

describe.each(databases)('threads on %s', (_name, openDatabase) => {
  it('are created, renamed, archived with a reason, and deleted', async () => {
    await using database = await openDatabase()
    await using parley = await createParley({ ...toOptions(database), clock: steppedClock() })
    const { threads } = parley
    const made = await threads.create({ slug: 'launch' })
    expect(made).toMatchObject({ slug: 'launch', title: 'launch', sessionCount: 0 })
    expect(await threads.get('launch')).toEqual(made)
    await expect(threads.create({ slug: 'launch' })).rejects.toMatchObject({ code: 'conflict' })
    expect(await threads.update('launch', { title: '发布' })).toMatchObject({ title: '发布' })

    await expect(threads.update('launch', { archived: true })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('reason'),
    })
    await expect(threads.update('launch', { reason: 'alone' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(threads.delete('launch')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('archive it'),
    })
    expect(await threads.update('launch', { archived: true, reason: 'It is out' })).toMatchObject({
      title: '发布',
      archivedBy: 'library',
      archiveReason: 'It is out',
    })
    expect((await threads.list()).items).toEqual([])
    expect((await threads.list({ archived: 'true' })).items).toHaveLength(1)
    expect(await threads.update('launch', { title: 'Out' })).toMatchObject({ archiveReason: 'It is out' })
    const open = await threads.update('launch', { archived: false })
    for (const gone of ['archivedAt', 'archivedBy', 'archiveReason']) expect(open).not.toHaveProperty(gone)

    await threads.update('launch', { archived: true, reason: 'again' })
    await threads.delete('launch')
    await expect(threads.get('launch')).rejects.toMatchObject({ code: 'not_found' })
    const audit = await parley.audit({ resource: 'thread' })
    expect(audit.items.map(({ action, detail }) => [action, detail.reason])).toEqual([
      ['delete', undefined],
      ['archive', 'again'],
      ['unarchive', undefined],
      ['update', undefined],
      ['archive', 'It is out'],
      ['update', undefined],
      ['create', undefined],
    ])
    const events = await parley.store.listEvents('default', { after: 0, limit: 20 })
    expect(events.map(({ type }) => type)).toEqual([
      'thread-created',
      ...Array.from({ length: 5 }, () => 'thread-updated'),
      'thread-deleted',
    ])
  })

  it('hold sessions, and count those that a list shows', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { sessions, threads, store } = parley
    await threads.create({ slug: 'a' })
    await threads.create({ slug: 'b' })
    await threads.create({ scope: 'other', slug: 'a' })
    const room = await sessions.create({ title: 'room', thread: 'a' })
    const archived = await sessions.create({ title: 'archived', thread: 'a' })
    const moved = await sessions.create({ title: 'moved', thread: 'b' })
    await sessions.create({ title: 'elsewhere', scope: 'other', thread: 'a' })
    await sessions.create({ title: 'loose' })
    await sessions.update(archived.id, { archived: true })
    await sessions.update(moved.id, { thread: 'a' })
    // a variant counts as one with its original, and what an agent has to itself not at all
    await sessions.append(room.id, { role: 'user', content: 'hi' })
    const [message] = (await sessions.messages(room.id)).items
    await sessions.fork(room.id, { messageId: message!.id, variant: true })
    await store.createSession({
      scope: 'default',
      kind: 'tool',
      parentId: room.id,
      thread: 'a',
      toolMeta: { source: roomSeatSource },
    })

    expect(await threads.get('a')).toMatchObject({ sessionCount: 2 })
    const listed = (await sessions.list({ thread: 'a', roots: 'true' })).items.map(({ title }) => title)
    expect(listed.sort()).toEqual(['moved', 'room'])
    expect((await sessions.list({ thread: 'a', archived: 'true' })).items).toHaveLength(1)
    expect((await threads.list()).items.map(({ slug, sessionCount }) => [slug, sessionCount])).toEqual([
      ['b', 0],
      ['a', 2],
    ])
    expect((await sessions.update(moved.id, { thread: null })).thread).toBeUndefined()
    expect(await threads.get('a')).toMatchObject({ sessionCount: 1 })
    expect(await threads.get('a', { scope: 'other' })).toMatchObject({ sessionCount: 1 })
  })

  it('take no session while they are archived, and none that is not theirs', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { sessions, threads } = parley
    const loose = await sessions.create({})
    await threads.create({ slug: 'open', scope: 'other' })
    await threads.create({ slug: 'shut' })
    const inside = await sessions.create({ thread: 'shut' })
    await threads.update('shut', { archived: true, reason: 'over' })
    for (const [thread, code] of [
      ['open', 'not_found'],
      ['shut', 'conflict'],
    ]) {
      await expect(sessions.create({ thread })).rejects.toMatchObject({ code })
      await expect(sessions.update(loose.id, { thread })).rejects.toMatchObject({ code })
    }
    expect((await sessions.list({ archived: 'all' })).items).toHaveLength(2)
    expect((await sessions.get(loose.id)).thread).toBeUndefined()

    await threads.delete('shut')
    expect((await sessions.get(inside.id)).thread).toBeUndefined()
  })

  it('lose no session to a deletion that happens meanwhile', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { sessions, threads } = parley
    await threads.create({ slug: 'a' })
    const work = [
      threads.update('a', { archived: true, reason: 'x' }).then(() => threads.delete('a')),
      ...Array.from({ length: 20 }, () => sessions.create({ thread: 'a' })),
    ]
    await Promise.allSettled(work)
    await expect(threads.get('a')).rejects.toMatchObject({ code: 'not_found' })
    expect((await sessions.list({ thread: 'a', archived: 'all' })).items).toEqual([])
  })

  it('come along with a session that is imported, and keep why it was archived', async () => {
    await using database = await openDatabase()
    await using parley = await createParley(toOptions(database))
    const { sessions, threads } = parley
    await threads.create({ slug: 'a', title: 'Title' })
    const { id } = await sessions.create({ title: 'x', thread: 'a' })
    await sessions.update(id, { archived: true, archiveReason: 'done' })
    const text = await sessions.export(id)
    const [first, second] = await Promise.all(
      ['new', 'new'].map((scope) => sessions.import(text.replace(id, 'other'), { scope })),
    )
    expect([first, second]).toMatchObject([
      { thread: 'a', archiveReason: 'done' },
      { thread: 'a', archiveReason: 'done' },
    ])
    expect((await threads.list({ scope: 'new' })).items).toMatchObject([{ slug: 'a', title: 'a' }])
    await threads.update('a', { scope: 'new', archived: true, reason: 'x' })
    await expect(sessions.import(text, { scope: 'new' })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('are listed in pages, what was changed last first', async () => {
    await using database = await openDatabase()
    await using parley = await createParley({ ...toOptions(database), clock: steppedClock() })
    const { threads } = parley
    for (const slug of ['a', 'b', 'c', 'd', 'e']) await threads.create({ slug })
    await threads.update('b', { title: 'B' })
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await threads.list({ limit: 2, cursor })
      seen.push(...page.items.map(({ slug }) => slug))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(['b', 'e', 'd', 'c', 'a'])
  })
})

describe('why a session is archived', () => {
  it('goes with archiving it, and goes when it is taken out again', async () => {
    await using database = await sqliteDatabase()
    await using parley = await createParley(toOptions(database))
    const { id } = await parley.sessions.create({})
    const update = (patch: Parameters<typeof parley.sessions.update>[1]) => parley.sessions.update(id, patch)
    for (const patch of [{ archiveReason: 'x' }, { archiveReason: 'x', archived: false }])
      await expect(update(patch)).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await update({ archived: true, archiveReason: 'done' })).archiveReason).toBe('done')
    expect((await update({ title: 'x' })).archiveReason).toBe('done')
    expect((await update({ archived: false })).archiveReason).toBeUndefined()
  })
})

describe('threads over HTTP', () => {
  it('have the same calls in the client', async () => {
    await using server = await startApp()
    const { threads, sessions } = createClient({ baseUrl: server.url })
    const made = await threads.create({ slug: 'a', scope: 'blue', title: 'A' })
    expect(await threads.get('a', { scope: 'blue' })).toEqual(made)
    await sessions.create({ scope: 'blue', thread: 'a' })
    expect((await sessions.list({ scope: 'blue', thread: 'a' })).items).toHaveLength(1)
    const archive = { scope: 'blue', archived: true, reason: 'over' }
    expect(await threads.update('a', archive)).toMatchObject({ archivedBy: 'local', sessionCount: 1 })
    await threads.delete('a', { scope: 'blue' })
    expect((await threads.list({ scope: 'blue', archived: 'all' })).items).toEqual([])
  })

  it('refuse what is wrong, and change nothing', async () => {
    await using server = await startApp()
    await server.send('POST', '/api/threads', { body: { slug: 'a' } })
    const before = server.dump()
    const wrong: [number, string, string, object?][] = [
      [400, 'POST', '/api/threads', {}],
      [400, 'POST', '/api/threads', { slug: 'A' }],
      [400, 'POST', '/api/threads', { slug: '../x' }],
      [400, 'POST', '/api/threads', { slug: 'x'.repeat(65) }],
      [400, 'POST', '/api/threads', { slug: 'x', title: 'a\nb' }],
      [409, 'POST', '/api/threads', { slug: 'a' }],
      [400, 'PATCH', '/api/threads/a', { archived: true }],
      [400, 'PATCH', '/api/threads/a', { archived: true, reason: ' ' }],
      [400, 'PATCH', '/api/threads/a', { slug: 'b' }],
      [404, 'PATCH', '/api/threads/b', { title: 'x' }],
      [409, 'DELETE', '/api/threads/a'],
      [404, 'DELETE', '/api/threads/b'],
      [400, 'DELETE', '/api/threads/..%2Fa'],
      [404, 'POST', '/api/sessions', { thread: 'b' }],
      [400, 'POST', '/api/sessions', { thread: 'B' }],
    ]
    for (const [status, method, path, body] of wrong)
      expectRefusal(
        await server.send(method, path, { body }),
        `${method} ${path} ${JSON.stringify(body)}`,
        status,
      )
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })
})
