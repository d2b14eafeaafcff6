import { describe, expect, it } from 'vitest'
import type { TurnInput } from '../src/core/chat/turn-input.ts'
import type { CronFire } from '../src/extensions/schedule/protocol/cron.ts'
import { parseSchedule } from '../src/extensions/schedule/next-fire.ts'
import { endSession, openCron, openNode } from './cron-harness.ts'
import { databases } from './harness.ts'

const hour = 3_600_000
const count = Number(process.env.PARLEY_TEST_SCHEDULES ?? 30)
const zone = 'Europe/Berlin'
// the night in which clocks go back; what fires by them fires in both of two equal hours
const start = Date.parse('2026-10-24T12:00:00Z')
const lookEvery = 8
// nodes are never of one opinion about the time
const skewMs = 300

/** What the clock does at the end of an hour of the day, in hours. */
const jumps: Record<number, number> = { 5: 2, 7: -2, 12: 2, 20: 24, 21: -24 }

/**
 * Every sixth hour the schedules fire one after another, a second apart; two nodes look at the same moments. Every other
 * schedule has a session that ends before its next time. Afterwards each time of each schedule has to be in the ledger:
 * fired once, or with a reason.
 */
describe.each(databases)('a day of two nodes on %s', (_name, openDatabase) => {
  it(`fires ${count} schedules exactly once each time, or says why not, through jumps and a change of clocks`, async () => {
    await using first = await openCron(openDatabase, new Date(start).toISOString())
    const { clock } = first
    const second = await openNode(first.database, { now: () => clock.now() + skewMs })
    const lines = new Map<string, string>()
    for (let index = 0; index < count; index++) {
      const schedule = `${index % 60} ${Math.floor(index / 60)} 2-23/6 * * *`
      const missed = index % 3 === 0 ? 'skip' : 'once'
      lines.set(await first.add({ schedule, timeZone: zone, missed, label: `${index % 2}` }), schedule)
    }
    const { next: firstOf } = parseSchedule('0 0 2-23/6 * * *', zone)
    for (let elapsed = 0; elapsed < 24; elapsed++) {
      const begin = clock.now()
      // in an hour without any fire, one look is enough
      const until = (firstOf(begin - 1) ?? 0) === begin ? count + lookEvery : 0
      for (let seconds = 0; seconds <= until; seconds += lookEvery) {
        clock.set(begin + seconds * 1_000)
        await Promise.all([first.scheduler.tick(), second.scheduler.tick()])
      }
      await endAll()
      clock.set(begin + hour + (jumps[elapsed] ?? 0) * hour)
    }
    await Promise.all([first.scheduler.tick(), second.scheduler.tick()])

    let started = 0
    for (const [id, schedule] of lines) {
      const fires = await first.fires(id)
      started += fires.filter(({ sessionId }) => sessionId !== undefined).length
      expectAccounted(schedule, fires, clock.now())
    }
    expect(first.problems).toEqual([])
    expect(second.problems).toEqual([])
    const sessions = await countSessions()
    expect(sessions).toBe(started)
    expect(started).toBeGreaterThan(2 * count)
    await second.close()

    async function endAll() {
      const { items } = await first.store.listRuns('default', { status: 'queued', limit: 1_000 })
      const ending = items.filter(({ input }) => (input as TurnInput).task?.label === '0')
      await Promise.all(ending.map(({ sessionId }) => endSession(first, sessionId, 'completed', 'done')))
    }

    async function countSessions() {
      let total = 0
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await first.store.listSessions('default', { kind: 'background', limit: 1_000, cursor })
        total += page.items.length
        cursor = page.nextCursor
      }
      return total
    }
  })
})

/** Each time up to the last look is in the ledger, once, and what was not fired says why. */
function expectAccounted(schedule: string, fires: CronFire[], latest: number): void {
  const ledger = new Map(fires.map((fire) => [Date.parse(fire.fireAt), fire]))
  expect(ledger.size, schedule).toBe(fires.length)
  const { next } = parseSchedule(schedule, zone)
  for (let at = next(start); at !== undefined && at <= latest; at = next(at)) {
    const fire = ledger.get(at)
    const place = `${schedule} at ${new Date(at).toISOString()}`
    expect(fire, place).toBeDefined()
    if (fire!.sessionId === undefined) expect(fire!.reason, place).toMatch(/\w/)
    else expect(['started', 'completed'], place).toContain(fire!.outcome)
    ledger.delete(at)
  }
  // no time that the schedule does not have
  expect([...ledger.values()].filter(({ fireAt }) => Date.parse(fireAt) <= latest)).toEqual([])
}
