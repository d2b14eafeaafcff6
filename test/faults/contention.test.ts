import pg from 'pg'
import { expect, it } from 'vitest'
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
  const admin = new pg.Client({ connectionString: database.environment.DATABASE_URL })
  await admin.connect()
  await using _closed = { [Symbol.asyncDispose]: () => admin.end() }
  await admin.query(failing)
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`)
  for (const content of texts) await sessions.append(id, { role: 'user', content })
  const { rows } = await admin.query<{ writes: number }>('select last_value::int as writes from writes')
  // two for each text, and those that were done again
  expect(rows[0]!.writes).toBeGreaterThan(texts.length * 2)
  await admin.query('update failing set every = 1')
  await expect(sessions.append(id, { role: 'user', content: 'never' })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  const stored = (await sessions.messages(id, { limit: 200 })).items.map(messageText)
  expect(stored).toEqual(texts)
  expect(server.bugs()).toEqual([])
})

// a sequence is not rolled back: what failed once does not fail when it is tried again, unless all do
const failing = `
  create sequence writes;
  create table failing as select 7 as every;
  create function fail_sometimes() returns trigger language plpgsql as $$
    declare
      number bigint := nextval('writes');
      period int := (select every from failing);
    begin
      if number % period = 0 then
        raise exception 'rolled back for others'
          using errcode = case number / period % 2 when 0 then '40001' else '40P01' end;
      end if;
      return null;
    end
  $$;
  create trigger when_written after insert on messages for each row execute function fail_sometimes();
  create constraint trigger when_committed after insert on messages deferrable initially deferred
    for each row execute function fail_sometimes();
`
