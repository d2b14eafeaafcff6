import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient, type CronFire } from '../../src/client/index.ts'
import { postgresDatabase, temporaryFolder } from '../harness.ts'
import { startServer, type ServerProcess } from '../server-process.ts'

const nodes = 3
const rounds = Number(process.env.PARLEY_TEST_CRON_KILLS ?? nodes)
const firesPerRound = 3

const soon = { timeout: 200_000, interval: 250 }

/** The seconds of the time line that have no fire. */
function gapsIn(fires: CronFire[]): string[] {
  const times = fires.map(({ fireAt }) => Date.parse(fireAt)).sort((a, b) => a - b)
  const gaps: string[] = []
  for (let at = times[0]!; at < times.at(-1)!; at += 1_000)
    if (!times.includes(at)) gaps.push(new Date(at).toISOString())
  return gaps
}

it(
  'fires every second exactly once on three nodes of which one after another is killed',
  async () => {
    await using database = await postgresDatabase()
    using folder = temporaryFolder()
    const config = join(folder.path, 'parley.yaml')
    // what a dead node had begun is taken over after this time, and waited for at the end
    writeFileSync(config, 'chat: {leaseMs: 5000}\n')
    const env = { ...database.environment, PARLEY_LOG_LEVEL: 'error', PARLEY_CONFIG: config }
    const servers: ServerProcess[] = []
    for (let index = 0; index < nodes; index++) servers.push(await startServer({ env }))
    const clientOf = (index: number) => createClient({ baseUrl: servers[index]!.url }).crons
    const { id } = await clientOf(0).create({ schedule: '* * * * * *', prompt: 'Hello', overlap: 'queue' })
    const logs: string[] = []
    for (let round = 0; round < rounds; round++) {
      const enough = (round + 1) * firesPerRound
      await expect
        .poll(async () => (await clientOf((round + 1) % nodes).fires(id, { limit: 200 })).items.length, soon)
        .toBeGreaterThanOrEqual(enough)
      const victim = servers[round % nodes]!
      logs.push(victim.log())
      await victim.kill('SIGKILL')
      servers[round % nodes] = await startServer({ env })
    }
    await clientOf(0).pause(id)
    const { items } = await clientOf(1).fires(id, { limit: 200 })
    expect(gapsIn(items)).toEqual([])
    const sessions = items.flatMap(({ sessionId }) => sessionId ?? [])
    expect(new Set(sessions).size).toBe(sessions.length)
    for (const { outcome, reason, sessionId } of items)
      if (sessionId === undefined) expect([outcome, reason]).toEqual(['skipped', expect.stringMatching(/\w/)])
    // nothing is left behind: what a killed node had begun is ended by another
    await expect
      .poll(
        async () => (await clientOf(2).fires(id, { limit: 200 })).items.map(({ outcome }) => outcome),
        soon,
      )
      .not.toContain('started')
    for (const server of servers) {
      logs.push(server.log())
      await server.kill('SIGKILL')
    }
    expect(logs.join('')).toBe('')
  },
  240_000 + rounds * 20_000,
)
