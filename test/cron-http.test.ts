import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { checkEach, expectRefusal, startApp, type AppServer } from './http/app-server.ts'

const valid = { schedule: '30 2 * * *', prompt: 'Look around' }

const add = async (server: AppServer, more: object = {}) => {
  const answer = await server.send('POST', '/api/crons', { body: { ...valid, ...more } })
  expect(answer.status, answer.text).toBe(201)
  return answer.json as { id: string } & Record<string, unknown>
}

describe('crons over HTTP', () => {
  it('are created with their defaults, read, listed, changed and deleted', async () => {
    await using server = await startApp()
    const cron = await add(server, { timeZone: 'Europe/Berlin', label: 'look', budget: { tokens: 5 } })
    expect(cron).toMatchObject({
      name: 'Look around',
      schedule: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      label: 'look',
      budget: { tokens: 5 },
      missed: 'once',
      maxMissed: 10,
      overlap: 'skip',
      maxFailures: 5,
      status: 'active',
      failures: 0,
      nextFireAt: '2026-01-01T01:30:00.000Z',
    })
    expect(cron.id).toMatch(/^cron_/)
    const path = `/api/crons/${cron.id}`
    expect((await server.send('GET', path)).json).toEqual(cron)
    await add(server, { name: 'second', schedule: 'once:2026-06-01T00:00:00Z' })
    const page = await server.send('GET', '/api/crons?limit=1')
    expect(page.json).toMatchObject({ items: [{ name: 'second' }], nextCursor: expect.any(String) })
    const next = await server.send('GET', `/api/crons?cursor=${page.json!.nextCursor as string}`)
    expect(next.json).toMatchObject({ items: [{ id: cron.id }], nextCursor: null })
    const body = { schedule: '@hourly', label: null, timeZone: 'UTC', overlap: 'queue' }
    const patched = await server.send('PATCH', path, { body })
    expect(patched.json).toMatchObject({
      schedule: '@hourly',
      timeZone: 'UTC',
      overlap: 'queue',
      budget: { tokens: 5 },
      nextFireAt: '2026-01-01T01:00:00.000Z',
    })
    expect(patched.json).not.toHaveProperty('label')
    expect((await server.send('DELETE', path)).status).toBe(204)
    expectRefusal(await server.send('GET', path), 'a deleted cron', 404)
  })

  it('are paused, resumed and fired by hand, and list their fires', async () => {
    await using server = await startApp()
    const { id } = await add(server)
    const post = (verb: string, headers?: Record<string, string>) =>
      server.send('POST', `/api/crons/${id}/${verb}`, { headers })
    const paused = (await post('pause')).json!
    expect(paused).toMatchObject({ status: 'paused', reason: 'Paused by local.' })
    expect(paused).not.toHaveProperty('nextFireAt')
    expect((await server.send('GET', '/api/crons?status=paused')).json!.items).toHaveLength(1)
    const headers = { 'idempotency-key': 'one-fire' }
    const fired = await post('trigger', headers)
    expect([fired.status, fired.json]).toEqual([
      201,
      expect.objectContaining({ cause: 'manual', outcome: 'started', cronId: id }),
    ])
    expect((await post('trigger', headers)).json).toEqual(fired.json)
    expect(expectRefusal(await post('trigger'), 'a second fire', 409).message).toContain('is not over')
    const { items } = (await server.send('GET', `/api/crons/${id}/fires`)).json as { items: unknown[] }
    expect(items).toEqual([fired.json])
    const session = await server.send('GET', `/api/sessions/${fired.json!.sessionId as string}`)
    expect(session.json).toMatchObject({ kind: 'background', bgMeta: { triggerType: 'cron', sourceId: id } })
    expect((await post('resume')).json).toMatchObject({ status: 'active', nextFireAt: expect.any(String) })
    const refused = await server.send('GET', `/api/crons/${id}/fires?cursor=x`)
    expectRefusal(refused, 'a cursor of nobody', 400)
  })

  it('show when they would fire, with the change of clocks', async () => {
    await using server = await startApp()
    const body = {
      schedule: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      count: 3,
      after: '2026-03-27T12:00:00Z',
    }
    expect((await server.send('POST', '/api/crons/preview', { body })).json).toEqual({
      timeZone: 'Europe/Berlin',
      items: [
        { at: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30:00+01:00', offset: '+01:00' },
        {
          at: '2026-03-29T01:00:00.000Z',
          local: '2026-03-29T03:00:00+02:00',
          offset: '+02:00',
          shifted: true,
        },
        { at: '2026-03-30T00:30:00.000Z', local: '2026-03-30T02:30:00+02:00', offset: '+02:00' },
      ],
    })
  })

  it('are refused with a clear word when they are wrong, and then nothing is stored', async () => {
    await using server = await startApp()
    const { id } = await add(server)
    const bad: [fields: object, words: string][] = [
      [{ schedule: '60 * * * *' }, 'minute'],
      [{ schedule: '* * * *' }, '4 fields'],
      [{ schedule: '0 0 31 2 *' }, 'never fire'],
      [{ schedule: '' }, 'schedule'],
      [{ schedule: '@reboot' }, '@reboot'],
      [{ schedule: 'x'.repeat(201) }, 'schedule'],
      [{ schedule: 'once:2020-01-01T00:00:00Z' }, 'is over'],
      [{ schedule: 'once:tomorrow' }, 'once:'],
      [{ schedule: 5 }, 'schedule'],
      [{ timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
      [{ timeZone: '+02:00' }, '+02:00'],
      [{ prompt: '' }, 'prompt'],
      [{ prompt: 'x'.repeat(200_001) }, 'prompt'],
      [{ name: 'two\nlines' }, 'control characters'],
      [{ timeoutMs: 0 }, 'timeoutMs'],
      [{ timeoutMs: 30 * 24 * 3_600_000 }, 'timeoutMs'],
      [{ missed: 'later' }, 'missed'],
      [{ maxMissed: 11 }, 'maxMissed'],
      [{ maxMissed: 0 }, 'maxMissed'],
      [{ overlap: 'allow' }, 'overlap'],
      [{ maxFailures: -1 }, 'maxFailures'],
      [{ context: 'text' }, 'context'],
      [{ context: [1] }, 'context'],
      [{ outputSchema: { type: 'array' } }, 'output schema'],
      [{ budget: { cost: 1 } }, 'prices'],
      [{ budget: { tokens: 0 } }, 'tokens'],
      [{ announceTarget: 'ses_unknown' }, 'ses_unknown'],
      [{ status: 'paused' }, 'status'],
      [{ failures: 3 }, 'failures'],
      [{ createdIn: 'ses_x' }, 'createdIn'],
      [{ nextFireAt: '2026-01-01T00:00:00Z' }, 'nextFireAt'],
    ]
    const before = server.dump()
    await checkEach(bad, async ([fields, words]) => {
      for (const [method, path, body] of [
        ['POST', '/api/crons', { ...valid, ...fields }],
        ['PATCH', `/api/crons/${id}`, fields],
      ] as const) {
        const answer = await server.send(method, path, { body })
        const hint = `${method} ${JSON.stringify(fields).slice(0, 80)}`
        expect(expectRefusal(answer, hint, [400, 404]).message, hint).toContain(words)
      }
    })
    for (const body of [{}, { prompt: 'x' }, { schedule: '* * * * *' }])
      expectRefusal(await server.send('POST', '/api/crons', { body }), 'a body with too little', 400)
    for (const body of [
      { schedule: '* * * * *', count: 101 },
      { schedule: '* * * * *', after: 'now' },
    ])
      expectRefusal(await server.send('POST', '/api/crons/preview', { body }), 'a preview', 400)
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })
})

describe('event hooks over HTTP', () => {
  it('are created with their defaults, read, listed, changed and deleted', async () => {
    await using server = await startApp()
    const body = { event: 'bg:session.*', filter: { label: 'nightly' }, prompt: 'Say why' }
    const created = await server.send('POST', '/api/event-hooks', { body })
    expect([created.status, created.json]).toEqual([
      201,
      expect.objectContaining({ ...body, name: 'bg:session.*', maxPerHour: 60, status: 'active', starts: 0 }),
    ])
    const path = `/api/event-hooks/${created.json!.id as string}`
    expect((await server.send('GET', path)).json).toEqual(created.json)
    expect((await server.send('GET', '/api/event-hooks')).json).toEqual({
      items: [created.json],
      nextCursor: null,
    })
    const patch = { status: 'paused', filter: {}, timeoutMs: 5_000 }
    expect((await server.send('PATCH', path, { body: patch })).json).toMatchObject(patch)
    expect((await server.send('DELETE', path)).status).toBe(204)
    expectRefusal(await server.send('GET', path), 'a deleted hook', 404)
  })

  it('are refused with a clear word when they are wrong, and then nothing is stored', async () => {
    await using server = await startApp()
    const before = server.dump()
    const bad: [fields: object, words: string][] = [
      [{ event: '' }, 'event'],
      [{ event: 'a*b' }, 'event'],
      [{ event: 'x'.repeat(101) }, 'event'],
      [{ prompt: '' }, 'prompt'],
      [{ filter: { a: {} } }, 'filter'],
      [{ filter: { a: ['x'] } }, 'filter'],
      [
        { filter: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, 1])) },
        '20 fields',
      ],
      [{ maxPerHour: 0 }, 'maxPerHour'],
      [{ maxPerHour: 1e9 }, 'maxPerHour'],
      [{ timeoutMs: 30 * 24 * 3_600_000 }, 'timeoutMs'],
      [{ starts: 5 }, 'starts'],
      [{ announceTarget: 'ses_unknown' }, 'ses_unknown'],
    ]
    await checkEach(bad, async ([fields, words]) => {
      const body = { event: 'x-happened', prompt: 'x', ...fields }
      const answer = await server.send('POST', '/api/event-hooks', { body })
      expect(expectRefusal(answer, JSON.stringify(fields), [400, 404]).message).toContain(words)
    })
    expect(server.dump()).toBe(before)
  })
})

it('the client has the same calls', async () => {
  await using server = await startApp()
  const { crons, eventHooks } = createClient({ baseUrl: server.url })
  const cron = await crons.create({ ...valid, scope: 'red', name: 'by the client' })
  expect(await crons.get(cron.id, { scope: 'red' })).toEqual(cron)
  expect((await crons.list({ scope: 'red' })).items).toEqual([cron])
  expect(await crons.update(cron.id, { scope: 'red', name: 'renamed' })).toMatchObject({ name: 'renamed' })
  expect(await crons.pause(cron.id, { scope: 'red' })).toMatchObject({ status: 'paused' })
  expect(await crons.resume(cron.id, { scope: 'red' })).toMatchObject({ status: 'active' })
  const fire = await crons.trigger(cron.id, { scope: 'red' })
  expect((await crons.fires(cron.id, { scope: 'red', limit: 5 })).items).toEqual([fire])
  expect((await crons.preview({ schedule: '@daily', count: 2 })).items).toHaveLength(2)
  await crons.delete(cron.id, { scope: 'red' })
  await expect(crons.get(cron.id, { scope: 'red' })).rejects.toMatchObject({ code: 'not_found' })
  const hook = await eventHooks.create({ event: 'cron-*', prompt: 'x' })
  expect(await eventHooks.update(hook.id, { status: 'paused' })).toMatchObject({ status: 'paused' })
  expect((await eventHooks.list()).items).toHaveLength(1)
  expect(await eventHooks.get(hook.id)).toMatchObject({ event: 'cron-*' })
  await eventHooks.delete(hook.id)
})
