import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { addSessionWith, expectRefusal, startApp, type AppServer } from './http/app-server.ts'
import { databases } from './harness.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const as = (key: string) => ({ authorization: `Bearer ${key}` })
const operator = as('operator-0123456789')
const guest = as('guest-0123456789012')

const remember = async (server: AppServer, body: Record<string, unknown>) => {
  const answer = await server.send('POST', '/api/memories', {
    headers: guest,
    body: { scope: 'red', ...body },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json as { id: string }
}

describe.each(databases)('memories over HTTP on %s', (_name, openDatabase) => {
  it('are written, read, found, put right, deleted and brought back, with events and audit', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const client = createClient({ baseUrl: server.url, apiKey: 'guest-0123456789012' })
    const scope = 'red'
    const made = await client.memories.create({ scope, layer: 'user', text: ' Likes tea ' })
    expect(made).toMatchObject({ text: 'Likes tea', type: 'profile', author: 'user', canRestore: false })
    expect(await client.memories.get(made.id, { scope })).toEqual(made)
    expect(await client.memories.list({ scope, q: 'TEA' })).toMatchObject({ items: [{ id: made.id }] })
    const changed = await client.memories.update(made.id, { scope, text: 'Likes coffee' })
    expect(changed).toMatchObject({ id: made.id, text: 'Likes coffee', isEdited: true, canRestore: true })
    expect(await client.memories.restore(made.id, { scope })).toMatchObject({ text: 'Likes tea' })
    await client.memories.delete(made.id, { scope })
    await client.memories.delete(made.id, { scope })
    expect(await client.memories.list({ scope })).toEqual({ items: [], nextCursor: null })
    expect(await client.memories.list({ scope, q: 'tea' })).toMatchObject({ items: [] })
    expect(await client.memories.list({ scope, status: 'deleted' })).toMatchObject({
      items: [{ id: made.id }],
    })
    expect(await client.memories.restore(made.id, { scope })).toMatchObject({ status: 'active' })
    await expect(client.memories.restore(made.id, { scope })).rejects.toMatchObject({ code: 'conflict' })
    const events = await server.store.listEvents(scope, { after: 0, limit: 100 })
    expect(events.map(({ type }) => type)).toEqual(
      ['created', 'updated', 'updated', 'deleted', 'updated'].map((what) => `memory-${what}`),
    )
    const audit = await server.store.listAudit(scope, { limit: 100 })
    expect(audit.items.map(({ action, actor, resourceId }) => [action, actor.id, resourceId])).toEqual(
      ['update', 'delete', 'update', 'update', 'create'].map((action) => [action, 'guest', made.id]),
    )
    expect(server.bugs()).toEqual([])
  })

  it('are listed page by page, by layer, type and session', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { id: sessionId } = await addSessionWith(operator, server, 'red')
    await server.store.removeMemories([sessionId])
    for (let n = 1; n <= 5; n++) await remember(server, { layer: 'scope', text: `note ${n}` })
    await remember(server, { layer: 'session', sessionId, text: 'of the session' })
    await remember(server, { layer: 'scope', type: 'foresight', text: 'a plan' })
    const list = async (query: string) => {
      const answer = await server.send('GET', `/api/memories?scope=red&${query}`, { headers: guest })
      expect(answer.status, answer.text).toBe(200)
      return answer.json as { items: { text: string }[]; nextCursor: string | null }
    }
    const texts = async (query: string) => (await list(query)).items.map(({ text }) => text)
    expect(await texts('layer=scope')).toEqual(['a plan', 'note 5', 'note 4', 'note 3', 'note 2', 'note 1'])
    expect(await texts('type=foresight')).toEqual(['a plan'])
    expect(await texts(`session=${sessionId}`)).toEqual(['of the session'])
    expect(await texts(`q=session&session=${sessionId}`)).toEqual(['of the session'])
    expect(await texts('q=session')).toEqual([])
    const first = await list('limit=4')
    const second = await list(`limit=4&cursor=${first.nextCursor}`)
    expect([...first.items, ...second.items]).toHaveLength(7)
    expect(second.nextCursor).toBeNull()
  })

  it('are of their scope: elsewhere there is nothing of them', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { id } = await remember(server, { layer: 'user', text: 'a secret of red' })
    const { id: foreign } = await addSessionWith(operator, server, 'blue')
    const requests = [
      ['GET', `/api/memories/${id}?scope=blue`],
      ['PATCH', `/api/memories/${id}?scope=blue`, { text: 'changed' }],
      ['DELETE', `/api/memories/${id}?scope=blue`],
      ['POST', `/api/memories/${id}/restore?scope=blue`],
    ] as const
    for (const [method, path, body] of requests) {
      expectRefusal(await server.send(method, path, { headers: operator, body }), `${method} ${path}`, 404)
      expectRefusal(
        await server.send(method, path, { headers: guest, body }),
        `${method} ${path}`,
        [403, 404],
      )
    }
    const found = await server.send('GET', '/api/memories?scope=blue&q=secret', { headers: operator })
    expect(found.json).toMatchObject({ items: [] })
    const crossed = { scope: 'red', layer: 'session', sessionId: foreign, text: 'x' }
    expectRefusal(
      await server.send('POST', '/api/memories', { headers: guest, body: crossed }),
      'crossed',
      404,
    )
    expect((await server.store.getMemory('red', id))?.text).toBe('a secret of red')
  })

  it.each([
    [{ layer: 'user' }, 400],
    [{ layer: 'user', text: '  ' }, 400],
    [{ layer: 'user', text: 'x'.repeat(2_001) }, 400],
    [{ layer: 'planet', text: 'x' }, 400],
    [{ layer: 'scope', type: 'profile', text: 'x' }, 400],
    [{ layer: 'session', text: 'x' }, 400],
    [{ layer: 'scope', sessionId: 'ses_1', text: 'x' }, 400],
    [{ layer: 'session', sessionId: 'ses_1', text: 'x' }, 404],
    [{ layer: 'user', text: 'x', author: 'model' }, 400],
    [{ layer: 'user', text: 'Likes TEA.' }, 409],
  ])('refuse %j, and nothing changes', async (body, status) => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    await remember(server, { layer: 'user', text: 'Likes tea' })
    const answer = await server.send('POST', '/api/memories', {
      headers: guest,
      body: { scope: 'red', ...body },
    })
    expectRefusal(answer, JSON.stringify(body), status)
    const { items } = await server.store.listMemories('red', { status: 'active', limit: 10 })
    expect(items.map(({ text }) => text)).toEqual(['Likes tea'])
  })

  it('cannot be changed into one that is there, and can into one that was deleted', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const tea = await remember(server, { layer: 'user', text: 'Likes tea' })
    const milk = await remember(server, { layer: 'user', text: 'Likes milk' })
    const change = () =>
      server.send('PATCH', `/api/memories/${milk.id}`, {
        headers: guest,
        body: { scope: 'red', text: 'likes tea' },
      })
    expectRefusal(await change(), 'taken', 409)
    await server.send('DELETE', `/api/memories/${tea.id}?scope=red`, { headers: guest })
    expect((await change()).status).toBe(200)
  })
})
