import { describe, expect, it } from 'vitest'
import {
  createCron,
  deleteCron,
  getCron,
  pauseCron,
  resumeCron,
  updateCron,
} from '../src/extensions/schedule/crons.ts'
import { fireCron } from '../src/extensions/schedule/fire-cron.ts'
import { triggerCron } from '../src/extensions/schedule/trigger-cron.ts'
import { caller, openCron, openNode, type CronTest } from './cron-harness.ts'
import { databases } from './harness.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describe.each(databases)('crons on %s', (_name, openDatabase) => {
  const test = (
    title: string,
    body: (cron: CronTest) => Promise<void>,
    limits?: Parameters<typeof openCron>[2],
  ) =>
    it(title, async () => {
      expect.hasAssertions()
      await using cron = await openCron(openDatabase, '2026-01-01T00:00:00Z', limits)
      await body(cron)
      expect(cron.problems).toEqual([])
    })

  /** Looks once a second for a while, and ends every session that it finds at once. */
  async function pass({ clock, scheduler, add: _, ...rest }: CronTest, id: string, ms: number, step = 1_000) {
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step)
      await scheduler.tick()
      for (const { outcome, sessionId } of await rest.fires(id))
        if (outcome === 'started') await rest.end(sessionId)
    }
  }

  test('start a session at each of their times, and settle with it', async (cron) => {
    const id = await cron.add({ name: 'minutely', label: 'look', model: 'scripted/test', timeoutMs: 5_000 })
    await cron.scheduler.tick()
    expect(await cron.fires(id)).toEqual([])
    cron.clock.set('2026-01-01T00:01:00Z')
    await cron.scheduler.tick()
    await cron.scheduler.tick()
    const [fire, ...more] = await cron.fires(id)
    expect(more).toEqual([])
    expect(fire).toMatchObject({ fireAt: '2026-01-01T00:01:00.000Z', cause: 'schedule', outcome: 'started' })
    const session = await cron.store.requireSession('default', fire!.sessionId!)
    expect(session).toMatchObject({
      kind: 'background',
      title: 'minutely',
      model: 'scripted/test',
      bgMeta: { triggerType: 'cron', source: 'cron', sourceId: id, label: 'look', timeoutMs: 5_000 },
    })
    await cron.end(session.id)
    expect(await cron.fires(id)).toMatchObject([
      { outcome: 'completed', endedAt: '2026-01-01T00:01:00.000Z' },
    ])
    expect(await getCron(cron.store, caller, id)).toMatchObject({
      status: 'active',
      nextFireAt: '2026-01-01T00:02:00.000Z',
      lastFireAt: '2026-01-01T00:01:00.000Z',
    })
    const events = await cron.store.listEvents('default', { after: 0, limit: 100 })
    expect(events.map(({ type }) => type)).toEqual([
      'cron-created',
      'bg:session.created',
      'cron-fired',
      'bg:session.completed',
    ])
    expect(events[2]).toMatchObject({ sessionId: session.id, data: { cronId: id } })
  })

  describe('after an hour without any node', () => {
    const policies = [
      [{ missed: 'skip' }, 0],
      [{ missed: 'once' }, 1],
      [{ missed: 'all' }, 10],
      [{ missed: 'all', maxMissed: 3 }, 3],
    ] as const
    for (const [policy, runs] of policies)
      test(`${JSON.stringify(policy)} makes up for ${runs} of 60, and says why not the others`, async (cron) => {
        const id = await cron.add({ schedule: '* * * * *', ...policy })
        cron.clock.set('2026-01-01T01:00:30Z')
        await cron.scheduler.tick()
        const [before] = [await cron.fires(id)]
        expect(before).toHaveLength(60)
        await pass(cron, id, 25_000)
        const fires = await cron.fires(id)
        expect(fires.filter(({ sessionId }) => sessionId !== undefined)).toHaveLength(runs)
        expect(fires.every(({ cause }) => cause === 'missed')).toBe(true)
        // the newest count, and each missed time has its row
        expect(fires.slice(60 - runs).every(({ outcome }) => outcome === 'completed')).toBe(true)
        for (const { outcome, reason } of fires.slice(0, 60 - runs))
          expect([outcome, reason]).toEqual(['skipped', expect.stringMatching(/until 2026-01-01T01:00:30/)])
        expect((await getCron(cron.store, caller, id)).nextFireAt).toBe('2026-01-01T01:01:00.000Z')
      })

    test('a fire that is on time makes up for those before it', async (cron) => {
      const id = await cron.add({ schedule: '* * * * *' })
      cron.clock.set('2026-01-01T01:00:05Z')
      await cron.scheduler.tick()
      const fires = await cron.fires(id)
      expect(fires.filter(({ outcome }) => outcome === 'started')).toMatchObject([
        { fireAt: '2026-01-01T01:00:00.000Z', cause: 'schedule' },
      ])
      expect(fires).toHaveLength(60)
    })

    test('a flood of missed times takes at most 101 rows, and says how many there were', async (cron) => {
      const id = await cron.add({ schedule: '*/10 * * * * *' })
      const second = await cron.add({ schedule: '* * * * * *', missed: 'skip' })
      cron.clock.set('2026-01-01T01:00:35Z')
      await cron.scheduler.tick()
      const fires = await cron.fires(id)
      // 363 times: 362 left out, and the newest, on time, started
      expect(fires.reduce((sum, { times }) => sum + times, 0)).toBe(363)
      expect(fires).toHaveLength(102)
      expect(fires[100]).toMatchObject({
        times: 262,
        reason: expect.stringMatching(/^262 times until .*A later/),
      })
      cron.clock.advance(30 * day)
      await cron.scheduler.tick()
      const all = await cron.fires(second)
      expect(all.find(({ reason }) => reason?.startsWith('More than'))).toBeDefined()
      expect(all.at(-1)).toMatchObject({ fireAt: '2026-01-31T01:00:35.000Z', cause: 'schedule' })
    })
  })

  describe('while an earlier fire goes on', () => {
    const twice = async (cron: CronTest, overlap: 'skip' | 'queue' | 'cancel-previous') => {
      const id = await cron.add({ overlap })
      for (const time of ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z']) {
        cron.clock.set(time)
        await cron.scheduler.tick()
      }
      return id
    }

    test('skip leaves the next one out', async (cron) => {
      const id = await twice(cron, 'skip')
      const [first, second] = await cron.fires(id)
      expect(second).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('00:01:00') })
      // a time that was left out is no fire, and firing is no change of the cron
      expect(await getCron(cron.store, caller, id)).toMatchObject({
        lastFireAt: '2026-01-01T00:01:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      })
      await cron.end(first!.sessionId)
      cron.clock.set('2026-01-01T00:03:00Z')
      await cron.scheduler.tick()
      expect((await cron.fires(id)).map(({ outcome }) => outcome)).toEqual([
        'completed',
        'skipped',
        'started',
      ])
    })

    test('queue lets it wait, one after the other', async (cron) => {
      const id = await twice(cron, 'queue')
      cron.clock.set('2026-01-01T00:03:00Z')
      await cron.scheduler.tick()
      const outcomes = async () => (await cron.fires(id)).map(({ outcome }) => outcome)
      expect(await outcomes()).toEqual(['started', 'queued', 'queued'])
      await cron.end((await cron.fires(id))[0]!.sessionId)
      await cron.scheduler.tick()
      await cron.scheduler.tick()
      expect(await outcomes()).toEqual(['completed', 'started', 'queued'])
      await cron.end((await cron.fires(id))[1]!.sessionId)
      await cron.scheduler.tick()
      expect(await outcomes()).toEqual(['completed', 'completed', 'started'])
      expect((await cron.fires(id)).flatMap(({ reason }) => reason ?? [])).toEqual([])
      cron.clock.set('2026-01-01T00:04:00Z')
      await cron.scheduler.tick()
      await pauseCron(cron.store, caller, id)
      expect((await cron.fires(id)).slice(2)).toMatchObject([
        { outcome: 'started' },
        { outcome: 'skipped', reason: 'The cron was paused.' },
      ])
    })

    test('cancel-previous ends it, with the reason', async (cron) => {
      const id = await twice(cron, 'cancel-previous')
      expect(await cron.fires(id)).toMatchObject([
        { outcome: 'cancelled', reason: 'A newer fire took its place.' },
        { outcome: 'started' },
      ])
      expect(await getCron(cron.store, caller, id)).toMatchObject({ failures: 0 })
    })

    test('a run that has begun is told to stop by cancel-previous', async (cron) => {
      const id = await cron.add({ overlap: 'cancel-previous' })
      cron.clock.set('2026-01-01T00:01:00Z')
      await cron.scheduler.tick()
      const [fire] = await cron.fires(id)
      const [run] = await cron.store.listOpenRuns(fire!.sessionId!)
      const slots = { maxGlobal: 10, maxPerParent: 10 }
      await cron.store.claimRun(run!.id, { owner: 'test', leaseMs: 60_000, slots })
      cron.clock.set('2026-01-01T00:02:00Z')
      await cron.scheduler.tick()
      expect(await cron.store.getRun('default', run!.id)).toMatchObject({ stopReason: 'stopped' })
      expect((await cron.fires(id)).map(({ outcome }) => outcome)).toEqual(['started', 'started'])
    })

    test('one whose session was deleted is over', async (cron) => {
      const id = await cron.add({})
      cron.clock.set('2026-01-01T00:01:00Z')
      await cron.scheduler.tick()
      await cron.store.deleteSession('default', (await cron.fires(id))[0]!.sessionId!)
      cron.clock.set('2026-01-01T00:02:00Z')
      await cron.scheduler.tick()
      expect(await cron.fires(id)).toMatchObject([
        { outcome: 'interrupted', reason: expect.stringContaining('deleted') },
        { outcome: 'started' },
      ])
    })
  })

  test('pause after so many failures in a row, and say which was the last', async (cron) => {
    const id = await cron.add({ maxFailures: 3 })
    const fail = async (time: string, status: 'failed' | 'timeout' | 'completed') => {
      cron.clock.set(time)
      await cron.scheduler.tick()
      await cron.end((await cron.fires(id)).at(-1)!.sessionId, status, `no ${time}`)
    }
    await fail('2026-01-01T00:01:00Z', 'failed')
    await fail('2026-01-01T00:02:00Z', 'timeout')
    await fail('2026-01-01T00:03:00Z', 'completed')
    expect(await getCron(cron.store, caller, id)).toMatchObject({ failures: 0, status: 'active' })
    for (const at of ['04', '05', '06']) await fail(`2026-01-01T00:${at}:00Z`, 'failed')
    const paused = await getCron(cron.store, caller, id)
    expect(paused).toMatchObject({ status: 'paused', failures: 3 })
    expect(paused.reason).toMatch(/3 fires in a row failed .*no 2026-01-01T00:06/)
    expect(paused.nextFireAt).toBeUndefined()
    cron.clock.advance(hour)
    await cron.scheduler.tick()
    expect(await cron.fires(id)).toHaveLength(6)
    const resumed = await resumeCron(cron.deps, cron.store, caller, id)
    expect(resumed).toMatchObject({ status: 'active', failures: 0, nextFireAt: '2026-01-01T01:07:00.000Z' })
    const never = await cron.add({ maxFailures: 0, schedule: '*/2 * * * *' })
    for (let count = 0; count < 7; count++) {
      cron.clock.advance(2 * minute)
      await cron.scheduler.tick()
      const started = (await cron.fires(never)).find(({ outcome }) => outcome === 'started')
      await cron.end(started!.sessionId, 'failed')
    }
    expect(await getCron(cron.store, caller, never)).toMatchObject({ status: 'active', failures: 7 })
  })

  test('count a fire whose session can never be started as a failure', async (cron) => {
    const target = await cron.store.createSession({ scope: 'default' })
    const id = await cron.add({ announceTarget: target.id, maxFailures: 2 })
    await cron.store.deleteSession('default', target.id)
    for (const at of ['01', '02', '03']) {
      cron.clock.set(`2026-01-01T00:${at}:00Z`)
      await cron.scheduler.tick()
    }
    expect(await cron.fires(id)).toMatchObject([
      { outcome: 'failed', reason: expect.stringContaining(target.id) },
      { outcome: 'failed' },
    ])
    expect(await getCron(cron.store, caller, id)).toMatchObject({ status: 'paused', failures: 2 })
    expect((await cron.store.listSessions('default', { kind: 'background', limit: 10 })).items).toEqual([])
  })

  test(
    'over the limit of background sessions, are left out with its words, or wait',
    async (cron) => {
      const [first, second, third] = [
        await cron.add({}),
        await cron.add({}),
        await cron.add({ overlap: 'queue' }),
      ]
      cron.clock.set('2026-01-01T00:01:00Z')
      await cron.scheduler.tick()
      const of = async (id: string) => (await cron.fires(id))[0]!
      const all = await Promise.all([first, second, third].map(of))
      const started = all.filter(({ outcome }) => outcome === 'started')
      expect(started).toHaveLength(1)
      for (const { outcome, reason } of all.filter((fire) => fire !== started[0]))
        expect([outcome, reason]).toEqual([
          expect.stringMatching(/skipped|queued/),
          expect.stringContaining('background.maxGlobal'),
        ])
      await cron.end(started[0]!.sessionId)
      await cron.scheduler.tick()
      expect(['started', 'completed']).toContain((await of(third)).outcome)
      expect(await getCron(cron.store, caller, first)).toMatchObject({ failures: 0 })
    },
    { maxGlobal: 1 },
  )

  describe('with one time', () => {
    test('fire once and are completed', async (cron) => {
      const id = await cron.add({ schedule: 'once:2026-01-01T00:30:00Z' })
      cron.clock.set('2026-01-01T00:30:00Z')
      await cron.scheduler.tick()
      await cron.scheduler.tick()
      const completed = await getCron(cron.store, caller, id)
      expect(completed).toMatchObject({ status: 'completed', reason: 'It has fired.' })
      expect(completed.nextFireAt).toBeUndefined()
      await cron.end((await cron.fires(id))[0]!.sessionId, 'failed')
      cron.clock.advance(day)
      await cron.scheduler.tick()
      expect(await cron.fires(id)).toMatchObject([{ outcome: 'failed' }])
      expect(await getCron(cron.store, caller, id)).toMatchObject({ status: 'completed', failures: 1 })
      const patch = { schedule: 'once:2026-01-03T00:00:00Z' }
      expect(await updateCron(cron.deps, cron.store, caller, id, patch)).toMatchObject({ status: 'active' })
    })

    test('are made up for up to ten minutes, and left out after that', async (cron) => {
      const near = await cron.add({ schedule: 'once:2026-01-01T00:30:00Z', missed: 'skip' })
      const far = await cron.add({ schedule: 'once:2026-01-01T00:29:59Z' })
      cron.clock.set('2026-01-01T00:40:00Z')
      await cron.scheduler.tick()
      expect(await cron.fires(near)).toMatchObject([{ outcome: 'started', cause: 'missed' }])
      expect(await cron.fires(far)).toMatchObject([
        { outcome: 'skipped', reason: expect.stringContaining('10 minutes') },
      ])
      expect(await getCron(cron.store, caller, far)).toMatchObject({ status: 'completed' })
    })
  })

  describe('when the clock jumps', () => {
    test('forth and back, what was written down as missed and had not come yet is fired after all', async (cron) => {
      const id = await cron.add({ schedule: '*/10 * * * *' })
      cron.clock.advance(365 * day)
      await pass(cron, id, 10_000)
      expect((await getCron(cron.store, caller, id)).nextFireAt).toMatch(/^2027/)
      cron.clock.advance(-365 * day)
      await pass(cron, id, 2 * hour, minute)
      const fires = await cron.fires(id)
      expect(fires.map(({ fireAt }) => fireAt)).toEqual(
        Array.from({ length: 12 }, (_, index) => Date.UTC(2026, 0, 1, 0, 10 * (index + 1)))
          .map((time) => new Date(time).toISOString())
          .concat('2027-01-01T00:00:00.000Z'),
      )
      expect(fires.every(({ outcome }) => outcome === 'completed')).toBe(true)
    })

    const jumps = [2 * hour, -2 * hour, day, -day]
    for (const jump of jumps)
      test(`by ${jump / hour} h, no time is fired twice, and at most one is made up for`, async (cron) => {
        const id = await cron.add({ schedule: '*/10 * * * *' })
        const started = async () => (await cron.fires(id)).filter(({ sessionId }) => sessionId !== undefined)
        await pass(cron, id, hour, minute)
        const before = await started()
        expect(before).toHaveLength(6)
        cron.clock.advance(jump)
        await pass(cron, id, minute, minute)
        const after = await started()
        expect(after.length - before.length).toBeLessThanOrEqual(1)
        await pass(cron, id, hour, minute)
        cron.clock.advance(-jump)
        await pass(cron, id, 2 * hour, minute)
        const fires = await cron.fires(id)
        expect(new Set(fires.map(({ fireAt }) => fireAt)).size).toBe(fires.length)
        const sessions = fires.flatMap(({ sessionId }) => sessionId ?? [])
        expect(new Set(sessions).size).toBe(sessions.length)
        expect(
          fires.filter(({ cause, sessionId }) => cause === 'missed' && sessionId).length,
        ).toBeLessThanOrEqual(2)
      })
  })

  describe('by hand', () => {
    test('fire at once, also when paused, and count as fires', async (cron) => {
      const id = await cron.add({})
      await pauseCron(cron.store, caller, id)
      const first = await triggerCron(cron.deps, cron.store, caller, id)
      expect(first.fire).toMatchObject({ cause: 'manual', outcome: 'started', sessionId: expect.any(String) })
      await expect(triggerCron(cron.deps, cron.store, caller, id)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('is not over'),
      })
      await cron.end(first.fire.sessionId)
      // in the same millisecond
      const { fire } = await triggerCron(cron.deps, cron.store, caller, id)
      expect(Date.parse(fire.fireAt) - Date.parse(first.fire.fireAt)).toBe(1)
      expect(await getCron(cron.store, caller, id)).toMatchObject({
        status: 'paused',
        lastFireAt: fire.fireAt,
      })
    })

    test('wait or take the place of what goes on, as the policy says', async (cron) => {
      const queued = await cron.add({ overlap: 'queue' })
      const replacing = await cron.add({ overlap: 'cancel-previous' })
      for (const id of [queued, queued, replacing, replacing]) {
        const { settle } = await triggerCron(cron.deps, cron.store, caller, id)
        await settle()
      }
      expect((await cron.fires(queued)).map(({ outcome }) => outcome)).toEqual(['started', 'queued'])
      expect((await cron.fires(replacing)).map(({ outcome }) => outcome)).toEqual(['cancelled', 'started'])
    })

    test(
      'are refused over a limit, and nothing is stored then',
      async (cron) => {
        const id = await cron.add({})
        await expect(triggerCron(cron.deps, cron.store, caller, id)).rejects.toMatchObject({
          code: 'too_many_requests',
        })
        expect(await cron.fires(id)).toEqual([])
      },
      { maxGlobal: 0 },
    )
  })

  test('go on from now when they are changed or resumed, and never fire a time again', async (cron) => {
    const id = await cron.add({ schedule: '*/10 * * * *' })
    await pass(cron, id, 10 * minute, minute)
    expect(await cron.fires(id)).toHaveLength(1)
    await pauseCron(cron.store, caller, id)
    expect(await pauseCron(cron.store, caller, id)).toMatchObject({ reason: 'Paused by test.' })
    cron.clock.advance(3 * hour)
    await resumeCron(cron.deps, cron.store, caller, id)
    await cron.scheduler.tick()
    expect(await cron.fires(id)).toHaveLength(1)
    // back to before a time that was fired
    cron.clock.set('2026-01-01T00:05:00Z')
    await updateCron(cron.deps, cron.store, caller, id, { schedule: '*/5 * * * *' })
    await pass(cron, id, 10 * minute, minute)
    const fires = await cron.fires(id)
    expect(fires.map(({ fireAt }) => fireAt.slice(11, 16))).toEqual(['00:10', '00:15'])
    const events = await cron.store.listEvents('default', { after: 0, limit: 500 })
    expect(events.filter(({ type }) => type === 'cron-fired')).toHaveLength(2)
    await deleteCron(cron.store, caller, id)
    await expect(cron.fires(id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await cron.store.listSessions('default', { kind: 'background', limit: 9 })).items).toHaveLength(2)
  })

  test('leave both the row and the session, or neither, when a node dies in between', async (cron) => {
    const id = await cron.add({})
    cron.clock.set('2026-01-01T00:01:00Z')
    const dying = { ...cron.deps.background }
    dying.triggerIn = async (...values) => {
      await cron.deps.background.triggerIn(...values)
      throw new Error('killed')
    }
    const node = { ...cron.deps, background: dying }
    const [due] = await cron.store.listDueCrons(cron.clock.now(), 1)
    await expect(fireCron(node, due!, cron.clock.now())).rejects.toThrow('killed')
    expect(await cron.fires(id)).toEqual([])
    expect((await cron.store.listSessions('default', { kind: 'background', limit: 9 })).items).toEqual([])
    await cron.scheduler.tick()
    expect(await cron.fires(id)).toMatchObject([{ outcome: 'started' }])
  })

  test('end with the rights and the depth of the session whose model made them', async (cron) => {
    const chat = await cron.store.createSession({ scope: 'default', allowedTools: ['file'] })
    const byModel = { ...caller, sessionId: chat.id }
    const input = { schedule: '* * * * *', prompt: 'x' }
    const { id, createdIn } = await createCron(cron.deps, cron.store, byModel, input)
    expect(createdIn).toBe(chat.id)
    cron.clock.set('2026-01-01T00:01:00Z')
    await cron.scheduler.tick()
    const [fire] = await cron.fires(id)
    const session = await cron.store.requireSession('default', fire!.sessionId!)
    expect(session).toMatchObject({ parentId: chat.id, allowedTools: ['file'] })
    await cron.end(session.id)
    expect(await cron.store.listInbox(chat.id)).toEqual([])
  })

  test('of two nodes, one gets each fire, and the other says nothing', async (cron) => {
    const other = await openNode(cron.database, cron.clock)
    const ids = []
    for (let count = 0; count < 20; count++) ids.push(await cron.add({ name: `c${count}` }))
    for (const at of ['01', '02', '03']) {
      cron.clock.set(`2026-01-01T00:${at}:00Z`)
      await Promise.all([cron.scheduler.tick(), other.scheduler.tick()])
      for (const id of ids) await cron.end((await cron.fires(id)).at(-1)!.sessionId)
    }
    for (const id of ids)
      expect((await cron.fires(id)).map(({ outcome }) => outcome)).toEqual([
        'completed',
        'completed',
        'completed',
      ])
    const { items } = await cron.store.listSessions('default', { kind: 'background', limit: 200 })
    expect(items).toHaveLength(60)
    expect(other.problems).toEqual([])
    await other.close()
  })
})
