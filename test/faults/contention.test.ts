import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { postgresDatabase } from '../harness.ts'
import { startApp } from '../http/app-server.ts'

const callers = Number(process.env.PARLEY_TEST_CALLERS ?? 60)

it(`refuses what no connection is left for with 503 and when to come back, and stays alive, with ${callers} callers`, async () => {
  await using database = await postgresDatabase({ connectTimeoutMs: 2_000 })
  await using server = await startApp({ database })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create()
  const holder = new pg.Client({ connectionString: database.environment.DATABASE_URL })
  await holder.connect()
  await using _closed = { [Symbol.asyncDispose]: () => holder.end() }
  await holder.query('begin')
  // whoever writes to the session waits for this, with a connection in its hands
  await holder.query('select 1 from sessions where id = $1 for update', [id])
  const path = `/api/sessions/${id}/messages`
  const answers = Array.from({ length: callers }, (_, index) =>
    server.send('POST', path, { body: { role: 'user', content: `text ${index}` } }),
  )
  expect((await server.send('GET', '/healthz')).status).toBe(200)
  const refused = await Promise.race(answers)
  expect([refused.status, refused.json]).toMatchObject([503, { error: { code: 'store_unavailable' } }])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  await holder.query('rollback')

  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([201, 503]))
  const stored = (await sessions.messages(id, { limit: 200 })).items.map(messageText)
  const acknowledged = statuses.flatMap((status, index) => (status === 201 ? `text ${index}` : []))
  expect(stored.sort()).toEqual(acknowledged.sort())
  expect((await server.send('GET', '/readyz')).status).toBe(200)
  expect(server.bugs()).toEqual([])
})

it('tries again what was rolled back for others, so that nobody notices, and refuses what always is', async () => {
  await using database = await postgresDatabase()
  await using server = await startApp({ database })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create()
  // a request is rolled back once: others that write meanwhile must not decide how often
  let every = 7
  let isDue = true
  let writes = 0
  let failures = 0
  const { query } = pg.Client.prototype
  onTestFinished(() => void (pg.Client.prototype.query = query))
  const failing = function (this: pg.Client, ...values: Parameters<typeof query>) {
    const [text] = values as unknown as [unknown]
    const isWrite = typeof text === 'string' && /^\s*(insert|update|commit)/i.test(text)
    if (!isWrite || ++writes % every !== 0 || !isDue) return query.apply(this, values)
    failures++
    isDue = every === 1
    const code = failures % 2 ? '40001' : '40P01'
    return Promise.reject(Object.assign(new Error('rolled back for others'), { code }))
  }
  pg.Client.prototype.query = failing as typeof query
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`)
  for (const content of texts) {
    isDue = true
    await sessions.append(id, { role: 'user', content })
  }
  isDue = true
  every = 1
  await expect(sessions.append(id, { role: 'user', content: 'never' })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  every = Infinity
  expect(failures).toBeGreaterThan(texts.length / 7)
  const stored = (await sessions.messages(id, { limit: 200 })).items.map(messageText)
  expect(stored).toEqual(texts)
  expect(server.bugs()).toEqual([])
})
