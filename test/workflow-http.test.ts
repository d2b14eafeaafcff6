import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { expectRefusal, startApp, type AppServer } from './http/app-server.ts'
import { definition } from './workflow-harness.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const clientOf = ({ url }: AppServer, apiKey = 'operator-0123456789') =>
  createClient({ baseUrl: url, apiKey })

describe.each(anyDatabase)('over HTTP on %s', (_name, openDatabase) => {
  it('workflows are kept with their versions', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { workflows } = clientOf(server)
    const made = await workflows.create({ text: definition('a') })
    expect(made).toMatchObject({ scope: 'default', name: 'a', version: 1 })
    await expect(workflows.create({ text: definition('a') })).rejects.toMatchObject({
      code: 'conflict',
      details: { id: made.id },
    })
    const text = definition('b', 'Say more.')
    expect(await workflows.update(made.id, { text, baseVersion: 1 })).toMatchObject({ name: 'b', version: 2 })
    expect(await workflows.update(made.id, { text })).toMatchObject({ version: 2 })
    expect((await workflows.list({ q: 'b' })).items).toMatchObject([{ id: made.id, stepCount: 1 }])
    expect((await workflows.list()).items[0]).not.toHaveProperty('text')
    expect(await workflows.get(made.id)).toMatchObject({ text })
    expect((await workflows.versions(made.id)).items).toMatchObject([
      { version: 2, cause: 'update', author: 'operator' },
      { version: 1, cause: 'create' },
    ])
    expect(await workflows.version(made.id, 1)).toMatchObject({ text: definition('a') })
    expect(await workflows.diff(made.id, { from: 1, to: 2 })).toMatchObject({ added: 2, removed: 2 })
    expect(await workflows.rollback(made.id, { version: 1 })).toMatchObject({ name: 'a', version: 3 })
    expect(await workflows.validate({ text })).toMatchObject({ valid: true, definition: { name: 'b' } })
    expect(await workflows.validate({ text: 'name: x' })).toMatchObject({ valid: false })
    const refused = await server.send('POST', '/api/workflows', {
      headers: { authorization: 'Bearer operator-0123456789' },
      body: { text: 'name: x\nsteps: []\n' },
    })
    expect(expectRefusal(refused, 'a wrong definition', 400).details).toMatchObject({
      problems: [{ line: 2, path: 'steps' }],
    })
    await workflows.delete(made.id)
    await expect(workflows.get(made.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(server.bugs()).toEqual([])
  })

  it('the management session is answered with 201 first, then with 200', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { workflows } = clientOf(server)
    const { id } = await workflows.create({ text: definition('a') })
    const open = (path: string, key = 'operator-0123456789') =>
      server.send('POST', `/api/workflows/${path}`, { headers: { authorization: `Bearer ${key}` } })
    const [first, second] = [await open(`${id}/management-session`), await open(`${id}/management-session`)]
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.json).toEqual(first.json)
    expect(first.json).toMatchObject({ kind: 'tool', toolMeta: { workflowDefId: id } })
    expect((await open('management-session')).status).toBe(201)
    expect((await open('management-session?scope=UPPER')).status).toBe(400)
    expect((await open(`${id}/management-session`, 'guest-0123456789012')).status).toBe(403)
    expect((await open(`${id}/management-session?scope=red`, 'guest-0123456789012')).status).toBe(404)
    expect((await open('none/management-session')).status).toBe(404)
    expect(await workflows.get(id)).toMatchObject({ managementSessionId: first.json!.id })
    expect(server.bugs()).toEqual([])
  })

  it('a key makes one workflow of many posts', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const post = () =>
      server.send('POST', '/api/workflows', {
        headers: { 'idempotency-key': 'once' },
        body: { text: definition('a') },
      })
    const answers = await Promise.all(Array.from({ length: 10 }, post))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]!.status).toBe(201)
  })
})

it('tells the schema of definitions, and what comes with Parley is valid', async () => {
  await using database = await sqliteDatabase()
  await using server = await startApp({ database })
  const schema = await server.send('GET', '/api/workflows/schema')
  expect(schema.json).toMatchObject({ required: ['name', 'steps'] })
  const { workflows } = createClient({ baseUrl: server.url })
  const { items } = await workflows.templates()
  expect(items.length).toBeGreaterThan(0)
  for (const { text } of items) expect((await workflows.validate({ text })).problems).toEqual([])
})
