/** The example of an extension, with every extension point that it uses. */
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import polls from '../examples/polls/extension.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createParley } from '../src/parley.ts'
import { createApp, createMetrics } from '../src/server/index.ts'
import { databases, toOptions, type OpenDatabase } from './harness.ts'

async function openPolls(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const parley = await createParley({
    ...toOptions(database),
    extensions: [polls],
    polls: { maxChoices: 3 },
    permissions: { mode: 'bypassPermissions' },
  })
  const deps = {
    ...parley,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    version: '0.0.0',
    limits: { bodyBytes: 1_000_000, jsonDepth: 20, pageSize: 50 },
  }
  const app = createApp(
    { ...deps, metrics: createMetrics(deps) },
    { apiKeys: [{ key: 'a-key-of-16-characters' }], allowedHosts: ['*'], allowedOrigins: [] },
  )
  const open = (path: string) => app.request(path)
  const ask = (path: string, json?: object) =>
    app.request(path, {
      headers: { authorization: 'Bearer a-key-of-16-characters', 'content-type': 'application/json' },
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
    })
  return {
    parley,
    ask,
    open,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const lunch = { question: 'Where do we eat?', choices: ['Noodles', 'Pizza'] }

it.each(databases)('keeps polls and votes in its own tables (%s)', async (_, open) => {
  await using opened = await openPolls(open)
  const { parley } = opened
  const { id } = await parley.polls.create(lunch)
  await parley.polls.vote(id, { voter: 'mira', choice: 'Pizza' })
  await parley.polls.vote(id, { voter: 'mira', choice: 'Noodles' })
  expect(await parley.polls.get(id)).toMatchObject({
    isOpen: true,
    choices: [
      { text: 'Noodles', votes: 1 },
      { text: 'Pizza', votes: 0 },
    ],
  })
  await expect(parley.polls.vote(id, { choice: 'Soup' })).rejects.toThrow('"Soup" is no choice')
  await expect(parley.polls.create({ ...lunch, choices: ['a', 'b', 'c', 'd'] })).rejects.toThrow(
    'the most is 3',
  )
  await expect(parley.polls.get(id, { scope: 'other' })).rejects.toThrow('There is no poll')
  await parley.polls.close(id)
  await expect(parley.polls.vote(id, { choice: 'Pizza' })).rejects.toThrow('is closed')
  // a poll stays when its session is deleted
  const { sessionId } = await parley.polls.get(id)
  await parley.sessions.delete(sessionId!)
  expect(await parley.polls.get(id)).not.toHaveProperty('sessionId')
})

it.each(databases)('closes a poll by time, by a run that is parked meanwhile (%s)', async (_, open) => {
  await using opened = await openPolls(open)
  const { parley } = opened
  const closesAt = new Date(Date.now() + 1_000).toISOString()
  const { id } = await parley.polls.create({ ...lunch, closesAt })
  const early = await parley.polls.create({
    ...lunch,
    closesAt: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await parley.polls.close(early.id)
  await vi.waitFor(async () => expect(await parley.polls.get(id)).toMatchObject({ isOpen: false }), 200_000)
  await vi.waitFor(async () => {
    const { items } = await parley.runs.list()
    expect(items.map(({ kind, status }) => [kind, status])).toEqual([
      ['poll-closing', 'completed'],
      ['poll-closing', 'completed'],
    ])
  }, 200_000)
})

it('lets a model vote that is told of the poll, and counts the turn', async () => {
  const [, open] = databases[0]!
  await using opened = await openPolls(open)
  const { parley } = opened
  const { id, sessionId } = await parley.polls.create(lunch)
  await parley.sessions.chat(sessionId!, `use poll {"action": "vote", "id": "${id}", "choice": "Pizza"}`)
  expect(await parley.polls.get(id)).toMatchObject({ discussed: 1, choices: [{}, { votes: 1 }] })
  const { items } = await parley.runs.list({ session: sessionId })
  const prompt = JSON.stringify(await parley.runs.step(items[0]!.id, 1))
  expect(prompt).toContain(`This session is about the open poll ${id}: Where do we eat?`)
  expect(prompt).toContain('"scenario":"poll"')
  // other sessions know nothing of it
  const other = await parley.sessions.create()
  await parley.sessions.chat(other.id, 'hello')
  const [run] = (await parley.runs.list({ session: other.id })).items
  expect(JSON.stringify(await parley.runs.step(run!.id, 1))).not.toContain('is about the open poll')
  await expect(parley.sessions.create({ mode: 'poll', modeState: { pollId: 'poll_none' } })).rejects.toThrow(
    'poll_none',
  )
})

it('is served: operations, its own route, its metric and its page', async () => {
  const [, open] = databases[0]!
  await using opened = await openPolls(open)
  const { ask, open: openPath } = opened
  const created = await ask('/api/polls', lunch)
  expect(created.status).toBe(201)
  const { id } = (await created.json()) as { id: string }
  expect((await ask(`/api/polls/${id}/vote`, { choice: 'Pizza', voter: '=1+1' })).status).toBe(200)
  expect(await (await ask(`/api/polls/${id}/votes.csv`)).text()).toBe(
    '"voter","choice"\r\n"\'=1+1","Pizza"\r\n',
  )
  expect(await (await ask('/metrics')).text()).toContain('parley_polls_open 1')
  const document = (await (await ask('/openapi.json')).json()) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/api/polls', '/api/polls/{id}/vote', '/api/polls/{id}/votes.csv']),
  )
  // a key is needed for what is stored, and not for the module that draws it
  expect((await openPath('/api/polls')).status).toBe(401)
  expect((await openPath('/api/polls/x/votes.csv')).status).toBe(401)
  const { items } = (await (await ask('/api/extensions')).json()) as { items: object[] }
  const source = 'extensions/polls/page.js'
  expect(items.at(-1)).toEqual({
    name: 'polls',
    version: '1.0.0',
    page: { title: { en: 'Polls', zh: '投票' }, source, isTrusted: true },
  })
  const page = await openPath(`/${source}`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(await page.text()).toContain('export function mount')
  expect((await openPath('/extensions/polls/extension.ts')).status).toBe(404)
  expect((await openPath('/extensions/polls/..%2fstore.ts')).status).toBe(404)
})

it('opens a database again without the extension', async () => {
  const [, open] = databases[0]!
  await using database = await open()
  await (await createParley({ ...toOptions(database), extensions: [polls] })).close()
  await using parley = await createParley(toOptions(database))
  expect((await parley.catalogue.extensions()).items.map(({ name }) => name)).not.toContain('polls')
})
