import { expect, it, vi } from 'vitest'
import { openBare } from './bare-parley.ts'
import { createScripted, says } from './chat-harness.ts'
import { countRoundTrips } from './counted-round-trips.ts'
import { postgresDatabase, temporaryFolder } from './harness.ts'

const mostRoundTrips = 9

it('asks PostgreSQL few times in a plain turn, in two commits', async () => {
  using folder = temporaryFolder()
  await using database = await postgresDatabase()
  await using counted = await countRoundTrips(database.environment.DATABASE_URL!)
  const model = createScripted(() => says('Hello'))
  // what works by timers (heartbeats, the search index) is not part of a turn
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  await using _timers = { [Symbol.asyncDispose]: async () => void vi.useRealTimers() }
  await using parley = await openBare({
    dataDir: folder.path,
    databaseUrl: counted.url,
    models: { model: model.id, extra: { scripted: () => model } },
  })
  const { id } = await parley.sessions.create()
  await parley.sessions.chat(id, 'The first one')
  // what follows an answer is not part of the next one
  await expect.poll(async () => (await parley.sessions.get(id)).chatStatus).toBe('idle')
  counted.reset()
  await parley.sessions.chat(id, 'Another one')
  const trips = counted.roundTrips.map((statements) => statements.join('\n   '))
  const list = trips.map((trip, index) => `${index + 1}: ${trip}`).join('\n')
  expect(counted.roundTrips.flat().filter((text) => text === 'commit')).toHaveLength(2)
  expect(trips.length, list).toBeLessThanOrEqual(mostRoundTrips)
})
