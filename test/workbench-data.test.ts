import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/index.ts'
import type { RunRecord } from '../src/core/protocol/chat.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { Message } from '../src/core/protocol/message.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says } from './chat-harness.ts'
import { anyDatabase, steppedClock, temporaryFolder, type TestDatabase } from './harness.ts'
import { addSession, expectRefusal, startApp, type AppServer } from './http/app-server.ts'

async function read<T>(server: AppServer, path: string): Promise<T> {
  const answer = await server.send('GET', path)
  expect(answer.status, answer.text).toBe(200)
  return answer.json as T
}

async function write<T>(server: AppServer, method: string, path: string, body: object): Promise<T> {
  const answer = await server.send(method, path, { body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.json as T
}

const say = (server: AppServer, id: string, content: string) =>
  server.send('POST', `/api/sessions/${id}/chat`, {
    headers: { accept: 'application/json' },
    body: { content },
  })

const listed = async (server: AppServer, query = '') =>
  (await read<{ items: Session[] }>(server, `/api/sessions?${query}`)).items

describe('the audit', () => {
  it('is read newest first, by session, action and actor, page by page', async () => {
    await using server = await startApp({
      apiKeys: [
        { name: 'ann', key: 'the-key-of-ann-herself' },
        { name: 'bob', key: 'the-key-of-bob-himself', scopes: ['blue'] },
      ],
    })
    const as = (key: string) => ({ authorization: `Bearer ${key}` })
    const [ann, bob] = [as('the-key-of-ann-herself'), as('the-key-of-bob-himself')]
    const create = async (headers: Record<string, string>, scope: string) =>
      String((await server.send('POST', '/api/sessions', { headers, body: { scope } })).json!.id)
    const first = await create(ann, 'blue')
    const second = await create(bob, 'blue')
    await create(ann, 'red')
    const rename = { scope: 'blue', title: 'renamed' }
    await server.send('PATCH', `/api/sessions/${first}`, { headers: bob, body: rename })
    await server.send('DELETE', `/api/sessions/${first}?scope=blue`, { headers: ann })
    const list = async (query: string) => {
      const { json } = await server.send('GET', `/api/audit?scope=blue&${query}`, { headers: bob })
      const { items } = json as { items: { action: string; actor: { id: string }; resourceId: string }[] }
      return items.map(({ action, actor, resourceId }) => [action, actor.id, resourceId])
    }
    const all = [
      ['delete', 'ann', first],
      ['update', 'bob', first],
      ['create', 'bob', second],
      ['create', 'ann', first],
    ]
    expect(await list('')).toEqual(all)
    expect(await list(`session=${first}`)).toEqual(all.filter(([, , id]) => id === first))
    expect(await list('action=create')).toEqual(all.slice(2))
    expect(await list('actor=bob&action=create')).toEqual([all[2]])
    const page = await server.send('GET', '/api/audit?scope=blue&limit=3', { headers: bob })
    expect(await list(`cursor=${page.json!.nextCursor as string}`)).toEqual(all.slice(3))
    expect((page.json!.items as object[])[1]).toEqual({
      id: expect.stringMatching(/^aud_/),
      actor: { type: 'user', id: 'bob' },
      action: 'update',
      resourceType: 'session',
      resourceId: first,
      sessionId: first,
      result: 'success',
      detail: { fields: ['title'] },
      createdAt: expect.stringMatching(/^2026-01-01T/),
    })
    const { createdAt: third } = (page.json!.items as { createdAt: string }[])[2]!
    expect(await list(`from=${third}`)).toEqual(all.slice(0, 3))
    expect(await list(`from=${third}&actor=ann`)).toEqual(all.slice(0, 1))
    expect(await list(`to=${third}`)).toEqual(all.slice(3))
    const foreign = await server.send('GET', '/api/audit?scope=red', { headers: bob })
    expectRefusal(foreign, 'the audit of a scope that the key is not for', 403)
    for (const query of [
      'cursor=x',
      'limit=0',
      'limit=201',
      'session=../x',
      'action=',
      'from=today',
      'to=1',
      'x=1',
    ])
      expectRefusal(await server.send('GET', `/api/audit?${query}`, { headers: ann }), query, 400)
  })
})

const dear = { 'scripted/test': { input: 1_000, output: 2_000 } }

describe('usage', () => {
  it('adds up by day, model and kind of run, with what it cost', async () => {
    const clock = steppedClock(Date.UTC(2026, 0, 31, 12))
    const model = createScripted(({ cacheKey }) =>
      says(cacheKey.endsWith(':memo') ? '{"facts":["x"]}' : 'hi'),
    )
    await using server = await startApp({ clock, model, prices: dear })
    const { id } = await addSession(server)
    for (const text of ['one', 'two']) expect((await say(server, id, text)).status).toBe(200)
    clock.advance(24 * 3_600_000)
    await say(server, id, 'three')
    await write(server, 'PUT', `/api/sessions/${id}/window`, { mode: 'memo', limit: { tokens: 5_000 } })
    await write(server, 'POST', `/api/sessions/${id}/resize`, {})
    const row = (day: string, kind: string, count: number) => ({
      day,
      model: 'scripted/test',
      kind,
      calls: count,
      inputTokens: 10 * count,
      outputTokens: 5 * count,
      cacheReadTokens: 0,
      cost: expect.closeTo(0.02 * count) as number,
    })
    const { day: _day, model: _model, kind: _kind, ...totals } = row('', '', 4)
    expect(await read(server, '/api/usage')).toEqual({
      items: [row('2026-01-31', 'turn', 2), row('2026-02-01', 'memo', 1), row('2026-02-01', 'turn', 1)],
      totals,
    })
    const itemsOf = async (query: string) =>
      (await read<{ items: object[] }>(server, `/api/usage?${query}`)).items
    expect(await itemsOf('from=2026-02-01')).toHaveLength(2)
    expect(await itemsOf('from=2026-01-01&to=2026-01-31')).toHaveLength(1)
    expect(await itemsOf('scope=other')).toEqual([])
    expect(await read(server, `/api/sessions/${id}/usage`)).toEqual({
      runs: 3,
      ...totals,
      window: { tokens: 10, limitTokens: 5_000 },
    })
    clock.advance(29 * 24 * 3_600_000)
    expect(await itemsOf('')).toHaveLength(2)
    for (const query of [
      'from=2026-02-02&to=2026-02-01',
      'from=2000-01-01',
      'from=2026-02-30',
      'from=1',
      'to=',
      'days=3',
    ])
      expectRefusal(await server.send('GET', `/api/usage?${query}`), query, 400)
  })

  it('of a session begins with nothing, and has no cost without prices', async () => {
    await using server = await startApp()
    const { id } = await addSession(server)
    const none = { calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 }
    expect(await read(server, `/api/sessions/${id}/usage`)).toEqual({
      runs: 0,
      ...none,
      window: { tokens: 0 },
    })
    expect(await read(server, '/api/usage')).toEqual({ items: [], totals: none })
    await say(server, id, 'hello')
    expect(await read(server, `/api/sessions/${id}/usage`)).toEqual({
      runs: 1,
      calls: 1,
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 0,
      window: { tokens: 10 },
    })
    expectRefusal(await server.send('GET', `/api/sessions/${id}/usage?scope=other`), 'elsewhere', 404)
  })

  it('of a memo update counts, also when its answer is no memo', async () => {
    const model = createScripted(({ cacheKey }) => says(cacheKey.endsWith(':memo') ? '"no memo"' : 'hi'))
    await using server = await startApp({ model })
    const { id } = await addSession(server)
    for (const text of ['one', 'two']) await say(server, id, text)
    await write(server, 'PUT', `/api/sessions/${id}/window`, { mode: 'memo' })
    const refused = await server.send('POST', `/api/sessions/${id}/resize`)
    expect(refused.status, refused.text).toBe(502)
    const { items } = await read<{ items: { kind: string; calls: number }[] }>(server, '/api/usage')
    expect(items.map(({ kind, calls: count }) => [kind, count])).toEqual([
      ['memo', 1],
      ['turn', 2],
    ])
  })

  it.each(anyDatabase)(
    'counts a call once when its step is stored again after a crash, on %s',
    async (_name, open) => {
      await using database = await open()
      const slow = defineTool({
        name: 'slow',
        description: 'Takes for ever',
        input: z.strictObject({}),
        execute: (_input, { signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      })
      const crashed = await openChat(
        kept(database),
        createScripted(() => calls(['slow', {}])),
        { tools: [slow] },
      )
      const { store, sessionId } = crashed
      const place = { scope: 'default', sessionId }
      const { run, begin } = await crashed.chats.admit(store, place, crashed.input('go'))
      begin()
      await expect.poll(async () => (await store.listRunSteps(run.id)).length).toBe(1)
      await crashed.chats.close(0)
      await store.close()
      await using next = await openChat(
        kept(database),
        createScripted(() => says('done')),
        { tools: [slow] },
      )
      await next.chats.answerOf(run, AbortSignal.timeout(100_000))
      expect(await next.store.getRun('default', run.id)).toMatchObject({ status: 'completed' })
      const used = { calls: 2, inputTokens: 20, outputTokens: 10 }
      expect(await next.store.getSessionUsage(sessionId)).toMatchObject({ ...used, runs: 1 })
      const all = { from: '2000-01-01', to: '2100-01-01' }
      expect(await next.store.listUsage('default', all)).toMatchObject([used])
    },
  )
})

/** The same database for one chat after another. */
const kept = (database: TestDatabase) => async () => ({ ...database, [Symbol.asyncDispose]: async () => {} })

/** A server whose first turn waits for a word, and inputs that wait for it. */
async function startBusy(database?: TestDatabase, ...contents: string[]) {
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const model = createScripted((_, call) => (call === 1 ? [gate, ...says('one')] : says(`answer ${call}`)))
  const server = await startApp({ model, database, clock: systemClock })
  const { id } = await addSession(server)
  const first = say(server, id, 'first')
  await expect.poll(() => model.requests.length).toBe(1)
  const path = `/api/sessions/${id}/queue`
  const queue = async () => (await read<{ items: RunRecord[] }>(server, path)).items
  const answers = [first]
  for (const content of contents) {
    answers.push(say(server, id, content))
    await expect.poll(async () => (await queue()).length).toBe(answers.length - 1)
  }
  const said = async () =>
    (await read<{ items: Message[] }>(server, `/api/sessions/${id}/messages`)).items
      .filter(({ role }) => role === 'user')
      .map(messageText)
  const counts = async () =>
    (await server.store.listEvents('default', { after: 0, limit: 100 }))
      .filter(({ type }) => type === 'session-queue')
      .map(({ data }) => data)
  return {
    server,
    model,
    id,
    path,
    queue,
    said,
    counts,
    async finish() {
      go()
      return Promise.all(answers)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const idsOf = (runs: RunRecord[]) => runs.map(({ id }) => id)

describe('the queue', () => {
  it('is put into another order, in which it is then taken up; each change is told', async () => {
    await using busy = await startBusy(undefined, 'a', 'b', 'c')
    const { server, path, queue } = busy
    const [a, b, c] = idsOf(await queue()) as [string, string, string]
    const page = await write<{ items: RunRecord[] }>(server, 'PUT', path, { runIds: [c, a, b] })
    expect(idsOf(page.items)).toEqual([c, a, b])
    expect(idsOf(await queue())).toEqual([c, a, b])
    await write(server, 'PATCH', `${path}/${a}`, { content: 'changed' })
    expect((await server.send('DELETE', `${path}/${b}`)).status).toBe(204)
    await busy.finish()
    expect(await busy.said()).toEqual(['first', 'c', 'changed'])
    const numbers = [1, 2, 3, 3, 3, 2, 1, 0]
    expect(await busy.counts()).toEqual(numbers.map((count) => ({ count })))
  })

  it('keeps what is attached to an input when its text is changed', async () => {
    await using busy = await startBusy(undefined)
    const { server, id, path } = busy
    const file = { mediaType: 'text/plain', url: 'data:text/plain,hello', filename: 'a.txt' }
    const answer = server.send('POST', `/api/sessions/${id}/chat`, {
      body: { content: 'look', attachments: [file] },
      headers: { accept: 'application/json' },
    })
    await expect.poll(async () => (await busy.queue()).length).toBe(1)
    const [item] = await busy.queue()
    await write(server, 'PATCH', `${path}/${item!.id}`, { content: 'look again' })
    await busy.finish()
    await answer
    const { items } = await read<{ items: Message[] }>(server, `/api/sessions/${id}/messages`)
    expect(items.find(({ parts }) => parts[0]?.text === 'look again')?.parts).toMatchObject([
      { type: 'text' },
      { type: 'file', filename: 'a.txt' },
    ])
  })

  it('refuses an order that does not name all that wait, and says what waits', async () => {
    await using busy = await startBusy(undefined, 'a', 'b')
    const { server, id, path, queue } = busy
    const [a, b] = idsOf(await queue()) as [string, string]
    const { id: foreign } = await addSession(server)
    const state = async () => [await queue(), await busy.counts(), await server.store.listInbox(id)]
    const before = await state()
    for (const runIds of [[], [a], [a, a], [a, b, b], [a, b, foreign], [b, foreign]]) {
      const refused = await server.send('PUT', path, { body: { runIds } })
      expect(expectRefusal(refused, runIds.join(), 409).details).toEqual({ runIds: [a, b] })
    }
    for (const body of [{}, { runIds: a }, { runIds: [1] }, { runIds: ['../x'] }, { runIds: [a, b], x: 1 }])
      expectRefusal(await server.send('PUT', path, { body }), JSON.stringify(body), 400)
    const other = { scope: 'other', runIds: [a, b] }
    expectRefusal(await server.send('PUT', path, { body: other }), 'another scope', 404)
    expectRefusal(await server.send('POST', `${path}/${a}/steer?scope=other`), 'another scope', 404)
    expectRefusal(await server.send('POST', `${path}/${foreign}/steer`), 'no input that waits', 404)
    const elsewhere = `/api/sessions/${foreign}/queue/${a}/steer`
    expectRefusal(await server.send('POST', elsewhere), 'the input of another session', 404)
    await write(server, 'PUT', path, { runIds: [a, b] })
    // the order it has: nothing to tell of
    expect(await state()).toEqual(before)
    await busy.finish()
  })

  it('hands an input into the turn that goes on, and takes it out of the queue', async () => {
    await using busy = await startBusy(undefined, 'a', 'b')
    const { server, path, queue, model } = busy
    const [a, b] = idsOf(await queue()) as [string, string]
    const headers = { 'idempotency-key': 'steer-once' }
    const steered = await server.send('POST', `${path}/${b}/steer`, { headers })
    expect(steered.json).toMatchObject({ steered: true, run: { status: 'running' } })
    expect((await server.send('POST', `${path}/${b}/steer`, { headers })).json).toEqual(steered.json)
    expectRefusal(await server.send('POST', `${path}/${b}/steer`), 'steered already', 404)
    expect(idsOf(await queue())).toEqual([a])
    expect(await read(server, `/api/runs/${b}`)).toMatchObject({
      status: 'cancelled',
      outcome: { code: 'steered', runId: (steered.json!.run as RunRecord).id },
    })
    const [first] = await busy.finish()
    const parts = (first!.json!.message as Message).parts.filter(({ type }) => type === 'data-steer')
    expect(parts).toMatchObject([{ data: { parts: [{ type: 'text', text: 'b' }] } }])
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('"b"')
    expect(await busy.said()).toEqual(['first', 'a'])
    expect(await busy.counts()).toEqual([1, 2, 1, 0].map((count) => ({ count })))
  })

  it('makes an input the next one where no turn goes on', async () => {
    await using server = await startApp()
    const { id: sessionId } = await addSession(server)
    const add = async (text: string) => {
      const input = { message: { id: `msg_${text}`, parts: [{ type: 'text', text }] } }
      return (await server.store.createRun({ scope: 'default', sessionId, kind: 'turn', input })).id
    }
    const [a, b, c] = [await add('a'), await add('b'), await add('c')]
    const path = `/api/sessions/${sessionId}/queue`
    const moved = await write<object>(server, 'POST', `${path}/${c}/steer`, {})
    expect(moved).toMatchObject({ steered: false, run: { id: c, status: 'queued' } })
    expect(idsOf((await read<{ items: RunRecord[] }>(server, path)).items)).toEqual([c, a, b])
    expect(await server.store.listInbox(sessionId)).toEqual([])
  })

  it('does not show turns that begin by themselves, nor tasks', async () => {
    await using server = await startApp()
    const { id: sessionId } = await addSession(server)
    const message = { id: 'msg_x', parts: [] }
    const run = { scope: 'default', sessionId }
    await server.store.createRun({ ...run, kind: 'turn', input: { message, isWake: true } })
    await server.store.createRun({ ...run, kind: 'background', input: { message } })
    const path = `/api/sessions/${sessionId}/queue`
    expect(await read(server, path)).toEqual({ items: [], nextCursor: null })
    await write(server, 'PUT', path, { runIds: [] })
  })

  it.each(anyDatabase)(
    'loses no input and says none twice when turns end while it is steered, on %s',
    async (_name, open) => {
      await using database = await open()
      for (let round = 0; round < 8; round++) {
        await using busy = await startBusy(database, 'a', 'b')
        const [a] = idsOf(await busy.queue()) as [string]
        const ending = busy.finish()
        await new Promise((resolve) => setTimeout(resolve, round * 2))
        const { status } = await busy.server.send('POST', `${busy.path}/${a}/steer`)
        expect([200, 404]).toContain(status)
        await ending
        await expect.poll(async () => (await busy.server.store.listOpenRuns(busy.id)).length).toBe(0)
        const { items } = await read<{ items: Message[] }>(busy.server, `/api/sessions/${busy.id}/messages`)
        const spoken = [
          ...(await busy.said()),
          ...items.flatMap(({ parts }) =>
            parts.flatMap(({ type, data }) => (type === 'data-steer' ? messageText(data as Message) : [])),
          ),
        ]
        expect(spoken.toSorted(), `round ${round}`).toEqual(['a', 'b', 'first'])
      }
    },
  )
})

const fork = (server: AppServer, id: string, body: object) =>
  write<Session>(server, 'POST', `/api/sessions/${id}/fork`, body)

const logOf = async (server: AppServer, id: string) =>
  (await read<{ items: Message[] }>(server, `/api/sessions/${id}/messages`)).items

describe('a variant', () => {
  it('keeps the log before a message, with the ids it had, or nothing at all', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one', 'two', 'three')
    const before = await logOf(server, id)
    const edited = await fork(server, id, { messageId: messageIds[2], before: true, variant: true })
    expect(edited).toMatchObject({
      family: id,
      forkedFrom: { sessionId: id, messageId: messageIds[2], before: true },
      messageCount: 2,
    })
    expect(await logOf(server, edited.id)).toEqual(before.slice(0, 2))
    const empty = await fork(server, id, { messageId: messageIds[0], before: true, variant: true })
    expect(empty).toMatchObject({ family: id, messageCount: 0 })
    expect(await logOf(server, empty.id)).toEqual([])
    expect((await say(server, empty.id, 'another beginning')).status).toBe(200)
    const whole = await fork(server, id, { messageId: messageIds[2] })
    expect(whole).toMatchObject({ forkedFrom: { sessionId: id, messageId: messageIds[2] }, messageCount: 3 })
    expect(whole).not.toHaveProperty('family')
    expect(whole.forkedFrom).not.toHaveProperty('before')
    expect(await logOf(server, id)).toEqual(before)
  })

  it('stands for its family in lists while it is the one that changed last', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const { id: alone } = await addSession(server)
    const variant = await fork(server, id, { messageId: messageIds[0], variant: true })
    const second = await fork(server, variant.id, { messageId: messageIds[0], variant: true })
    expect(second.family).toBe(id)
    const ids = async (query = '') => (await listed(server, query)).map((session) => session.id)
    expect(await ids()).toEqual([second.id, alone])
    expect(await ids('variants=newest')).toEqual([second.id, alone])
    expect(await ids('variants=all')).toEqual([second.id, variant.id, alone, id])
    await say(server, id, 'back to the first')
    expect(await ids()).toEqual([id, alone])
    expect(await ids('q=first')).toEqual([id])
    await server.send('DELETE', `/api/sessions/${id}`)
    expect(await ids()).toEqual([second.id, alone])
  })

  it('is found with all its siblings, oldest first, whichever of them is gone', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one', 'two')
    const original = await read<Session>(server, `/api/sessions/${id}`)
    const variants = async (of: string) =>
      (await read<{ items: { sessionId: string }[] }>(server, `/api/sessions/${of}/variants`)).items
    const { title, createdAt, updatedAt } = original
    expect(await variants(id)).toEqual([{ sessionId: id, title, createdAt, updatedAt }])
    const forked = { messageId: messageIds[1], before: true, variant: true, title: 'edited' }
    const first = await fork(server, id, forked)
    const second = await fork(server, first.id, { messageId: messageIds[0], variant: true })
    expect(await variants(first.id)).toEqual([
      { sessionId: id, title, createdAt, updatedAt },
      {
        sessionId: first.id,
        title: 'edited',
        forkedFrom: { sessionId: id, messageId: messageIds[1], before: true },
        createdAt: first.createdAt,
        updatedAt: first.updatedAt,
      },
      expect.objectContaining({ sessionId: second.id }),
    ])
    expect((await server.send('DELETE', `/api/sessions/${id}`)).status).toBe(204)
    const rest = [first.id, second.id]
    expect((await variants(second.id)).map(({ sessionId }) => sessionId)).toEqual(rest)
    expect(await logOf(server, first.id)).toHaveLength(1)
    const third = await fork(server, second.id, { messageId: messageIds[0], variant: true })
    expect(third.family).toBe(id)
    expect(await variants(third.id)).toHaveLength(3)
    expectRefusal(
      await server.send('GET', `/api/sessions/${first.id}/variants?scope=other`),
      'elsewhere',
      404,
    )
  })

  it.each(['json', 'yaml', 'jsonl', 'markdown'])(
    'is exported and imported as %s, apart from its family',
    async (format) => {
      await using server = await startApp()
      const { id, messageIds } = await addSession(server, 'default', 'one', 'two')
      const variant = await fork(server, id, { messageId: messageIds[1], before: true, variant: true })
      const path = `/api/sessions/${variant.id}/export?format=${format}`
      const { text } = await server.send('GET', path)
      expect(text).not.toContain('family')
      await server.send('DELETE', `/api/sessions/${variant.id}`)
      const imported = await createClient({ baseUrl: server.url }).sessions.import(text)
      expect(imported).toMatchObject({ id: variant.id, forkedFrom: variant.forkedFrom })
      expect(imported).not.toHaveProperty('family')
      expect((await server.send('GET', path)).text).toBe(text)
    },
  )

  it('is told of and audited as one', async () => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const variant = await fork(server, id, { messageId: messageIds[0], before: true, variant: true })
    const event = (await server.store.listEvents('default', { after: 0, limit: 100 })).at(-1)
    expect(event).toMatchObject({
      type: 'session-created',
      sessionId: variant.id,
      data: { forkedFrom: id, family: id },
    })
    const { items } = await read<{ items: object[] }>(server, '/api/audit?action=fork')
    expect(items).toMatchObject([
      { detail: { from: id, messageId: messageIds[0], before: true, variant: true } },
    ])
  })
})

describe('the list of sessions', () => {
  it('tells those with a mode from those without', async () => {
    await using server = await startApp()
    for (const mode of ['free-chat', 'quiz', 'plan', undefined])
      await write(server, 'POST', '/api/sessions', { title: mode ?? 'plain', mode })
    const titles = async (query: string) => (await listed(server, query)).map(({ title }) => title).sort()
    expect(await titles('mode=*')).toEqual(['free-chat', 'quiz'])
    // one about plans is found where those without a mode are
    expect(await titles('mode=')).toEqual(['plain', 'plan'])
    expect(await titles('mode=plan')).toEqual(['plan'])
    expect(await titles('mode=quiz')).toEqual(['quiz'])
    expect(await titles('')).toEqual(['free-chat', 'plain', 'plan', 'quiz'])
  })

  it('has only those without a parent, and counts their children, when it is asked to', async () => {
    await using server = await startApp()
    const { id: parent } = await addSession(server)
    const { id: alone } = await addSession(server)
    for (const title of ['one', 'two'])
      await server.store.createSession({ scope: 'default', kind: 'background', title, parentId: parent })
    const brief = async (query: string) =>
      (await listed(server, query)).map((session) => [
        session.id,
        (session as { childCount?: number }).childCount,
      ])
    expect(await brief('roots=true&counts=true')).toEqual([
      [alone, 0],
      [parent, 2],
    ])
    expect(await brief('roots=true')).toEqual([
      [alone, undefined],
      [parent, undefined],
    ])
    expect(await listed(server, 'roots=false')).toHaveLength(4)
    expect(await brief(`parent=${parent}&counts=true`)).toHaveLength(2)
  })
})

describe('search', () => {
  it('leads to messages of all sessions, with the words around what was found', async () => {
    await using server = await startApp()
    const long = `${'hay '.repeat(200)}the needle\nlies here ${'hay '.repeat(200)}`
    const one = await addSession(server, 'default', 'a needle', long)
    const two = await addSession(server, 'default', '大海捞针')
    await addSession(server, 'red', 'a red needle')
    const find = async (q: string, more = '') =>
      (
        await read<{ items: { sessionId: string; seq: number; snippet: string }[] }>(
          server,
          `/api/search?q=${encodeURIComponent(q)}${more}`,
        )
      ).items
    const [newest, oldest] = await find('needle')
    expect(oldest).toEqual({
      sessionId: one.id,
      title: 'a session of default',
      messageId: one.messageIds[0],
      seq: 1,
      snippet: 'a needle',
    })
    expect(newest).toMatchObject({ sessionId: one.id, messageId: one.messageIds[1], seq: 2 })
    expect(newest!.snippet).toMatch(/^….*hay the needle lies here hay.*…$/)
    expect(newest!.snippet.length).toBeLessThan(250)
    expect(await find('捞针')).toMatchObject([{ sessionId: two.id, snippet: '大海捞针' }])
    expect(await find('needle', '&limit=1')).toHaveLength(1)
    // titles are found by the list of sessions
    expect(await find('session')).toEqual([])
    expect(await find('needle', '&scope=red')).toHaveLength(1)
    for (const query of ['', 'q=', 'q=!!', 'q=x&limit=0', 'q=x&limit=201', `q=${'x'.repeat(201)}`, 'q=x&y=1'])
      expectRefusal(await server.send('GET', `/api/search?${query}`), query, 400)
  })
})

it('the client has the same calls', async () => {
  await using busy = await startBusy(undefined, 'a', 'b')
  const client = createClient({ baseUrl: busy.server.url })
  const { sessions } = client
  const { items: waiting } = await sessions.queue.list(busy.id)
  const [a, b] = idsOf(waiting) as [string, string]
  expect(idsOf((await sessions.queue.reorder(busy.id, { runIds: [b, a] })).items)).toEqual([b, a])
  await expect(sessions.queue.reorder(busy.id, { runIds: [a] })).rejects.toMatchObject({
    code: 'conflict',
    details: { runIds: [b, a] },
  })
  expect(await sessions.queue.edit(busy.id, a, { content: 'x' })).toMatchObject({ id: a })
  expect(await sessions.queue.steer(busy.id, a)).toMatchObject({ steered: true })
  await sessions.queue.remove(busy.id, b)
  await busy.finish()
  expect(await sessions.usage(busy.id)).toMatchObject({ runs: 1, calls: 2 })
  expect(await client.usage()).toMatchObject({ totals: { calls: 2 } })
  const { items: log } = await sessions.messages(busy.id)
  const variant = await sessions.fork(busy.id, { messageId: log[0]!.id, before: true, variant: true })
  expect((await sessions.variants(variant.id)).items).toHaveLength(2)
  expect((await client.audit({ action: 'fork' })).items).toHaveLength(1)
  expect((await client.search({ q: 'first' })).items).toMatchObject([{ sessionId: busy.id, seq: 1 }])
  expect((await sessions.list({ roots: 'true', counts: 'true' })).items).toMatchObject([{ childCount: 0 }])
})

it('the library has the same calls', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const { sessions } = parley
  const { id } = await sessions.create({ title: 'library' })
  await sessions.chat(id, 'hello there')
  expect(await sessions.queue.list(id)).toEqual({ items: [], nextCursor: null })
  expect(await sessions.queue.reorder(id, { runIds: [] })).toEqual({ items: [], nextCursor: null })
  const gone = { code: 'not_found' }
  await expect(sessions.queue.edit(id, 'run_x', { content: 'x' })).rejects.toMatchObject(gone)
  await expect(sessions.queue.remove(id, 'run_x')).rejects.toMatchObject(gone)
  await expect(sessions.queue.steer(id, 'run_x')).rejects.toMatchObject(gone)
  const [first] = (await sessions.messages(id)).items
  await sessions.fork(id, { messageId: first!.id, before: true, variant: true })
  expect((await sessions.variants(id)).items).toHaveLength(2)
  expect(await sessions.usage(id)).toMatchObject({ runs: 1, window: { tokens: expect.any(Number) } })
  expect((await parley.usage()).items).toMatchObject([{ model: 'demo/parley', kind: 'turn', calls: 1 }])
  expect((await parley.audit({ session: id })).items.map(({ action }) => action)).toEqual(['create'])
  expect((await parley.search({ q: 'there' })).items[0]).toMatchObject({ sessionId: id })
  await expect(parley.search({ q: '' })).rejects.toMatchObject({ code: 'invalid_request' })
})
