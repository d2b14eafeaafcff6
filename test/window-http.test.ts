import type { Sessions } from '../src/core/chat/session-operations.ts'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import type { Memo, MemoView, Resize, WindowSettings, WindowView } from '../src/core/protocol/window.ts'
import { createScripted, says, type Script } from './chat-harness.ts'
import { databases, type TestDatabase } from './harness.ts'
import { checkEach, expectRefusal, startApp, type Answer, type AppServer } from './http/app-server.ts'

const isMemoCall = ({ cacheKey }: ModelRequest) => cacheKey?.endsWith(':memo') ?? false

/** Sums up by counting: each update adds a fact that says how often it was asked. */
function countingModel(onMemo?: Script) {
  let updates = 0
  return createScripted((request, call) => {
    if (!isMemoCall(request)) return says(`answer ${call}`)
    if (onMemo) return onMemo(request, call)
    const facts = Array.from({ length: ++updates }, (_, index) => `update ${index + 1}`)
    return says('```json\n', JSON.stringify({ facts }), '\n```')
  })
}

interface Fixture extends AsyncDisposable {
  server: AppServer
  sessions: Sessions
  id: string
  model: ReturnType<typeof createScripted>
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A session with a few turns behind it, over HTTP. */
async function startSession(
  options: { window?: WindowSettings; turns?: number; onMemo?: Script; database?: TestDatabase } = {},
): Promise<Fixture> {
  const model = countingModel(options.onMemo)
  const server = await startApp({ model, database: options.database })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create({ window: options.window })
  for (let turn = 1; turn <= (options.turns ?? 0); turn++) await sessions.chat(id, `question ${turn}`)
  return {
    server,
    sessions,
    id,
    model,
    send: (method, path, body, headers) =>
      server.send(method, `/api/sessions/${id}${path}`, { body, headers: headers ?? {} }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const asWindow = ({ status, text, json }: Answer) => {
  expect(status, text).toBe(200)
  return json as unknown as WindowView
}
const asMemo = ({ status, text, json }: Answer) => {
  expect(status, text).toBe(200)
  return json as unknown as MemoView
}

describe('the window of a session', () => {
  it('is shown with what is set, what counts, and how full it is', async () => {
    await using session = await startSession({ turns: 2, window: { limit: { messages: 10 } } })
    const view = asWindow(await session.send('GET', '/window'))
    expect(view).toMatchObject({
      settings: { limit: { messages: 10 } },
      effective: {
        mode: 'lite',
        memo: false,
        maxChars: 400_000,
        maxMessages: 10,
        maxTokens: 0,
        everyNTurns: 0,
      },
      startSeq: 1,
      messages: 4,
      turnsSinceResize: 2,
      logMessages: 4,
      resizes: [],
    })
    expect(view.chars).toBeGreaterThan(0)
    expect(view.tokens).toBeGreaterThan(0)
  })

  it('is replaced as a whole, and an empty object takes everything back', async () => {
    await using session = await startSession()
    const whole: WindowSettings = {
      mode: 'memo',
      preset: 'last-10',
      limit: { chars: 0, messages: 8, tokens: 900 },
      resize: { every_n_turns: 3, max_messages_text_length: 5, max_keep_messages_count: 6 },
      memo: {
        enabled: false,
        instruct: 'Keep numbers.',
        schema: { type: 'object', properties: { numbers: { type: 'array' } } },
        model: 'demo/parley',
        max_length: 500,
        timeout_ms: 1_000,
      },
    }
    const set = asWindow(await session.send('PUT', '/window', whole))
    expect(set.settings).toEqual(whole)
    expect(set.effective).toMatchObject({
      mode: 'memo',
      memo: false,
      maxChars: 0,
      maxMessages: 8,
      maxTokens: 900,
    })
    expect((await session.sessions.get(session.id)).window).toEqual(whole)
    const less = asWindow(await session.send('PUT', '/window', { limit: { chars: 50 } }))
    expect(less.settings).toEqual({ limit: { chars: 50 } })
    expect(less.effective).toMatchObject({ mode: 'lite', maxChars: 50, maxMessages: 400 })
    expect(asWindow(await session.send('PUT', '/window', {})).settings).toEqual({})
  })

  it.each([
    ['limit', 'chars'],
    ['limit', 'messages'],
    ['limit', 'tokens'],
    ['resize', 'every_n_turns'],
    ['resize', 'max_messages_text_length'],
    ['resize', 'max_keep_messages_count'],
    ['memo', 'max_length'],
    ['memo', 'timeout_ms'],
  ])('has no %s.%s that is negative, fractional, no number or too large', async (group, key) => {
    await using session = await startSession()
    await session.send('PUT', '/window', { limit: { chars: 77 } })
    const before = session.server.dump()
    const values = [
      '-1',
      '1.5',
      '-0.5',
      '1e10',
      '"5"',
      '""',
      '"NaN"',
      'null',
      'true',
      '[]',
      '[5]',
      '{}',
      '1e400',
    ]
    const texts = values.map((value) => `{"${group}":{"${key}":${value}}}`)
    await checkEach(texts, async (body) => {
      const headers = { 'content-type': 'application/json' }
      const { message } = expectRefusal(await session.send('PUT', '/window', body, headers), body, 400)
      expect(message, body).toContain(`${group}.${key}`)
      const created = await session.server.send('POST', '/api/sessions', {
        headers,
        body: `{"window":${body}}`,
      })
      expect(expectRefusal(created, body, 400).message).toContain(`window.${group}.${key}`)
    })
    // JSON has no word for it
    const notJson = `{"${group}":{"${key}":NaN}}`
    const answer = await session.send('PUT', '/window', notJson, { 'content-type': 'application/json' })
    expect(expectRefusal(answer, notJson, 400).message).toContain('not valid JSON')
    expect(session.server.dump()).toBe(before)
  })

  it.each([
    ['max_current_chars', 'limit.chars', 'resize.max_messages_text_length'],
    ['keep_last_messages', 'limit.messages', 'resize.max_keep_messages_count'],
  ])('refuses the old %s and names what took its place', async (key, first, second) => {
    await using session = await startSession()
    const before = session.server.dump()
    for (const value of [100, 0, null, 'x']) {
      const answer = await session.send('PUT', '/window', { resize: { [key]: value } })
      const { message } = expectRefusal(answer, `${key}: ${value}`, 400)
      for (const word of [`resize.${key}`, first, second]) expect(message).toContain(word)
    }
    expectRefusal(
      await session.server.send('POST', '/api/sessions', { body: { window: { resize: { [key]: 1 } } } }),
      `a new session with ${key}`,
      400,
    )
    expect(session.server.dump()).toBe(before)
  })

  it('refuses other modes, presets and keys, and a schema that is none of an object', async () => {
    await using session = await startSession()
    const before = session.server.dump()
    const wrong: [body: object, names: string][] = [
      [{ mode: 'full' }, 'mode'],
      [{ preset: 'last-30' }, 'preset'],
      [{ limits: { chars: 5 } }, 'limits'],
      [{ limit: { char: 5 } }, 'char'],
      [{ memo: { schema: 'object' } }, 'memo.schema'],
      [{ memo: { schema: { type: 'array' } } }, 'object'],
      [{ memo: { schema: {} } }, 'object'],
      [{ memo: { schema: { type: 'object', $ref: 'https://elsewhere.test/x' } } }, 'schema'],
      [
        { memo: { schema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } } },
        'schema',
      ],
      [{ memo: { schema: { type: 'object', properties: { a: null } } } }, 'schema'],
      [{ memo: { instruct: '' } }, 'memo.instruct'],
    ]
    await checkEach(wrong, async ([body, names]) => {
      const answer = await session.send('PUT', '/window', body)
      expect(expectRefusal(answer, JSON.stringify(body), 400).message).toContain(names)
    })
    expect(session.server.dump()).toBe(before)
    expect(session.server.bugs()).toEqual([])
  })

  it('belongs to its scope', async () => {
    await using session = await startSession({ turns: 1 })
    const before = session.server.dump()
    const tries: [method: string, path: string, body?: object][] = [
      ['GET', '/window?scope=blue'],
      ['PUT', '/window?scope=blue', { mode: 'memo' }],
      ['PUT', '/window', { scope: 'blue', mode: 'memo' }],
      ['POST', '/resize?scope=blue'],
      ['POST', '/resize', { scope: 'blue' }],
      ['GET', '/memo?scope=blue'],
      ['PUT', '/memo?scope=blue', { memo: {} }],
      ['PUT', '/memo', { scope: 'blue', memo: {} }],
      ['GET', '/memo/versions?scope=blue'],
      ['POST', '/memo/undo?scope=blue'],
      ['POST', '/memo/undo', { scope: 'blue' }],
    ]
    await checkEach(tries, async ([method, path, body]) => {
      expectRefusal(await session.send(method, path, body), `${method} ${path}`, 404)
    })
    expect(session.server.dump()).toBe(before)
  })
})

describe('a resize', () => {
  it('cuts back to the newest turn, or with lite to what fits, and is listed', async () => {
    await using session = await startSession({ turns: 4 })
    const lite = (await session.send('POST', '/resize', { type: 'lite' })).json as unknown as Resize
    expect(lite).toMatchObject({
      number: 1,
      type: 'lite',
      reason: 'force',
      outcome: 'unchanged',
      startSeq: 1,
    })
    const deep = (await session.send('POST', '/resize')).json as unknown as Resize
    expect(deep).toMatchObject({
      number: 2,
      type: 'deep',
      reason: 'force',
      severity: 1_000,
      outcome: 'resized',
      before: { messages: 8 },
      after: { messages: 2 },
      startSeq: 7,
    })
    const view = asWindow(await session.send('GET', '/window'))
    expect(view).toMatchObject({ startSeq: 7, messages: 2, logMessages: 8, turnsSinceResize: 0 })
    expect(view.resizes).toEqual([deep, lite])
    expect((await session.sessions.messages(session.id)).items).toHaveLength(8)
  })

  it('needs no body, but what there is of one is read', async () => {
    await using session = await startSession({ turns: 1 })
    const json = { 'content-type': 'application/json' }
    for (const [body, headers] of [
      [undefined, {}],
      [undefined, json],
      ['', json],
      [' \n', json],
      ['{}', json],
      ['{"type":"lite"}', json],
    ] as const)
      expect((await session.send('POST', '/resize', body, headers)).status, JSON.stringify(body)).toBe(200)
    const wrong: [body: unknown, headers: Record<string, string>, status: number][] = [
      ['{', json, 400],
      ['[]', json, 400],
      ['null', json, 400],
      ['{"type":5}', json, 400],
      ['{"type":""}', json, 400],
      ['{"kind":"lite"}', json, 400],
      ['{"type":"nightly"}', json, 400],
      ['{"type":"toString"}', json, 400],
      ['{}', {}, 415],
      ['type=lite', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ]
    const before = session.server.dump()
    await checkEach(wrong, async ([body, headers, status]) => {
      expectRefusal(await session.send('POST', '/resize', body, headers), JSON.stringify(body), status)
      if (status === 400)
        expectRefusal(
          await session.send('POST', '/memo/undo', body, headers),
          `undo ${JSON.stringify(body)}`,
          400,
        )
    })
    expect(session.server.dump()).toBe(before)
    const { message } = expectRefusal(await session.send('POST', '/resize', { type: 'nightly' }), 'type', 400)
    expect(message).toMatch(/"nightly".*lite, deep/)
  })

  it('of a session without messages is refused', async () => {
    await using session = await startSession({ window: { mode: 'memo' } })
    const before = session.server.dump()
    const { message } = expectRefusal(await session.send('POST', '/resize'), 'an empty session', 400)
    expect(message).toContain('no messages')
    expect(session.server.dump()).toBe(before)
    expect(session.model.requests).toEqual([])
  })

  it('has the memo take in everything first', async () => {
    await using session = await startSession({ turns: 3, window: { mode: 'memo' } })
    const resize = (await session.send('POST', '/resize')).json as unknown as Resize
    expect(resize).toMatchObject({
      outcome: 'resized',
      memoVersion: 1,
      startSeq: 5,
      usage: { inputTokens: 10 },
    })
    const asked = session.model.requests.filter(isMemoCall)
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked[0]!.messages)).toContain('question 3')
    expect(asMemo(await session.send('GET', '/memo'))).toMatchObject({
      version: 1,
      memo: { facts: ['update 1'] },
      author: 'model',
      model: 'scripted/test',
      throughSeq: 6,
      fromSeq: 1,
      toSeq: 6,
      waiting: 0,
      diff: [{ key: 'facts', after: ['update 1'] }],
    })
  })

  it('that fails because the model does changes nothing, and says so without being a bug', async () => {
    const faults: [name: string, onMemo: Script][] = [
      ['an answer that is no JSON', () => says('I would rather not.')],
      ['an answer against the schema', () => says('{"facts":"one"}')],
      ['a provider that is down', () => [new ModelFault('overloaded', 'The provider is overloaded.')]],
      ['a wrong key', () => [new ModelFault('auth', 'The provider refused the key.')]],
    ]
    await checkEach(faults, async ([name, onMemo]) => {
      await using session = await startSession({ turns: 3, window: { mode: 'memo' }, onMemo })
      // an answer that is of no use was paid for all the same
      const columns = ['calls', 'input_tokens', 'output_tokens'].map((column) => `sessions.usage_${column}`)
      const dump = () => session.server.dump({ without: ['usage_days', ...columns] })
      const before = dump()
      const answer = await session.send('POST', '/resize')
      expect([502, 503], `${name} → ${answer.text}`).toContain(answer.status)
      expect((answer.json!.error as { message: string }).message, name).toMatch(/memo|model|provider/i)
      expect(dump(), name).toBe(before)
      expect(session.server.bugs(), name).toEqual([])
    })
  })
})

describe('a memo', () => {
  const facts = (...texts: string[]): Memo => ({ facts: texts })

  it('is empty at first, is written, pinned, and read in every version', async () => {
    await using session = await startSession({ turns: 1 })
    expect(asMemo(await session.send('GET', '/memo'))).toMatchObject({
      version: 0,
      memo: {},
      pinned: [],
      diff: [],
    })
    const written = asMemo(await session.send('PUT', '/memo', { memo: facts('a'), baseVersion: 0 }))
    expect(written).toMatchObject({
      version: 1,
      memo: facts('a'),
      author: 'user',
      sizeBefore: 0,
      sizeAfter: 15,
    })
    expect((written.schema as { type: string }).type).toBe('object')
    const pinned = asMemo(await session.send('PUT', '/memo', { pinned: ['facts'] }))
    expect(pinned).toMatchObject({ version: 2, memo: facts('a'), pinned: ['facts'], diff: [] })
    const changed = asMemo(await session.send('PUT', '/memo', { memo: { ...facts('a', 'b'), tasks: ['t'] } }))
    expect(changed).toMatchObject({ version: 3, pinned: ['facts'] })
    expect(changed.diff).toEqual([
      { key: 'facts', before: ['a'], after: ['a', 'b'] },
      { key: 'tasks', after: ['t'] },
    ])
    expect(asMemo(await session.send('GET', '/memo?version=1')).memo).toEqual(facts('a'))
    expect(asMemo(await session.send('GET', '/memo?version=0')).memo).toEqual({})
    for (const version of ['4', '999999999999999'])
      expectRefusal(await session.send('GET', `/memo?version=${version}`), version, 404)
    for (const version of ['-1', '1.5', '', 'x', '1e3', '9999999999999999'])
      expectRefusal(await session.send('GET', `/memo?version=${version}`), version, 400)
  })

  it('lists its versions in pages, newest first', async () => {
    await using session = await startSession()
    for (let count = 1; count <= 5; count++)
      await session.send('PUT', '/memo', { memo: facts(String(count)) })
    const first = (await session.send('GET', '/memo/versions?limit=2')).json!
    const second = (await session.send('GET', `/memo/versions?limit=2&cursor=${String(first.nextCursor)}`))
      .json!
    const third = (await session.send('GET', `/memo/versions?limit=2&cursor=${String(second.nextCursor)}`))
      .json!
    const versions = [first, second, third].map(({ items }) =>
      (items as MemoView[]).map(({ version }) => version),
    )
    expect(versions).toEqual([[5, 4], [3, 2], [1]])
    expect(third.nextCursor).toBeNull()
    expect((await session.send('GET', '/memo/versions')).json!.items).toHaveLength(5)
    for (const query of ['limit=0', 'limit=-1', 'limit=x', 'limit=201', 'cursor=x', 'cursor=', 'page=2'])
      expectRefusal(await session.send('GET', `/memo/versions?${query}`), query, 400)
  })

  it('that does not keep to its schema or size is refused, and nothing changes', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name'],
      additionalProperties: false,
    }
    await using session = await startSession({ window: { memo: { schema, max_length: 100 } } })
    await session.send('PUT', '/memo', { memo: { name: 'Ada' } })
    const before = session.server.dump()
    const wrong: [memo: unknown, names: string][] = [
      [{ name: 5 }, 'name'],
      [{ name: 'Ada', age: 1.5 }, 'age'],
      [{ age: 36 }, 'name'],
      [{ name: 'Ada', facts: [] }, 'facts'],
      [{}, 'name'],
      [{ name: 'x'.repeat(100) }, 'memo.max_length'],
      [[], 'memo'],
      [null, 'memo'],
      ['name', 'memo'],
    ]
    await checkEach(wrong, async ([memo, names]) => {
      const answer = await session.send('PUT', '/memo', { memo })
      expect(expectRefusal(answer, JSON.stringify(memo), 400).message).toContain(names)
    })
    expectRefusal(await session.send('PUT', '/memo', {}), 'neither memo nor pinned', 400)
    expectRefusal(await session.send('PUT', '/memo'), 'no body', 400)
    expect(session.server.dump()).toBe(before)
  })

  it('is not overwritten by an edit of an older version', async () => {
    await using session = await startSession()
    await session.send('PUT', '/memo', { memo: facts('a') })
    await session.send('PUT', '/memo', { memo: facts('b') })
    const before = session.server.dump()
    for (const baseVersion of [0, 1, 3, 1_000]) {
      const answer = await session.send('PUT', '/memo', { memo: facts('c'), baseVersion })
      expect(expectRefusal(answer, `base ${baseVersion}`, 409).code).toBe('conflict')
    }
    expect(session.server.dump()).toBe(before)
    const edits = await Promise.all(
      Array.from({ length: 10 }, () => session.send('PUT', '/memo', { memo: facts('c'), baseVersion: 2 })),
    )
    expect(edits.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  })

  it('goes back to the version before or to any other, and forward again', async () => {
    await using session = await startSession()
    for (const text of ['a', 'b', 'c']) await session.send('PUT', '/memo', { memo: facts(text) })
    expect(asMemo(await session.send('POST', '/memo/undo'))).toMatchObject({
      version: 4,
      author: 'undo',
      memo: facts('b'),
    })
    expect(asMemo(await session.send('POST', '/memo/undo', { version: 1 })).memo).toEqual(facts('a'))
    expect(asMemo(await session.send('POST', '/memo/undo', { version: 3 })).memo).toEqual(facts('c'))
    expect(asMemo(await session.send('POST', '/memo/undo', { version: 0 }))).toMatchObject({
      version: 7,
      memo: {},
    })
    const before = session.server.dump()
    expectRefusal(await session.send('POST', '/memo/undo', { version: 8 }), 'a version to come', 404)
    for (const version of [-1, 1.5, '1', null, true, []])
      expectRefusal(await session.send('POST', '/memo/undo', { version }), JSON.stringify(version), 400)
    expect(session.server.dump()).toBe(before)
  })

  it('that is not there cannot be undone', async () => {
    await using session = await startSession({ turns: 1 })
    const before = session.server.dump()
    expectRefusal(await session.send('POST', '/memo/undo'), 'no memo', 400)
    expectRefusal(await session.send('POST', '/memo/undo', { version: 1 }), 'no such version', [400, 404])
    expect(session.server.dump()).toBe(before)
  })

  it('takes in again what an undo took back', async () => {
    await using session = await startSession({ turns: 2, window: { mode: 'memo' } })
    await session.send('POST', '/resize')
    const undone = asMemo(await session.send('POST', '/memo/undo'))
    expect(undone).toMatchObject({ version: 2, memo: {}, throughSeq: 0, waiting: 2 })
    await session.send('POST', '/resize')
    expect(asMemo(await session.send('GET', '/memo'))).toMatchObject({
      version: 3,
      throughSeq: 4,
      waiting: 0,
    })
  })

  it('keeps pinned keys when the model updates it', async () => {
    await using session = await startSession({ turns: 2, window: { mode: 'memo' } })
    await session.send('PUT', '/memo', { memo: facts('mine'), pinned: ['facts', 'tasks'] })
    expect((await session.send('POST', '/resize')).status).toBe(200)
    expect(asMemo(await session.send('GET', '/memo'))).toMatchObject({ author: 'model', memo: facts('mine') })
  })
})

describe.each(databases)('an Idempotency-Key on %s', (_name, openDatabase) => {
  it('makes one change of many requests, and gives the first answer whatever happened since', async () => {
    await using database = await openDatabase()
    await using session = await startSession({ turns: 1, database })
    const keyed = (method: string, path: string, key: string, body?: object) =>
      session.send(method, path, body, {
        'idempotency-key': key,
        ...(body && { 'content-type': 'application/json' }),
      })
    const requests: [method: string, path: string, key: string, body?: object][] = [
      ['PUT', '/window', 'window', { limit: { chars: 900 } }],
      ['PUT', '/memo', 'memo', { memo: { facts: ['a'] } }],
      ['POST', '/memo/undo', 'undo'],
      ['POST', '/memo/undo', 'undo-to', { version: 1 }],
    ]
    const firsts: string[] = []
    for (const request of requests) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => keyed(...request)))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, request[2]).toBe(1)
      expect(answers[0]!.status, answers[0]!.text).toBe(200)
      firsts.push(answers[0]!.text)
    }
    expect((await session.sessions.memoVersions(session.id)).items).toHaveLength(3)
    await session.send('PUT', '/window', {})
    await session.send('PUT', '/memo', { memo: {} })
    for (const [index, request] of requests.entries()) {
      expect((await keyed(...request)).text, request[2]).toBe(firsts[index])
      const other = await keyed('PUT', '/memo', request[2], { memo: { facts: ['another'] } })
      expect(expectRefusal(other, request[2], 422).code).toBe('idempotency_mismatch')
    }
    expect((await session.sessions.memoVersions(session.id)).items).toHaveLength(4)
    expect((await session.sessions.window(session.id)).settings).toEqual({})
  })

  it('is not used up by a request that was refused', async () => {
    await using database = await openDatabase()
    await using session = await startSession({ database })
    const put = (memo: unknown) =>
      session.send('PUT', '/memo', { memo }, { 'idempotency-key': 'k', 'content-type': 'application/json' })
    expectRefusal(await put({ facts: 'one' }), 'against the schema', 400)
    expect(asMemo(await put({ facts: ['one'] })).version).toBe(1)
  })

  it('does not make requests wait for each other when many come at once', async () => {
    await using database = await openDatabase()
    await using session = await startSession({ turns: 1, database })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, count) =>
        session.send(
          'PUT',
          '/window',
          { limit: { chars: count } },
          {
            'idempotency-key': `window-${count}`,
            'content-type': 'application/json',
          },
        ),
      ),
    )
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
  })

  it('answers the window as the request left it', async () => {
    await using database = await openDatabase()
    await using session = await startSession({ turns: 1, database })
    await session.server.store.stopResizes(session.id, 'two resizes in a row did nothing')
    expect(asWindow(await session.send('GET', '/window')).stopped).toContain('in a row')
    const headers = { 'idempotency-key': 'again', 'content-type': 'application/json' }
    const view = asWindow(await session.send('PUT', '/window', { limit: { chars: 900 } }, headers))
    expect(view.stopped).toBeUndefined()
    expect(asWindow(await session.send('GET', '/window')).stopped).toBeUndefined()
  })
})
