import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { idempotencyKeptMs, startHousekeeping } from '../../src/core/store/housekeeping.ts'
import { databases, sqliteDatabase, steppedClock } from '../harness.ts'
import { addSession, checkEach, expectRefusal, startApp, startProcess, type AppServer } from './app-server.ts'

const withKey = (key: string) => ({ 'idempotency-key': key })

const create = (server: AppServer, key: string, body: object = { title: 'once' }) =>
  server.send('POST', '/api/sessions', { headers: withKey(key), body })

async function countSessions(server: AppServer, scope = 'default'): Promise<number> {
  const { json } = await server.send('GET', `/api/sessions?scope=${scope}&limit=200`)
  return (json!.items as unknown[]).length
}

// a release uses 200
const keyCount = Number(process.env.PARLEY_TEST_KEYS ?? 20)

describe.each(databases)('an Idempotency-Key on %s', (_name, openDatabase) => {
  it(`makes one session of 50 posts at once, for each of ${keyCount} keys`, async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const keys = Array.from({ length: keyCount }, (_, count) => `key-${count}`)
    const posts = Array.from({ length: 50 }, () => keys).flat()
    const answers = await Promise.all(posts.map((key) => create(server, key, { title: key })))
    expect(answers.map(({ status }) => status).filter((status) => status !== 201)).toEqual([])
    for (const key of keys) {
      const same = answers.filter((_, index) => posts[index] === key).map(({ text }) => text)
      expect(new Set(same).size, key).toBe(1)
      expect(same[0]).toContain(`"title":"${key}"`)
    }
    expect(await countSessions(server)).toBe(keyCount)
  }, 300_000)

  it('makes one message of 30 appends at once, for each of 5 keys', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const { id } = await addSession(server)
    const path = `/api/sessions/${id}/messages`
    const append = (content: string) =>
      server.send('POST', path, { headers: withKey(content), body: { role: 'user', content } })
    const contents = Array.from({ length: 30 }, () => ['a', 'b', 'c', 'd', 'e']).flat()
    const answers = await Promise.all(contents.map(append))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(5)
    const { items } = (await server.send('GET', path)).json as { items: { seq: number }[] }
    expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
  })

  it('counts over two servers that share the database', async () => {
    await using database = await openDatabase()
    await using one = await startApp({ database })
    await using two = await startApp({ database })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, count) => create(count % 2 ? one : two, `shared-${count % 4}`)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(4)
    expect(await countSessions(one)).toBe(4)
  })

  it('lets one of two different requests win when they come at once', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const titles = Array.from({ length: 20 }, (_, count) => `title ${count % 2}`)
    const answers = await Promise.all(titles.map((title) => create(server, 'contested', { title })))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 201),
      ...Array.from({ length: 10 }, () => 422),
    ])
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1)
    expect(await countSessions(server)).toBe(1)
  })
})

describe('a key that was used', () => {
  it('is refused with 422 for anything but the same request, and changes nothing', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const other = await addSession(server, 'default', 'one')
    expect((await create(server, 'used')).status).toBe(201)
    const before = server.dump()
    const tries: [string, string, object?][] = [
      ['POST', '/api/sessions', { title: 'another' }],
      ['POST', '/api/sessions', { title: 'once', model: 'x' }],
      ['POST', '/api/sessions', {}],
      ['POST', '/api/sessions/import', { messages: [] }],
      ['POST', `/api/sessions/${id}/messages`, { role: 'user', content: 'x' }],
      ['POST', `/api/sessions/${other.id}/messages`, { role: 'user', content: 'x' }],
      ['POST', `/api/sessions/${id}/fork`, { messageId: messageIds[0] }],
      ['PATCH', `/api/sessions/${id}`, { title: 'once' }],
      ['DELETE', `/api/sessions/${id}`],
    ]
    await checkEach(tries, async ([method, path, body]) => {
      const answer = await server.send(method, path, { headers: withKey('used'), body })
      const { code, message } = expectRefusal(answer, `${method} ${path}`, 422)
      expect(code).toBe('idempotency_mismatch')
      expect(message).toContain('"used"')
    })
    expect(server.dump()).toBe(before)
  })

  it('gives the first answer again, whatever happened since', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const rename = () =>
      server.send('PATCH', `/api/sessions/${id}`, { headers: withKey('rename'), body: { title: 'first' } })
    const fork = () =>
      server.send('POST', `/api/sessions/${id}/fork`, {
        headers: withKey('fork'),
        body: { messageId: messageIds[0] },
      })
    const take = () =>
      server.send('POST', '/api/sessions/import', {
        headers: withKey('import'),
        body: { messages: [{ role: 'user', content: 'x' }] },
      })
    const first = [await rename(), await fork(), await take()]
    expect(first.map(({ status }) => status)).toEqual([200, 201, 201])
    await server.send('PATCH', `/api/sessions/${id}`, { body: { title: 'second' } })
    const before = server.dump()
    const again = [await rename(), await fork(), await take()]
    expect(again.map(({ status, text }) => [status, text])).toEqual(
      first.map(({ status, text }) => [status, text]),
    )
    expect(server.dump()).toBe(before)
    expect((await server.send('GET', `/api/sessions/${id}`)).json?.title).toBe('second')
  })

  it('makes a repeated delete succeed instead of finding nothing', async () => {
    await using server = await startApp()
    const { id } = await addSession(server)
    const remove = (headers = {}) => server.send('DELETE', `/api/sessions/${id}`, { headers })
    expect((await remove(withKey('gone'))).status).toBe(204)
    expect((await remove(withKey('gone'))).status).toBe(204)
    expect((await remove()).status).toBe(404)
  })

  it('gives the same answer from a server that was started later, in another process', async () => {
    await using database = await sqliteDatabase()
    // the other process forgets old keys by its own clock
    const options = { database, clock: systemClock }
    const first = await (async () => {
      await using server = await startApp(options)
      return await create(server, 'kept')
    })()
    expect(first.status).toBe(201)
    {
      await using server = await startApp(options)
      const again = await create(server, 'kept')
      expect([again.status, again.text]).toEqual([201, first.text])
      expectRefusal(await create(server, 'kept', { title: 'another' }), 'another body after a restart', 422)
    }
    await using child = await startProcess({ env: database.environment })
    const again = await fetch(`${child.url}/api/sessions`, {
      method: 'POST',
      headers: { ...withKey('kept'), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'once' }),
    })
    expect([again.status, await again.text()]).toEqual([201, first.text])
  })

  it('is forgotten after a day, and no sooner', async () => {
    const clock = steppedClock()
    await using server = await startApp({ clock })
    const tidy = async () => {
      const housekeeping = startHousekeeping(server.store, clock, (error) => {
        throw error
      })
      await housekeeping.stop()
    }
    const first = await create(server, 'daily')
    clock.advance(idempotencyKeptMs - 60_000)
    await tidy()
    expect((await create(server, 'daily')).text).toBe(first.text)
    clock.advance(120_000)
    await tidy()
    const later = await create(server, 'daily', { title: 'another' })
    expect(later.status).toBe(201)
    expect(later.json?.id).not.toBe(first.json?.id)
  })
})

describe('a request that failed', () => {
  it('does not use up its key', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const failing: [name: string, path: string, body: object, status: number][] = [
      ['a wrong field', '/api/sessions', { titel: 'x' }, 400],
      ['an unknown session', '/api/sessions/unknown/messages', { role: 'user', content: 'x' }, 404],
      ['an unknown message', `/api/sessions/${id}/fork`, { messageId: 'unknown' }, 404],
      [
        'a taken message id',
        `/api/sessions/${id}/messages`,
        { role: 'user', content: 'x', id: messageIds[0] },
        409,
      ],
      [
        'a session that is not empty',
        '/api/sessions/import',
        { id, messages: [{ role: 'user', content: 'x' }] },
        409,
      ],
      ['a file that is none', '/api/sessions/import', { nothing: 'known' }, 400],
    ]
    await checkEach(failing, async ([name, path, body, status]) => {
      const before = server.dump()
      expectRefusal(
        await server.send('POST', path, { headers: withKey(name.replaceAll(' ', '-')), body }),
        name,
        status,
      )
      expect(server.dump(), `${name} left something behind`).toBe(before)
      const repaired = await create(server, name.replaceAll(' ', '-'), { title: name })
      expect(repaired.status, `${name} → ${repaired.text}`).toBe(201)
      expect(repaired.json?.title).toBe(name)
    })
  })
})

describe('a key of another scope', () => {
  it('is another key', async () => {
    await using server = await startApp()
    const scopes = ['red', 'blue', 'default']
    const first = await Promise.all(scopes.map((scope) => create(server, 'same', { scope, title: 'once' })))
    expect(first.map(({ status, json }) => [status, json?.scope])).toEqual(
      scopes.map((scope) => [201, scope]),
    )
    expect(new Set(first.map(({ json }) => json?.id)).size).toBe(3)
    const again = await Promise.all(scopes.map((scope) => create(server, 'same', { scope, title: 'once' })))
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  })

  it('answers nothing of that scope, also when the rest of the request is the same', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'red', 'one')
    const body = { title: 'renamed' }
    const rename = (scope: string) =>
      server.send('PATCH', `/api/sessions/${id}?scope=${scope}`, { headers: withKey('same'), body })
    expect((await rename('red')).status).toBe(200)
    expectRefusal(await rename('blue'), 'a replay in another scope', 404)
  })
})
