import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/index.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { TaskResult } from '../src/core/protocol/background.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { databases, temporaryFolder } from './harness.ts'
import { expectRefusal, startApp, type AppServer, type AppServerOptions } from './http/app-server.ts'

const hands = (output: string, more: object = {}) => calls(['set_result', { output, ...more }])
const promptOf = ({ messages }: ModelRequest) => JSON.stringify(messages)

/** Hands in "done"; waits for ever where the prompt says "wait". */
const model = () =>
  createScripted((request) => [
    ...(promptOf(request).includes('wait') ? [new Promise<never>(() => {})] : []),
    ...hands('done'),
  ])

const startTasks = (options: AppServerOptions = {}) =>
  startApp({ clock: systemClock, model: model(), background: {}, ...options })

async function start(server: AppServer, body: object = {}): Promise<{ session: Session; runId: string }> {
  const answer = await server.send('POST', '/api/sessions', {
    body: { kind: 'background', prompt: 'work', ...body },
  })
  expect(answer.status, answer.text).toBe(201)
  return { session: answer.json as unknown as Session, runId: String(answer.headers['x-parley-run']) }
}

const resultOf = (server: AppServer, id: string) => server.send('GET', `/api/sessions/${id}/result`)
const statusOf = async (server: AppServer, id: string) =>
  (await server.send('GET', `/api/sessions/${id}`)).json?.bgStatus

async function untilOver(server: AppServer, id: string): Promise<TaskResult> {
  return vi.waitFor(
    async () => {
      const answer = await resultOf(server, id)
      expect(answer.status, answer.text).toBe(200)
      return answer.json as unknown as TaskResult
    },
    { timeout: 200_000, interval: 20 },
  )
}

const untilRunning = async (server: AppServer, id: string) => {
  await expect.poll(() => statusOf(server, id)).toBe('running')
}

const stop = (server: AppServer, id: string) => server.send('POST', `/api/sessions/${id}/stop`)

describe('a background session over HTTP', () => {
  it('tells what it was asked for, so that one like it can be started', async () => {
    await using server = await startTasks()
    const asked = {
      systemInstructions: 'Be brief.',
      context: { step: 1 },
      expectedOutput: 'A word',
      timeoutMs: 90_000,
      budget: { tokens: 1_000, seconds: 30 },
    }
    const { session, runId } = await start(server, asked)
    const { json } = await server.send('GET', `/api/runs/${runId}`)
    expect(json).toMatchObject({ input: { task: { asked } } })
    // what counts, not what was asked for
    expect(session.bgMeta?.timeoutMs).toBe(30_000)
    await untilOver(server, session.id)
  })

  it('is started by its prompt, has no result until it is over, and then the one that was handed in', async () => {
    await using server = await startTasks()
    const { session, runId } = await start(server, { prompt: 'wait', label: 'Wait' })
    expect(session).toMatchObject({
      kind: 'background',
      title: 'Wait',
      bgMeta: { triggerType: 'api', label: 'Wait', timeoutMs: 600_000, depth: 0 },
    })
    expect((await server.send('GET', `/api/runs/${runId}`)).json).toMatchObject({
      sessionId: session.id,
      kind: 'background',
    })
    await untilRunning(server, session.id)
    const { message, details } = expectRefusal(await resultOf(server, session.id), 'while it runs', 409)
    expect([message, details]).toEqual([expect.stringContaining('running'), { bgStatus: 'running' }])

    const quick = await start(server, { context: { a: 1 }, expectedOutput: 'one word', title: 'Quick' })
    expect(quick.session.title).toBe('Quick')
    expect(await untilOver(server, quick.session.id)).toMatchObject({
      taskId: quick.session.id,
      runId: quick.runId,
      status: 'success',
      output: 'done',
      source: 'tool',
      degraded: false,
    })
    const { json } = await server.send('GET', `/api/sessions/${quick.session.id}`)
    expect(json).toMatchObject({ bgStatus: 'completed', bgResult: 'done', bgResultSource: 'tool' })
    const stream = await server.send('GET', `/api/sessions/${quick.session.id}/observe`)
    expect(stream.text).toContain('set_result')
    expect(server.bugs()).toEqual([])
  })

  it('has an audit row of who started it, and events of its start and its end', async () => {
    await using server = await startTasks({ apiKeys: [{ name: 'ci', key: 'k'.repeat(20) }] })
    const headers = { authorization: `Bearer ${'k'.repeat(20)}` }
    const body = { kind: 'background', prompt: 'work', label: 'audited' }
    const { json } = await server.send('POST', '/api/sessions', { headers, body })
    const id = String(json?.id)
    await expect.poll(async () => (await server.store.getSession('default', id))?.bgStatus).toBe('completed')
    const { items } = await server.store.listAudit('default', { limit: 10 })
    expect(items.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['background.completed', 'bg-session'],
      ['create', 'ci'],
    ])
    const events = await server.store.listEvents('default', { after: 0, limit: 10 })
    expect(events.map(({ seq, type, sessionId }) => [seq, type, sessionId])).toEqual([
      [1, 'bg:session.created', id],
      [2, 'bg:session.started', id],
      [3, 'bg:session.completed', id],
    ])
    expect(events[2]!.data).toMatchObject({ label: 'audited', status: 'success', degraded: false })
  })

  it('keeps to the schema that was asked for', async () => {
    const structured = createScripted(() => calls(['set_result', { city: 'Rome', people: 3 }]))
    await using server = await startTasks({ model: structured })
    const outputSchema = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'number' } },
      required: ['city', 'people'],
    }
    const { session } = await start(server, { outputSchema })
    expect(await untilOver(server, session.id)).toMatchObject({
      status: 'success',
      output: 'Rome',
      structuredData: { city: 'Rome', people: 3 },
    })
  })

  it('is a failure when nothing was said, and degraded when its words were all there is', async () => {
    const silent = createScripted((request) =>
      promptOf(request).includes('mumble') ? says('some words') : [new Error('no model today')],
    )
    await using server = await startTasks({ model: silent })
    const spoke = await start(server, { prompt: 'mumble' })
    expect(await untilOver(server, spoke.session.id)).toMatchObject({
      status: 'partial',
      output: 'some words',
      source: 'extracted',
      degraded: true,
    })
    const failed = await start(server, { prompt: 'fail' })
    expect(await untilOver(server, failed.session.id)).toMatchObject({
      status: 'failed',
      output: '',
      source: 'none',
      degraded: true,
    })
    expect(await statusOf(server, failed.session.id)).toBe('failed')
  })

  it('ends as a timeout when its time is over', async () => {
    await using server = await startTasks()
    const { session } = await start(server, { prompt: 'wait', timeoutMs: 1_000 })
    expect(await untilOver(server, session.id)).toMatchObject({ status: 'timeout', degraded: true })
    const events = await server.store.listEvents('default', { after: 0, limit: 10 })
    expect(events.at(-1)!.type).toBe('bg:session.timeout')
  })

  it('is listed by kind, status and parent, and its runs by session', async () => {
    await using server = await startTasks()
    const parent = String((await server.send('POST', '/api/sessions', { body: {} })).json?.id)
    const child = await start(server, { prompt: 'wait', parentSessionId: parent })
    const done = await start(server)
    await untilOver(server, done.session.id)
    await untilRunning(server, child.session.id)
    const list = async (query: string) =>
      ((await server.send('GET', `/api/sessions?${query}`)).json!.items as Session[]).map(({ id }) => id)
    expect((await list('kind=background')).sort()).toEqual([child.session.id, done.session.id].sort())
    expect(await list('kind=background&bgStatus=completed')).toEqual([done.session.id])
    expect(await list(`parent=${parent}`)).toEqual([child.session.id])
    const runs = await server.send('GET', `/api/runs?session=${done.session.id}&status=completed`)
    expect(runs.json?.items).toMatchObject([{ id: done.runId }])
  })
})

describe('a refused background session', () => {
  it('is refused with what is wrong, and leaves nothing behind', async () => {
    await using server = await startTasks()
    const parent = String((await server.send('POST', '/api/sessions', { body: {} })).json?.id)
    const foreign = String((await server.send('POST', '/api/sessions', { body: { scope: 'red' } })).json?.id)
    const before = server.dump()
    const cases: [body: object, status: number, names: string][] = [
      [{ kind: 'background' }, 400, 'prompt'],
      [{ kind: 'background', prompt: '' }, 400, 'prompt'],
      [{ kind: 'background', prompt: 3 }, 400, 'prompt'],
      [{ prompt: 'work' }, 400, '"background"'],
      [{ kind: 'tool', prompt: 'work' }, 400, '"background"'],
      [{ kind: 'BACKGROUND', prompt: 'work' }, 400, 'kind'],
      [{ kind: 'background', prompt: 'work', bgStatus: 'completed' }, 400, 'bgStatus'],
      [{ kind: 'background', prompt: 'work', depth: -1 }, 400, 'depth'],
      [{ kind: 'background', prompt: 'work', permissionMode: 'bypassPermissions' }, 400, 'permissionMode'],
      [{ kind: 'background', prompt: 'work', context: '{"a":1}' }, 400, 'context'],
      [{ kind: 'background', prompt: 'work', context: [] }, 400, 'context'],
      [{ kind: 'background', prompt: 'work', timeoutMs: 0 }, 400, 'timeoutMs'],
      [{ kind: 'background', prompt: 'work', timeoutMs: 31 * 24 * 3_600_000 }, 400, 'timeoutMs'],
      [{ kind: 'background', prompt: 'work', outputSchema: { type: 'array' } }, 400, 'object'],
      [{ kind: 'background', prompt: 'work', outputSchema: { type: 'nonsense' } }, 400, 'chema'],
      [{ kind: 'background', prompt: 'work', budget: { cost: 1 } }, 400, 'prices'],
      [{ kind: 'background', prompt: 'work', budget: { tokens: 0 } }, 400, 'budget'],
      [{ kind: 'background', prompt: 'work', parentSessionId: 'unknown' }, 404, 'unknown'],
      [{ kind: 'background', prompt: 'work', parentSessionId: foreign }, 404, foreign],
      [{ kind: 'background', prompt: 'work', announceTarget: foreign }, 404, foreign],
      [{ kind: 'background', scope: 'red', prompt: 'work', parentSessionId: parent }, 404, parent],
    ]
    for (const [body, status, names] of cases) {
      const answer = await server.send('POST', '/api/sessions', { body })
      const { message } = expectRefusal(answer, JSON.stringify(body), status)
      expect(message, JSON.stringify(body)).toContain(names)
    }
    expect(server.dump()).toBe(before)
  })

  it('is one over a limit: 429, and a place when another has ended', async () => {
    await using server = await startTasks({ background: { maxGlobal: 2 } })
    const [first] = [await start(server, { prompt: 'wait' }), await start(server, { prompt: 'wait' })]
    const over = await server.send('POST', '/api/sessions', { body: { kind: 'background', prompt: 'x' } })
    expect(expectRefusal(over, 'the third', 429).message).toContain('background.maxGlobal')
    await stop(server, first.session.id)
    await untilOver(server, first.session.id)
    await start(server)
  })
})

describe.each(databases)('the same request twice on %s', (_name, openDatabase) => {
  it('starts one run of 20 at once, and all of them hear of it', async () => {
    await using database = await openDatabase()
    await using server = await startTasks({ database })
    const body = { kind: 'background', prompt: 'work' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.send('POST', '/api/sessions', { headers: { 'idempotency-key': 'once' }, body }),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers['x-parley-run'])).size).toBe(1)
    await untilOver(server, String(answers[0]!.json?.id))
    expect((await server.send('GET', '/api/runs')).json?.items).toHaveLength(1)
  })
})

describe('stopping', () => {
  it('cancels a task that runs, one that waits for a place, and says the same when said twice', async () => {
    await using server = await startTasks({ background: { maxGlobal: 1, overLimit: 'queue' } })
    const running = await start(server, { prompt: 'wait' })
    await untilRunning(server, running.session.id)
    const queued = await start(server)
    const stopped = await stop(server, queued.session.id)
    expect(stopped.json).toMatchObject({ stopped: { id: queued.runId, status: 'cancelled' } })
    expect(await untilOver(server, queued.session.id)).toMatchObject({ status: 'cancelled' })
    expect((await stop(server, running.session.id)).json).toMatchObject({ stopped: { id: running.runId } })
    expect(await untilOver(server, running.session.id)).toMatchObject({ status: 'cancelled' })
    for (const { session } of [queued, running]) {
      const again = await stop(server, session.id)
      expect([again.status, again.json]).toEqual([200, { stopped: null, tasks: [] }])
    }
    const types = (await server.store.listEvents('default', { after: 0, limit: 20 })).map(({ type }) => type)
    expect(types.filter((type) => type === 'bg:session.cancelled')).toHaveLength(2)
  })

  it('takes the tasks of any session along, and what they started, but not those that are detached', async () => {
    await using server = await startTasks()
    const chat = String((await server.send('POST', '/api/sessions', { body: {} })).json?.id)
    const child = await start(server, { prompt: 'wait', parentSessionId: chat })
    const grandchild = await start(server, { prompt: 'wait', parentSessionId: child.session.id })
    const detached = await start(server, { prompt: 'wait', parentSessionId: chat, detached: true })
    for (const { session } of [child, grandchild, detached]) await untilRunning(server, session.id)
    const answer = await stop(server, chat)
    expect(answer).toMatchObject({
      status: 200,
      json: { stopped: null, tasks: [{ taskId: child.session.id }, { taskId: grandchild.session.id }] },
    })
    for (const { session } of [child, grandchild])
      expect(await untilOver(server, session.id)).toMatchObject({ status: 'cancelled' })
    expect(await statusOf(server, detached.session.id)).toBe('running')
    await stop(server, detached.session.id)
  })

  it('leaves the result of a task alone that is over and was talked to again', async () => {
    await using server = await startTasks()
    const { session } = await start(server)
    await untilOver(server, session.id)
    const path = `/api/sessions/${session.id}/chat`
    const chat = server.send('POST', path, { body: { content: 'wait' } })
    await expect.poll(async () => (await server.store.listOpenRuns(session.id))[0]?.status).toBe('running')
    expect((await stop(server, session.id)).json).toMatchObject({ stopped: { kind: 'turn' } })
    await chat
    expect(await untilOver(server, session.id)).toMatchObject({ status: 'success', output: 'done' })
    expect(await statusOf(server, session.id)).toBe('completed')
  })
})

describe('a result', () => {
  it('is refused for what has none, and read from the record of an imported session', async () => {
    await using server = await startTasks()
    const chat = String((await server.send('POST', '/api/sessions', { body: {} })).json?.id)
    expect(expectRefusal(await resultOf(server, chat), 'a chat', 409).message).toContain('interactive')
    expectRefusal(await resultOf(server, 'unknown'), 'unknown', 404)
    const imported = async (session: object) => {
      const body = {
        format: 'parley.session',
        version: 1,
        session: { kind: 'background', ...session },
        messages: [],
      }
      return String((await server.send('POST', '/api/sessions/import', { body })).json?.id)
    }
    const bgMeta = { triggerType: 'api', label: 'from elsewhere' }
    const whole = await imported({
      bgStatus: 'completed',
      bgResult: 'kept',
      bgStructuredData: '{"a":1}',
      bgResultSource: 'tool',
      bgDegraded: false,
      bgMeta,
    })
    expect((await resultOf(server, whole)).json).toMatchObject({
      status: 'success',
      output: 'kept',
      structuredData: { a: 1 },
      label: 'from elsewhere',
      source: 'tool',
      degraded: false,
    })
    const broken = await imported({ bgStatus: 'running', bgStructuredData: 'no {json' })
    expect((await resultOf(server, broken)).json).toMatchObject({
      status: 'interrupted',
      structuredData: 'no {json',
      source: 'none',
      degraded: true,
    })
  })

  it('reaches the session that started it, which is woken where that was asked for', async () => {
    const talkative = createScripted((request) =>
      promptOf(request).includes('report') ? says('I have heard.') : hands('the report'),
    )
    await using server = await startTasks({ model: talkative })
    const chat = String((await server.send('POST', '/api/sessions', { body: {} })).json?.id)
    await start(server, { announceTarget: chat, wake: true })
    await expect
      .poll(async () => (await server.send('GET', `/api/sessions/${chat}/messages`)).text)
      .toContain('the report')
  })
})

describe('in the process and over the client', () => {
  it('lists what is not over below a session, however deep and detached or not', async () => {
    using folder = temporaryFolder()
    await using server = await startTasks()
    await using parley = await createParley({
      dataDir: folder.path,
      models: { model: 'extra/test', extra: { extra: () => model() } },
      shutdownMs: 0,
    })
    for (const { sessions } of [createClient({ baseUrl: server.url }), parley]) {
      const { id } = await sessions.create({ title: 'parent' })
      expect(await sessions.tasks(id)).toEqual({ items: [], nextCursor: null })
      const below = (parentSessionId: string, more: object = {}) =>
        sessions.create({ kind: 'background', prompt: 'wait', parentSessionId, ...more })
      const child = await below(id, { label: 'first' })
      const grandchild = await below(child.id)
      const detached = await below(id, { detached: true })
      const over = await below(id, { prompt: 'work' })
      await vi.waitFor(() => sessions.result(over.id), { timeout: 200_000 })
      for (const task of [child, grandchild, detached])
        await expect.poll(async () => (await sessions.get(task.id)).bgStatus).toBe('running')
      const { items } = await sessions.tasks(id)
      expect(items.map(({ taskId }) => taskId)).toEqual([child.id, grandchild.id, detached.id])
      expect(items[0]).toEqual({
        taskId: child.id,
        label: 'first',
        kind: 'background',
        status: 'running',
        runId: expect.stringMatching(/^run_/),
      })
      expect((await sessions.tasks(child.id)).items).toMatchObject([{ taskId: grandchild.id }])
      await sessions.stop(id)
      await expect.poll(() => sessions.tasks(id)).toMatchObject({ items: [{ taskId: detached.id }] })

      await expect(sessions.tasks('ses_gone')).rejects.toMatchObject({ code: 'not_found' })
      await expect(sessions.tasks(id, { scope: 'red' })).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('shows what waits for the next turn, and what all tasks used', async () => {
    using folder = temporaryFolder()
    await using server = await startTasks()
    await using parley = await createParley({
      dataDir: folder.path,
      models: { model: 'extra/test', extra: { extra: () => model() } },
    })
    for (const { sessions } of [createClient({ baseUrl: server.url }), parley]) {
      const { id } = await sessions.create({ title: 'parent' })
      expect(await sessions.inbox(id)).toEqual({ items: [], nextCursor: null })
      const below = { kind: 'background', prompt: 'work', parentSessionId: id } as const
      const task = await sessions.create(below)
      await vi.waitFor(() => sessions.result(task.id), { timeout: 200_000 })
      expect(await sessions.inbox(id)).toMatchObject({
        items: [{ kind: 'task-result', result: { taskId: task.id, output: 'done' }, wake: false }],
      })
      expect(await sessions.usage(id, { tasks: true })).toMatchObject({
        calls: 0,
        withTasks: { sessions: 2, calls: 1, inputTokens: 10 },
      })
      const waits = await sessions.create({ ...below, prompt: 'wait', label: 'slow' })
      expect(await sessions.stop(id)).toMatchObject({
        stopped: null,
        tasks: [{ taskId: waits.id, label: 'slow', kind: 'background' }],
      })
      await expect(sessions.inbox('unknown')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('is the same calls', async () => {
    using folder = temporaryFolder()
    await using server = await startTasks()
    await using parley = await createParley({
      dataDir: folder.path,
      models: { model: 'extra/test', extra: { extra: () => model() } },
    })
    for (const { sessions } of [createClient({ baseUrl: server.url }), parley]) {
      const session = await sessions.create({ kind: 'background', prompt: 'wait', label: 'same' })
      expect(session).toMatchObject({ kind: 'background', bgStatus: 'pending', title: 'same' })
      await expect(sessions.result(session.id)).rejects.toMatchObject({ code: 'conflict' })
      expect(await sessions.stop(session.id)).toMatchObject({ stopped: { kind: 'background' } })
      const result = await vi.waitFor(() => sessions.result(session.id), { timeout: 200_000 })
      expect(result).toMatchObject({ status: 'cancelled', source: 'none' })
      expect(await sessions.stop(session.id)).toEqual({ stopped: null, tasks: [] })
      await expect(sessions.result('unknown')).rejects.toMatchObject({ code: 'not_found' })
      await expect(sessions.create({ kind: 'background' } as never)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('prompt'),
      })
      const done = await sessions.create({ kind: 'background', prompt: 'work' })
      expect(await vi.waitFor(() => sessions.result(done.id), { timeout: 200_000 })).toMatchObject({
        status: 'success',
      })
    }
  })
})
