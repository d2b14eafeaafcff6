import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createApp, createMetrics } from '../src/server/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { countStatements } from './counted-statements.ts'
import { sqliteDatabase } from './harness.ts'
import { openRooms, type AgentCall } from './room-harness.ts'
import { chooseFrom, lehmer } from './room/scripted-players.ts'

const secrets = /SECRETWORD|your role is|werewolves are/

it('tells a person who plays no secret, whatever they read', async () => {
  await using opened = await openRooms(sqliteDatabase, ({ request }: AgentCall) =>
    request.replyFormat
      ? { ...chooseFrom(request.replyFormat.schema, lehmer(5)), say: 'SECRETWORD' }
      : 'I say nothing.',
  )
  const { parley } = opened
  const { store } = parley
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      version: '0',
      limits: { bodyBytes: 1_000_000, pageSize: 200 } as never,
      metrics: createMetrics(),
    },
    { apiKeys: [], allowedHosts: ['localhost'], allowedOrigins: [] } as never,
  )
  const request = async (method: string, path: string, body?: object) => {
    const answer = await app.request(`http://localhost${path}`, {
      method,
      headers: { host: 'localhost', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const id = await opened.room(['mira', 'quill', 'pip', 'coder', 'reviewer'], {
    mode: 'werewolf',
    modeState: { seed: 11 },
    room: { maxReplies: 1_000, humans: [{ name: 'anna', plays: true }, { name: 'operator' }] },
  })
  await opened.say(id, 'begin', 'operator')
  expect((await opened.read(id, 'anna')).sealed).toBe(true)
  const seats = (await store.listSeats(id)).map(({ sessionId }) => sessionId)
  const sessions = [id, ...seats]
  const { items: runs } = await store.listRuns('default', { limit: 100 })
  const ofSession =
    ',/messages,/export,/observe,/usage,/window,/memo,/memo/versions,/prompt,/queue,/checkpoints,/variants'
  const paths = [
    '/api/runs',
    ...runs.flatMap((run) => [
      `/api/runs?parent=${run.id}`,
      ...['', '/prompt', '/prompt/1'].map((path) => `/api/runs/${run.id}${path}`),
    ]),
    ...sessions.flatMap((session) => [
      `/api/runs?session=${session}`,
      ...ofSession.split(',').map((path) => `/api/sessions/${session}${path}`),
      ...runs.map((run) => `/api/sessions/${session}/observe?run=${run.id}`),
    ]),
    ...['?kind=tool', `?parent=${id}`, '?q=SECRETWORD', '?q=role'].map((query) => `/api/sessions${query}`),
    ...['search?q=SECRETWORD', 'search?q=werewolf', 'events', 'audit', 'approvals', 'usage', 'memories'].map(
      (path) => `/api/${path}`,
    ),
  ]
  for (const path of paths) {
    const { text } = await request('GET', path)
    expect(text, path).not.toMatch(secrets)
    // that an agent has been asked at night tells what it is
    if (path.startsWith('/api/sessions?')) for (const seat of seats) expect(text, path).not.toContain(seat)
  }
  for (const path of ['/stop', '/fork', '/resize'])
    for (const seat of seats)
      expect((await request('POST', `/api/sessions/${seat}${path}`, {})).status).toBe(403)
  // all of it is there, and seen by somebody who may
  expect(JSON.stringify(runs)).toMatch(secrets)
  await opened.setMode(id, { mode: 'free_chat' })
})

it('asks once whether a session is that of an agent', async () => {
  using counted = countStatements()
  await using opened = await openRooms(sqliteDatabase, () => 'Hello.')
  const { store, contributions, sessions } = opened.parley
  const { id: sessionId } = await sessions.create()
  const { run } = await sessions.chat(sessionId, 'hello')
  const asked = async (place: { sessionId: string } | { runId: string }) => {
    counted.texts.length = 0
    for (const seal of contributions.seals) expect(await seal(store, place)).toBeUndefined()
    return counted.texts.filter((text) => text.includes('room_seats')).length
  }
  expect([await asked({ sessionId }), await asked({ sessionId })]).toEqual([1, 0])
  expect([await asked({ runId: run.id }), await asked({ runId: run.id })]).toEqual([1, 1])
})
