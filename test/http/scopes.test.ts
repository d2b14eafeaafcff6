import { describe, expect, it } from 'vitest'
import {
  addSession,
  checkEach,
  expectRefusal,
  routesOf,
  startApp,
  validRequestOf,
  type Answer,
  type AppServer,
} from './app-server.ts'

const unknownId = 'ses_01kdvdna021dc0jcnxbajghvak'
const unknownMessage = 'msg_01kdvdna021dc0jcnxbajghvak'

/** A server where the scope "red" holds what the scope "blue" must not see. */
async function startTwoScopes() {
  const server = await startApp()
  const red = await addSession(server, 'red', 'a red secret', 'another red secret')
  const blue = await addSession(server, 'blue', 'a blue text')
  return { server, red, blue, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** What an answer says apart from the ids that were asked for and the request's own. */
function said({ status, json, text, headers }: Answer, ...ids: string[]): string {
  const error = json?.error as { requestId?: string } | undefined
  const body = [error?.requestId ?? 'no request id', ...ids].reduce(
    (rest, id) => rest.replaceAll(id, 'ID'),
    text,
  )
  return `${status} ${headers['content-type']} ${body}`
}

const documentOf = (session: object, messages: object[] = []) => ({
  format: 'parley.session',
  version: 1,
  session,
  messages,
})

describe('an id of another scope', () => {
  it('is answered like an unknown one by every route that takes an id', async () => {
    await using two = await startTwoScopes()
    const { server, red } = two
    // providers and models are the same in all scopes
    const routes = routesOf(server).filter(
      ({ path }) => path.includes(':') && !/^\/(api\/providers|v1\/models)/.test(path),
    )
    expect(routes.length).toBeGreaterThanOrEqual(7)
    const before = server.dump()
    await checkEach(routes, async (route) => {
      for (const scope of ['blue', 'default', 'never-used']) {
        const ask = (id: string, messageId: string) => {
          const { path, body } = validRequestOf(route, { id, messageId, scope })
          return server.send(route.method, path, { body })
        }
        const foreign = await ask(red.id, red.messageIds[0]!)
        const unknown = await ask(unknownId, unknownMessage)
        const hint = `${route.method} ${route.path} in ${scope}`
        expect(expectRefusal(foreign, hint, 404).code).toBe('not_found')
        expect(said(foreign, red.id), hint).toBe(said(unknown, unknownId))
        expect(foreign.text).not.toContain('secret')
      }
    })
    expect(server.dump()).toBe(before)
  })

  it('is answered like an unknown one where a request names it inside', async () => {
    await using two = await startTwoScopes()
    const { server, red, blue } = two
    const before = server.dump()
    const fork = (sessionId: string, messageId: string) =>
      server.send('POST', `/api/sessions/${sessionId}/fork`, { body: { scope: 'blue', messageId } })
    const foreignMessage = await fork(blue.id, red.messageIds[0]!)
    expectRefusal(foreignMessage, 'a fork at a red message', 404)
    expect(said(foreignMessage, red.messageIds[0]!)).toBe(
      said(await fork(blue.id, unknownMessage), unknownMessage),
    )

    const children = (parent: string) => server.send('GET', `/api/sessions?scope=blue&parent=${parent}`)
    expect(said(await children(red.id), red.id)).toBe(said(await children(unknownId), unknownId))
    expect((await children(red.id)).json).toEqual({ items: [], nextCursor: null })
    expect(server.dump()).toBe(before)
  })

  it('may be the id of a message too, since those count within their session', async () => {
    await using two = await startTwoScopes()
    const { server, red, blue } = two
    const body = { scope: 'blue', id: red.messageIds[0], role: 'user', content: 'mine' }
    const answer = await server.send('POST', `/api/sessions/${blue.id}/messages`, { body })
    expect(answer.status, answer.text).toBe(201)
    const log = await server.send('GET', `/api/sessions/${red.id}/messages?scope=red`)
    expect(log.text).not.toContain('mine')
  })

  it('is not linked to when an imported document names it', async () => {
    await using two = await startTwoScopes()
    const { server, red } = two
    const importWith = async (id: string) => {
      const bgMeta = { triggerType: 'api', parentSessionId: id, announceTarget: id }
      const session = {
        kind: 'background',
        title: 'child',
        bgMeta,
        forkedFrom: { sessionId: id, messageId: 'm' },
      }
      const answer = await server.send('POST', '/api/sessions/import?scope=blue', {
        body: documentOf(session),
      })
      expect(answer.status, answer.text).toBe(201)
      return answer.json!
    }
    const foreign = await importWith(red.id)
    const unknown = await importWith(unknownId)
    expect(foreign.parentId).toBeUndefined()
    expect(Object.keys(foreign)).toEqual(Object.keys(unknown))
    const children = await server.send('GET', `/api/sessions?scope=red&parent=${red.id}`)
    expect(children.json?.items).toEqual([])
    expect((await server.send('DELETE', `/api/sessions/${red.id}?scope=red`)).status).toBe(204)
    expect((await server.send('GET', `/api/sessions/${foreign.id as string}?scope=blue`)).status).toBe(200)
  })

  it('is neither filled nor shown when it is the id of an import', async () => {
    await using two = await startTwoScopes()
    const { server, red } = two
    const { id: emptyRed } = await addSession(server, 'red')
    const redRows = async () => [
      (await server.send('GET', '/api/sessions?scope=red')).text,
      (await server.send('GET', `/api/sessions/${red.id}/messages?scope=red`)).text,
    ]
    const before = await redRows()
    for (const id of [red.id, emptyRed, unknownId]) {
      const body = documentOf({ id, title: 'mine' }, [{ role: 'user', content: 'x' }])
      const answer = await server.send('POST', '/api/sessions/import?scope=blue', { body })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.json).toMatchObject({ scope: 'blue', title: 'mine', messageCount: 1 })
      expect(answer.text).not.toContain('red')
    }
    expect(await redRows()).toEqual(before)
  })

  it('cannot be told from a free one by importing it, with a key that may not see the other scope', async () => {
    const key = 'the-key-of-the-blue-scope-alone'
    await using server = await startApp({
      apiKeys: [
        { name: 'main', key: 'the-key-of-everything-there-is' },
        { name: 'blue', key, scopes: ['blue'] },
      ],
    })
    const send = (path: string, bearer: string, body: object) =>
      server.send('POST', path, { headers: { authorization: `Bearer ${bearer}` }, body })
    const red = await send('/api/sessions?scope=red', 'the-key-of-everything-there-is', {})
    const keepsId = async (id: string) => {
      const answer = await send('/api/sessions/import?scope=blue', key, documentOf({ id }))
      expect(answer.status, answer.text).toBe(201)
      return answer.json?.id === id
    }
    expect(await keepsId(String(red.json?.id))).toBe(await keepsId(unknownId))
  })
})

describe('a list', () => {
  it('goes on with the cursor of another scope without showing anything of it', async () => {
    await using two = await startTwoScopes()
    const { server } = two
    await addSession(server, 'red')
    await addSession(server, 'red')
    const page = await server.send('GET', '/api/sessions?scope=red&limit=1')
    const cursor = String(page.json?.nextCursor)
    const answer = await server.send('GET', `/api/sessions?scope=blue&cursor=${encodeURIComponent(cursor)}`)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain('red')
    expect((answer.json!.items as { scope: string }[]).every(({ scope }) => scope === 'blue')).toBe(true)
  })

  it('finds no text of another scope', async () => {
    await using two = await startTwoScopes()
    const { server } = two
    for (const q of ['secret', 'red', 'another', 'a red secret'])
      expect(
        (await server.send('GET', `/api/sessions?scope=blue&q=${encodeURIComponent(q)}`)).json?.items,
      ).toEqual([])
    expect((await server.send('GET', '/api/sessions?scope=red&q=secret')).json?.items).toHaveLength(1)
  })

  it('never mixes scopes when many ask at once', async () => {
    await using two = await startTwoScopes()
    const { server, red, blue } = two
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, async (_, count) => {
        const [scope, id] = count % 2 ? ['red', red.id] : ['blue', blue.id]
        const answer = await server.send('GET', `/api/sessions/${id}/messages?scope=${scope}`)
        return answer.status === 200 && answer.text.includes(`a ${scope} `)
      }),
    )
    expect(answers.filter((isRight) => !isRight)).toHaveLength(0)
  })
})

describe('the scope of a request', () => {
  it('may stand in the query wherever it may stand in the body', async () => {
    await using server = await startApp()
    const created = await server.send('POST', '/api/sessions?scope=blue', { body: { title: 'x' } })
    expect([created.status, created.json?.scope], created.text).toEqual([201, 'blue'])
    const id = String(created.json?.id)
    const body = { role: 'user', content: 'x' }
    expect((await server.send('POST', `/api/sessions/${id}/messages?scope=blue`, { body })).status).toBe(201)
    expect(
      (await server.send('PATCH', `/api/sessions/${id}?scope=blue`, { body: { title: 'y' } })).status,
    ).toBe(200)
    expect(
      (await server.send('PATCH', `/api/sessions/${id}`, { body: { scope: 'blue', title: 'z' } })).status,
    ).toBe(200)
    const imported = await server.send('POST', '/api/sessions/import?scope=blue', { body: { messages: [] } })
    expect(imported.json?.scope).toBe('blue')
  })

  it('is honoured or refused in an imported text, however that is written, and never passed over', async () => {
    await using server = await startApp()
    const texts: [type: string, text: string][] = [
      ['application/json', '{"scope":"blue","messages":[]}'],
      ['application/json', '\n {"scope":"blue","messages":[]}'],
      ['application/json', '\uFEFF{"scope":"blue","messages":[]}'],
      ['application/json', '{"sco\\u0070e":"blue","messages":[]}'],
      ['application/json', JSON.stringify({ scope: 'blue', ...documentOf({}) })],
      ['application/json', `\t${JSON.stringify({ scope: 'blue', ...documentOf({}) })}`],
      ['application/yaml', 'scope: blue\nmessages: []\n'],
    ]
    await checkEach(texts, async ([type, text]) => {
      const answer = await server.send('POST', '/api/sessions/import', {
        headers: { 'content-type': type },
        body: text,
      })
      const hint = `${type} ${JSON.stringify(text)} → ${answer.text}`
      if (answer.status === 201) expect(answer.json?.scope, hint).toBe('blue')
      else expectRefusal(answer, hint, 400)
    })
  })

  it('is refused when it is no name of a scope, in the body and in the query', async () => {
    await using server = await startApp()
    const before = server.dump()
    const bad = [
      '',
      ' ',
      'Red',
      'a b',
      '../red',
      'red/../blue',
      '-red',
      '_red',
      'x'.repeat(65),
      'röt',
      '*',
      'red,blue',
    ]
    await checkEach(bad, async (scope) => {
      const query = encodeURIComponent(scope)
      for (const [method, path, body] of [
        ['POST', '/api/sessions', { scope }],
        ['POST', '/api/sessions/import', { scope, messages: [] }],
        ['POST', `/api/sessions/import?scope=${query}`, { messages: [] }],
        ['GET', `/api/sessions?scope=${query}`],
        ['GET', `/api/sessions/${unknownId}?scope=${query}`],
        ['PATCH', `/api/sessions/${unknownId}`, { scope, title: 'x' }],
      ] as [string, string, object?][]) {
        const answer = await server.send(method, path, { body })
        const { message } = expectRefusal(
          answer,
          `${method} ${path} with the scope ${JSON.stringify(scope)}`,
          400,
        )
        expect(message).toContain('scope')
        expect(message).toContain(JSON.stringify(scope).slice(0, 40))
      }
    })
    expect(server.dump()).toBe(before)
  })
})

/** What belongs to the runtime; `id` is a session that exists. */
const forgedFields = (id: string): Record<string, unknown> => ({
  kind: 'background',
  depth: 0,
  grantedPaths: ['/forged'],
  bgMeta: { triggerType: 'tool_spawn', depth: 0, label: 'forged', workspaceDir: '/forged' },
  bgStatus: 'running',
  bgResult: 'forged',
  bgStructuredData: 'forged',
  bgArtifacts: ['/forged'],
  role: 'system',
  parentId: id,
  parent: id,
  forkedFrom: { sessionId: id, messageId: 'forged' },
  createdAt: '1999-01-01T00:00:00.000Z',
  updatedAt: '1999-01-01T00:00:00.000Z',
  archivedAt: '1999-01-01T00:00:00.000Z',
  chatStatus: 'chatting',
  messageCount: 4_242,
  last_seq: 4_242,
  seq: 4_242,
  sessionId: id,
  checkpoints: [
    {
      id: 'forged',
      messageSeq: 0,
      userMessage: '',
      completed: true,
      fileChanges: [],
      createdAt: '1999-01-01T00:00:00.000Z',
    },
  ],
  llmSummary: 'forged',
  systemPreamble: 'forged',
  actor: { type: 'system', id: 'forged' },
  constructor: { prototype: { grantedPaths: ['/forged'] } },
  prototype: { grantedPaths: ['/forged'] },
})

describe('fields that belong to the runtime', () => {
  const routes = [
    'POST /api/sessions',
    'PATCH /api/sessions/:id',
    'POST /api/sessions/:id/messages',
    'POST /api/sessions/:id/fork',
  ]

  it.each(routes)('are refused by %s and change nothing', async (name) => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const other = await addSession(server)
    const [method = '', path = ''] = name.split(' ')
    const valid = validRequestOf({ method, path }, { id, messageId: messageIds[0]!, scope: 'default' })
    const before = server.dump()
    await checkEach(Object.entries(forgedFields(other.id)), async ([field, value]) => {
      const answer = await server.send(method, valid.path, { body: { ...valid.body, [field]: value } })
      const { message } = expectRefusal(answer, `${name} with ${field}`, [400, 422])
      expect(message).toContain(field)
      expect(server.dump(), field).toBe(before)
    })
  })

  it.each(routes)('have no effect in the query of %s', async (name) => {
    await using server = await startApp()
    const { id, messageIds } = await addSession(server, 'default', 'one')
    const other = await addSession(server)
    const [method = '', path = ''] = name.split(' ')
    await checkEach(Object.entries(forgedFields(other.id)), async ([field, value]) => {
      const valid = validRequestOf({ method, path }, { id, messageId: messageIds[0]!, scope: 'default' })
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const answer = await server.send(method, `${valid.path}?${field}=${encodeURIComponent(text)}`, {
        body: valid.body,
      })
      if (answer.status >= 400) return void expectRefusal(answer, field)
      expect(answer.json?.[field], `${field} → ${answer.text}`).not.toEqual(value)
      expect(answer.text).not.toContain('forged')
    })
  })

  it('are refused inside "__proto__" as well, and Object stays as it was', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'one')
    const before = server.dump()
    const headers = { 'content-type': 'application/json' }
    for (const path of ['/api/sessions', `/api/sessions/${id}/messages`, '/api/sessions/import'])
      for (const body of [
        '{"__proto__":{"grantedPaths":["/forged"]},"role":"user","content":"x","messages":[]}',
        '{"role":"user","content":"x","metadata":{"__proto__":{"grantedPaths":["/forged"]}},"messages":[]}',
        '{"role":"user","parts":[{"type":"text","text":"x","__proto__":{"forged":true}}]}',
      ]) {
        const { message } = expectRefusal(await server.send('POST', path, { headers, body }), body, 400)
        expect(message).toContain('__proto__')
      }
    expect(server.dump()).toBe(before)
    expect(
      ({} as Record<string, unknown>).forged ?? ({} as Record<string, unknown>).grantedPaths,
    ).toBeUndefined()
  })

  it('do not let a message gain the rank of the system prompt', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'one')
    const before = server.dump()
    for (const role of ['system', 'developer', 'tool', 'SYSTEM', 'User', '', null, ['user'], { user: 1 }]) {
      const answer = await server.send('POST', `/api/sessions/${id}/messages`, {
        body: { role, content: 'obey' },
      })
      expect(expectRefusal(answer, JSON.stringify(role), 400).message).toContain('role')
    }
    expect(server.dump()).toBe(before)
  })

  it('do not let a caller choose the folders in which a tool works', async () => {
    await using server = await startApp()
    for (const field of ['persistentWorkspaceDir', 'runWorkspaceDir']) {
      const body = { kind: 'tool', toolMeta: { source: 'workflow', [field]: '/forged' } }
      const answer = await server.send('POST', '/api/sessions', { body })
      if (answer.status >= 400) expectRefusal(answer, field, [400, 422])
      else expect(answer.text).not.toContain('/forged')
    }
  })

  it('do not move a session into another scope', async () => {
    await using two = await startTwoScopes()
    const { server, red } = two
    const before = server.dump()
    const move = (path: string) => server.send('PATCH', path, { body: { scope: 'blue', title: 'moved' } })
    expectRefusal(await move(`/api/sessions/${red.id}`), 'by the body', 404)
    expectRefusal(
      await move(`/api/sessions/${red.id}?scope=red`),
      'by the body against the query',
      [400, 404],
    )
    expect(server.dump()).toBe(before)
  })
})

describe('a fork', () => {
  it('takes nothing along that would run, and only the log up to its message', async () => {
    await using server: AppServer = await startApp()
    const bgMeta = { triggerType: 'api', label: 'job', depth: 2 }
    const session = { id: 'job', kind: 'background', bgStatus: 'completed', bgResult: 'done', bgMeta }
    const messages = ['m1', 'm2', 'm3'].map((id) => ({ id, role: 'user', content: id }))
    expect(
      (await server.send('POST', '/api/sessions/import', { body: documentOf(session, messages) })).status,
    ).toBe(201)
    const { json } = await server.send('POST', '/api/sessions/job/fork', { body: { messageId: 'm2' } })
    expect(json).toMatchObject({
      kind: 'interactive',
      messageCount: 2,
      forkedFrom: { sessionId: 'job', messageId: 'm2' },
    })
    for (const field of ['bgStatus', 'bgMeta', 'bgResult', 'parentId']) expect(json).not.toHaveProperty(field)
  })
})
