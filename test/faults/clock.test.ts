import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { postgresDatabase, temporaryFolder } from '../harness.ts'
import { requireProgram } from '../program.ts'
import { startServer } from '../server-process.ts'
import { countOpen, inputOf, post, startProvider } from './nodes.ts'

const hour = 3_600_000
const day = 24 * hour

/** The clock of a process of its own, which `set` moves while it runs; how long something takes stays as it is. */
function movableClock(folder: string, name: string) {
  requireProgram('faketime')
  const file = join(folder, name)
  const set = (offsetMs: number) =>
    writeFileSync(file, `${offsetMs < 0 ? '-' : '+'}${Math.abs(offsetMs / 1_000).toFixed(3)}s\n`)
  set(0)
  const env = {
    LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set }
}

// at once: they do little but wait
describe.concurrent('a server whose clock is moved', () => {
  it('fires no time twice and makes up for one at most, by hours and by days, forth and back', async ({
    expect,
  }) => {
    using folder = temporaryFolder()
    const clock = movableClock(folder.path, 'clock')
    const server = await startServer({ env: { ...clock.env, PARLEY_DATA_DIR: join(folder.path, 'data') } })
    const { crons } = createClient({ baseUrl: server.url })
    const { id } = await crons.create({ schedule: '0 * * * *', prompt: 'Hello' })
    const started = async () =>
      (await crons.fires(id, { limit: 200 })).items.filter(({ sessionId }) => sessionId)
    let before = 0
    // the server looks once a second; a time of the cron lies within each jump
    for (const offset of [2 * hour, 0, 2 * hour, 26 * hour, 2 * hour, 0, day]) {
      clock.set(offset)
      await sleep(2_500)
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
  }, 90_000)

  it.for([
    // half past two is left out, and the job is done when the clocks were moved; half past two comes twice
    ['2027-03-28', '01:00'],
    ['2027-10-31', '00:30'],
  ])(
    'fires a daily job of half past two once in the night of %s in Berlin',
    { timeout: 90_000 },
    async ([date, utc], { expect }) => {
      using folder = temporaryFolder()
      const clock = movableClock(folder.path, 'clock')
      const start = Date.parse(`${date}T00:00:00Z`) - 2 * hour
      const setTo = (time: number) => clock.set(time - Date.now())
      setTo(start)
      const server = await startServer({
        env: { ...clock.env, TZ: 'Europe/Berlin', PARLEY_DATA_DIR: join(folder.path, 'data') },
      })
      const { crons } = createClient({ baseUrl: server.url })
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
        if (time === fired) await expect.poll(async () => (await fires()).length, { timeout: 20_000 }).toBe(1)
        else await sleep(1_500)
      }
      expect(await fires()).toMatchObject([{ fireAt: new Date(fired).toISOString(), cause: 'schedule' }])
      await server.kill('SIGTERM')
    },
  )
})

it('nodes whose clocks are ten minutes off read what others wrote at once, and take nothing over from them', async ({
  expect,
}) => {
  await using database = await postgresDatabase()
  using folder = temporaryFolder()
  // longer than the lease: it has to be renewed meanwhile
  await using provider = await startProvider(
    (messages) => ({ text: `done with ${inputOf(messages)}`, chunks: 60 }),
    {
      frameMs: 100,
    },
  )
  const config = join(folder.path, 'parley.yaml')
  writeFileSync(
    config,
    `model: openai/test\nopenai: {baseUrl: "${provider.url}", apiKey: test-key}\nchat: {leaseMs: 2500}\n`,
  )
  const servers = await Promise.all(
    [0, 600_000, -600_000].map((offset, index) => {
      const clock = movableClock(folder.path, `clock${index}`)
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
  for (const text of await Promise.all(turns)) expect(text).toContain('[DONE]')
  await using store = await database.open(systemClock)
  expect(await countOpen(store)).toBe(0)
  const { items } = await store.listRuns('default', { limit: 50 })
  expect(items.map(({ status, attempt }) => [status, attempt])).toEqual(servers.map(() => ['completed', 1]))
  for (const server of servers) await server.kill('SIGTERM')
}, 120_000)
