import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, it, type ExpectStatic } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { postgresDatabase, temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { countOpen, inputOf, post, startProvider } from './nodes.ts'
import { needProgram } from '../runner/provision.ts'

const hour = 3_600_000
const day = 24 * hour
// a node that has little of the CPU renews its own in time
const leaseMs = 10_000

/** The clock of a process of its own, which `set` moves while it runs; how long something takes stays as it is. */
async function movableClock(folder: string, name: string) {
  const file = join(folder, name)
  const set = (offsetMs: number) =>
    writeFileSync(file, `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs / 1_000).toFixed(3)}s\n`)
  set(0)
  const env = {
    LD_PRELOAD: await needProgram('libfaketime.so.1'),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

/** Resolves when the server has looked for what is due at the time that its clock was moved to. */
async function waitForLook(expect: ExpectStatic, { crons }: ReturnType<typeof createClient>): Promise<void> {
  const { id } = await crons.create({ schedule: '* * * * * *', timeZone: 'UTC', prompt: 'Hello' })
  await expect
    .poll(async () => (await crons.fires(id)).items.length, { timeout: 200_000, interval: 100 })
    .toBeGreaterThan(0)
  await crons.delete(id)
}

// at once: they do little but wait
describe.concurrent('a server whose clock is moved', { timeout: 300_000 }, () => {
  it('fires no time twice and makes up for one at most, by hours and by days, forth and back', async ({
    expect,
  }) => {
    using folder = temporaryFolder()
    const clock = await movableClock(folder.path, 'clock')
    // in the middle of an hour, so that none begins by itself
    const start = Date.UTC(2027, 0, 1, 0, 30)
    const setTo = (time: number) => clock.set(time - Date.now())
    setTo(start)
    const server = await startServer({
      env: { ...clock.env, TZ: 'UTC', PARLEY_DATA_DIR: join(folder.path, 'data') },
    })
    const client = createClient({ baseUrl: server.url })
    const { crons } = client
    const { id } = await crons.create({ schedule: '0 * * * *', prompt: 'Hello' })
    const started = async () =>
      (await crons.fires(id, { limit: 200 })).items.filter(({ sessionId }) => sessionId)
    let before = 0
    let last = 0
    // a time of the cron lies within each jump
    for (const offset of [2 * hour, 0, 2 * hour, 26 * hour, 2 * hour, 0, day]) {
      setTo(start + offset)
      await waitForLook(expect, client)
      // a look that began before the clock was set back found the first one due
      if (offset < last) await waitForLook(expect, client)
      last = offset
      const now = (await started()).length
      expect(now - before, `to ${offset / hour} h`).toBeLessThanOrEqual(1)
      before = now
    }
    const { items } = await crons.fires(id, { limit: 200 })
    expect(new Set(items.map(({ fireAt }) => fireAt)).size).toBe(items.length)
    // forth by two hours, then by a day: what came back to had its fire
    expect(before).toBeGreaterThanOrEqual(2)
    const sessions = items.flatMap(({ sessionId }) => sessionId ?? [])
    expect(new Set(sessions).size).toBe(sessions.length)
    await server.kill('SIGTERM')
  })

  it.for([
    // half past two is left out, and the job is done when the clocks were moved; half past two comes twice
    ['2027-03-28', '01:00'],
    ['2027-10-31', '00:30'],
  ])(
    'fires a daily job of half past two once in the night of %s in Berlin',
    async ([date, utc], { expect }) => {
      using folder = temporaryFolder()
      const clock = await movableClock(folder.path, 'clock')
      const start = Date.parse(`${date}T00:00:00Z`) - 2 * hour
      const setTo = (time: number) => clock.set(time - Date.now())
      setTo(start)
      const server = await startServer({
        env: { ...clock.env, TZ: 'Europe/Berlin', PARLEY_DATA_DIR: join(folder.path, 'data') },
      })
      const client = createClient({ baseUrl: server.url })
      const { crons } = client
      const { id } = await crons.create({
        schedule: '30 2 * * *',
        timeZone: 'Europe/Berlin',
        prompt: 'Hello',
      })
      const fires = async () => (await crons.fires(id, { limit: 50 })).items
      const fired = Date.parse(`${date}T${utc}:00Z`)
      // just past each half hour of the night
      for (let time = start + 2 * hour + 1_800_000; time < start + 5 * hour; time += 1_800_000) {
        setTo(time + 1_000)
        await waitForLook(expect, client)
        expect(await fires()).toHaveLength(time < fired ? 0 : 1)
      }
      expect(await fires()).toMatchObject([{ fireAt: new Date(fired).toISOString() }])
      await server.kill('SIGTERM')
    },
  )
})

it('nodes whose clocks are ten minutes off read what others wrote at once, and take nothing over from them', async ({
  expect,
}) => {
  await using database = await postgresDatabase()
  using folder = temporaryFolder()
  const renewed = Promise.withResolvers<void>()
  await using provider = await startProvider(async (messages) => {
    await renewed.promise
    return { text: `done with ${inputOf(messages)}` }
  })
  const config = join(folder.path, 'parley.yaml')
  writeFileSync(
    config,
    `model: openai/test\nopenai: {baseUrl: "${provider.url}", apiKey: test-key}\nchat: {leaseMs: ${leaseMs}}\n`,
  )
  const servers = await Promise.all(
    [0, 600_000, -600_000].map(async (offset, index) => {
      const clock = await movableClock(folder.path, `clock${index}`)
      clock.set(offset)
      return startServer({ env: { ...clock.env, ...database.environment, PARLEY_CONFIG: config } })
    }),
  )
  const clients = servers.map(({ url }) => createClient({ baseUrl: url }))
  const turns = servers.map(async ({ url }, index) => {
    const { id } = await clients[index]!.sessions.create()
    const response = await post(`${url}/api/sessions/${id}/chat`, { content: `input ${index}` })
    return response.text()
  })
  const { id } = await clients[0]!.sessions.create()
  const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`)
  for (const [index, content] of texts.entries()) {
    await clients[index % 3]!.sessions.append(id, { role: 'user', content })
    const { items } = await clients[(index + 1) % 3]!.sessions.messages(id, { limit: 1 })
    expect(items.at(-1)?.parts[0]?.text).toBe(content)
  }
  const admin = new pg.Client({ connectionString: database.environment.DATABASE_URL })
  await admin.connect()
  await using _closed = { [Symbol.asyncDispose]: () => admin.end() }
  const outlived = `select count(*)::int as count from runs where lease_until > started_at + ${2 * leaseMs}`
  await expect
    .poll(async () => (await admin.query<{ count: number }>(outlived)).rows[0]!.count, {
      timeout: 200_000,
      interval: 200,
      message: 'leases that were renewed when they would have been over',
    })
    .toBe(servers.length)
  renewed.resolve()
  for (const text of await Promise.all(turns)) expect(text).toContain('[DONE]')
  await using store = await database.open(systemClock)
  expect(await countOpen(store)).toBe(0)
  const { items } = await store.listRuns('default', { limit: 50 })
  expect(items.map(({ status, attempt }) => [status, attempt])).toEqual(servers.map(() => ['completed', 1]))
  for (const server of servers) await server.kill('SIGTERM')
}, 300_000)
