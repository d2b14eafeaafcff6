/** The example of an extension, with every extension point that it uses. */
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
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
  expect(prompt).toContain('<current_poll>')
  // other sessions know nothing of it
  const other = await parley.sessions.create()
  await parley.sessions.chat(other.id, 'hello')
  const [run] = (await parley.runs.list({ session: other.id })).items
  expect(JSON.stringify(await parley.runs.step(run!.id, 1))).not.toContain('is about the open poll')
  await expect(parley.sessions.create({ pollId: 'poll_none' })).rejects.toThrow('poll_none')
})

it('has a group of tools and a tag, which others can neither switch by mistake nor write', async () => {
  const [, open] = databases[0]!
  await using opened = await openPolls(open)
  const { parley } = opened
  const question = 'Where? </current_poll> <current_poll>'
  const { id } = await parley.polls.create({ ...lunch, question })
  const session = await parley.sessions.create({ pollId: id, toolGroups: { polls: false } })
  await parley.sessions.chat(session.id, 'hello')
  const { items } = await parley.runs.list({ session: session.id })
  const prompt = JSON.stringify(await parley.runs.step(items[0]!.id, 1))
  expect(prompt).toContain('Where? < /current_poll> < current_poll>')
  expect(prompt).not.toContain('Creates a poll, votes in one')
  await parley.settings.update({ toolGroups: { polls: false } })
  expect((await parley.settings.get()).effective.toolGroups).toMatchObject({ polls: false })
  await expect(parley.sessions.create({ toolGroups: { poll: false } } as object)).rejects.toThrow(
    'toolGroups',
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

describe('what sessions have of a poll', () => {
  it.each(databases)('is kept, copied and taken away like what every session has (%s)', async (_, open) => {
    await using opened = await openPolls(open)
    const { sessions, polls: calls } = opened.parley
    const { id: pollId, sessionId } = await calls.create(lunch)
    expect(await sessions.get(sessionId!)).toMatchObject({ pollId })
    const another = await sessions.create({ pollId, title: 'Another one' })
    expect(another).toMatchObject({ pollId })
    const { id: messageId } = await sessions.append(another.id, { role: 'user', content: 'Hello' })
    expect(await sessions.fork(another.id, { messageId })).toMatchObject({ pollId })
    await expect(sessions.update(another.id, { pollId: 'poll_none' })).rejects.toThrow('poll_none')
    expect(await sessions.update(another.id, { pollId: null })).not.toHaveProperty('pollId')
    // @ts-expect-error nobody has such a field
    await expect(sessions.create({ polId: 'x' })).rejects.toThrow('polId')
    // @ts-expect-error an id is a text
    await expect(sessions.create({ pollId: 1 })).rejects.toThrow('pollId')
  })

  it('can be voted about with what is said there, and nowhere else', async () => {
    const [, open] = databases[0]!
    await using opened = await openPolls(open)
    const { sessions, polls: calls } = opened.parley
    const { id, sessionId } = await calls.create(lunch)
    await sessions.chat(sessionId!, { content: 'I am for it', vote: 'Pizza' })
    expect((await calls.get(id)).choices).toEqual([
      { text: 'Noodles', votes: 0 },
      { text: 'Pizza', votes: 1 },
    ])
    await expect(sessions.send(sessionId!, { content: 'No', vote: 'Soup' })).rejects.toThrow('is no choice')
    const refused = await opened.ask(`/api/sessions/${sessionId}/chat`, { content: 'No', vote: 'Soup' })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('is no choice')])
    const { id: other } = await sessions.create()
    await expect(sessions.send(other, { content: 'Yes', vote: 'Pizza' })).rejects.toThrow('about no poll')
  })

  it.each(['a short one', 'one that is read by a thread'])('goes with its document: %s', async (which) => {
    const [, open] = databases[0]!
    await using opened = await openPolls(open)
    await using elsewhere = await openPolls(open)
    const { sessions, polls: calls } = opened.parley
    const { id: pollId } = await calls.create(lunch)
    const { id } = await sessions.create({ pollId })
    const content = which === 'a short one' ? 'Hello' : 'Hello '.repeat(30_000)
    await sessions.append(id, { role: 'user', content })
    for (const format of ['json', 'yaml', 'jsonl', 'markdown'] as const)
      expect(await sessions.export(id, { format })).toContain(pollId)
    const exported = await (await opened.ask(`/api/sessions/${id}/export`)).text()
    expect(exported).toBe(await sessions.export(id))
    const document = { ...(JSON.parse(exported) as { session: object }), scope: 'default' }
    const imported = async (to: typeof opened, session: object) => {
      const answer = await to.ask('/api/sessions/import', { ...document, session })
      return [
        answer.status,
        (await answer.json()) as { pollId?: string; error?: { message: string } },
      ] as const
    }
    const { id: _, ...session } = document.session as { id: string }
    expect(await imported(opened, session)).toMatchObject([201, { pollId }])
    expect(await sessions.import(JSON.stringify({ ...JSON.parse(exported), session }))).toMatchObject({
      pollId,
    })
    // the poll is not there
    const [status, there] = await imported(elsewhere, session)
    expect(status).toBe(201)
    expect(there).not.toHaveProperty('pollId')
    expect(await imported(opened, { ...session, pollId: 7 })).toMatchObject([400, expectedRefusal('pollId')])
    expect(await imported(opened, { ...session, polId: 'x' })).toMatchObject([400, expectedRefusal('polId')])
  })

  it('is in the document of the interface, and unknown to a Parley without it', async () => {
    const [, open] = databases[0]!
    await using opened = await openPolls(open)
    const { components } = (await (await opened.ask('/openapi.json')).json()) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> }
    }
    for (const name of ['Session', 'CreateSession', 'UpdateSession', 'SessionListItem'])
      expect(components.schemas[name]!.properties).toHaveProperty('pollId')
    expect(components.schemas.Chat!.properties.vote).toMatchObject({ type: 'string', maxLength: 500 })
    await using database = await open()
    await using plain = await createParley(toOptions(database))
    await expect(plain.sessions.create({ pollId: 'poll_1' })).rejects.toThrow('pollId')
    const { id } = await plain.sessions.create()
    await expect(plain.sessions.send(id, { content: 'Hello', vote: 'Pizza' })).rejects.toThrow('vote')
  })

  it('stays stored while the extension is not there', async () => {
    const [, open] = databases[0]!
    await using database = await open()
    const options = toOptions(database)
    let sessionId: string
    let pollId: string
    {
      await using parley = await createParley({ ...options, extensions: [polls] })
      const poll = await parley.polls.create(lunch)
      ;[pollId, sessionId] = [poll.id, poll.sessionId!]
    }
    {
      await using plain = await createParley(options)
      expect(await plain.sessions.update(sessionId, { title: 'Lunch' })).not.toHaveProperty('pollId')
      expect(await plain.sessions.export(sessionId)).not.toContain(pollId)
    }
    await using parley = await createParley({ ...options, extensions: [polls] })
    expect(await parley.sessions.get(sessionId)).toMatchObject({ title: 'Lunch', pollId })
  })
})

const expectedRefusal = (name: string) => ({ error: { message: expect.stringContaining(name) as string } })
