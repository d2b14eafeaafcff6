import { createConnection } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { appendMessageSchema } from '../../src/core/protocol/message.ts'
import { joinFacets } from '../../src/core/protocol/joined-facets.ts'
import { forkSessionSchema, sessionListQuerySchema } from '../../src/core/protocol/session.ts'
import { putMemoSchema, putWindowSchema } from '../../src/core/protocol/window.ts'
import { builtInSlices } from '../built-in.ts'
import { cpuMsOf } from '../cpu-time.ts'
import { databases, temporaryFolder } from '../harness.ts'
import {
  addSession,
  checkEach,
  expectRefusal,
  onlyOnce,
  rawRequest,
  routesOf,
  speaksMcp,
  startApp,
  startProcess,
  validRequestOf,
  type AppServer,
  type AppServerOptions,
  type SendOptions,
  listed,
} from './app-server.ts'
import { someOf } from '../runner/tier.ts'

interface Case extends SendOptions {
  method: string
  path: string
  /** What the message must hold: the value, or the place where it stands. */
  names?: string
  /** Default: any 4xx. */
  status?: number | number[]
}

interface Fixture extends AsyncDisposable {
  server: AppServer
  id: string
  messageId: string
}

async function startFilled(options?: AppServerOptions): Promise<Fixture> {
  const server = await startApp(options)
  const { id, messageIds } = await addSession(server, 'default', 'one', 'two')
  // the search index is behind by design; here it catches up, so that later searches change nothing
  await server.send('GET', '/api/sessions?q=one')
  return { server, id, messageId: messageIds[0]!, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Each is refused as it should be, nothing changes, nothing unexpected is logged, and the server goes on. */
async function expectAllRefused({ server }: Fixture, cases: Case[]): Promise<void> {
  let before = server.dump()
  await checkEach(cases, async ({ method, path, names, status, ...options }) => {
    const answer = await server.send(method, path, options)
    const hint = `${method} ${path.slice(0, 120)} ${describeSent(options)}`
    const after = server.dump()
    const hasChanged = after !== before
    before = after
    const { message } = expectRefusal(answer, hint, status)
    if (names !== undefined) expect(message, hint).toContain(names)
    if (hasChanged) expect.fail(`${hint} changed something`)
  })
  expect(server.bugs()).toEqual([])
  expect((await server.send('GET', '/healthz')).status).toBe(200)
}

const describeSent = ({ headers, body }: SendOptions) =>
  `${headers ? JSON.stringify(headers).slice(0, 120) : ''} ${(body instanceof Uint8Array ? body.toString() : (JSON.stringify(body) ?? '')).slice(0, 120)}`

const jsonType = { 'content-type': 'application/json' }

/** The routes that take a body, with a body that each accepts. */
function writes({ server, id, messageId }: Fixture) {
  return (
    routesOf(server)
      // an input that waits is there for a moment only; chat-http.test.ts has its own cases
      .filter(({ method, path }) => ['POST', 'PATCH', 'PUT'].includes(method) && !path.includes('/queue/'))
      // its body is a file of any kind, not JSON; test/imports has its own cases
      .filter(({ path }) => path !== '/api/sessions/import-file')
      .flatMap((route) => {
        const { path, body } = validRequestOf(route, { id, messageId, scope: 'default' })
        return body ? [{ name: `${route.method} ${route.path}`, method: route.method, path, body }] : []
      })
  )
}

const isRepeatable = ({ name }: { name: string }) => !onlyOnce.includes(name)

const malformed = [
  ...listed`
  {   }   [   ]   {]   [}   [[[[   {"a"   {"a"}   {"a":   {"a":}   {"a":1   {:1}   {"a" 1}
  {"a":1,}   {,"a":1}   {"a":1 "b":2}   {"a":1,,"b":2}   {"a":1;"b":2}   [1,]   [,1]   [1,,2]   [1 2]
  {'a':1}   {a:1}   {1:1}   {null:1}   {["a"]:1}   {"a":'b'}   {"a":(1)}   {"a":undefined}
  {"a":NaN}   {"a":Infinity}   {"a":-Infinity}   {"a":+1}   {"a":01}   {"a":-01}   {"a":1.}
  {"a":.5}   {"a":-.5}   {"a":1e}   {"a":1e+}   {"a":1E-}   {"a":0x1F}   {"a":1_000}   {"a":1n}
  {"a":--1}   {"a":- 1}   {"a":1a}   {"a":tru}   {"a":True}   {"a":nul}   {"a":fals}   {"a":nulll}
  {"a":"b}   {"a":"\x41"}   {"a":"\u12"}   {"a":"\u12G4"}   {"a":"\"}   {"a":"\'"}
  {"a":"\ud800\u"}   "unclosed   {"a":"b"   {"a":[1,2}   {"a":1}}   {"a":1}]   {"a":1}{"b":2}
  {"a":1} x   {"a":1}//c   {/*c*/"a":1}   <html></html>   <?xml version="1.0"?>   title=x
  undefined   nan   ''   {"title":"x"}garbage   {"title"="x"}   [object Object]   \u007b}
`,
  '{"a":`b`}',
  '{"a":"b\n"}',
  '{"a":"b\t"}',
  '{"a":"b\u0001"}',
  '{"a":"b\u0000"}',
  '# c\n{}',
  '{"a":1}\u0000',
  '--b\r\n',
  '\u00a0{}',
  '\u2028{}',
  '\f{}',
  '\uFEFF\uFEFF{}',
  '{"a":\uFEFF1}',
]

describe('JSON that is none', () => {
  it(`is refused in ${malformed.length} forms, with what is wrong with it`, async () => {
    expect(malformed.length).toBeGreaterThanOrEqual(60)
    await using filled = await startFilled()
    const target = { method: 'POST', path: '/api/sessions', headers: jsonType, status: 400, names: 'JSON' }
    await expectAllRefused(
      filled,
      malformed.map((body) => ({ ...target, body })),
    )
  })

  it('is refused by every route that takes a body', async () => {
    await using filled = await startFilled()
    const texts = listed`
      {   {"a":1,}   {"a":NaN}   <html></html>   title=x   {"a":"b   [1,2   nul
    `
    const cases = writes(filled).flatMap(({ method, path }, turn) =>
      someOf(texts, turn).map((body) => ({
        method,
        path,
        headers: jsonType,
        body,
        status: 400,
        names: 'JSON',
      })),
    )
    await expectAllRefused(filled, cases)
  })

  it('is refused when it is not UTF-8', async () => {
    await using filled = await startFilled()
    const broken = [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xed, 0xb0, 0x80],
      [0xc0, 0xaf],
      [0xe2, 0x82],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0x80],
    ]
    const gzip = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    const utf16 = Buffer.from('\uFEFF{"title":"x"}', 'utf16le')
    const cases = writes(filled).flatMap(({ method, path, body }, turn) =>
      someOf(
        [
          ...broken.map((bytes) =>
            Buffer.concat([Buffer.from('{"title":"x'), Uint8Array.from(bytes), Buffer.from('"}')]),
          ),
          Buffer.concat([Buffer.from(JSON.stringify(body)), Uint8Array.of(0xff)]),
          gzip,
          utf16,
        ],
        turn,
      ).map((bytes) => ({ method, path, headers: jsonType, body: bytes, status: 400, names: 'UTF-8' })),
    )
    await expectAllRefused(filled, cases)
  })
})

describe('a body that is not there or not an object', () => {
  it('is refused by every route that takes one when it is missing or empty', async () => {
    await using filled = await startFilled()
    const cases = writes(filled).flatMap(({ method, path }, turn) =>
      someOf<Case>(
        [
          { method, path },
          { method, path, headers: jsonType },
          { method, path, headers: { ...jsonType, 'content-length': '0' } },
          { method, path, headers: jsonType, body: '' },
          { method, path, headers: jsonType, body: '', chunked: true },
          { method, path, headers: jsonType, body: ' \r\n\t ' },
          { method, path, body: '' },
        ],
        turn,
      ),
    )
    await expectAllRefused(
      filled,
      cases.map((one) => ({ ...one, status: [400, 415] })),
    )
  })

  it('is refused by every route that takes one when it is an array or a single value', async () => {
    await using filled = await startFilled()
    const values = listed`
      null   true   false   0   -1   1.5   1e5   ""   "text"   []   [null]   [[]]   [{}]   [[{}]]
    `
    const cases = writes(filled).flatMap(({ name, method, path, body }, turn) =>
      someOf([...values, JSON.stringify([body])], turn)
        // an import may be a list of messages
        .filter((text) => !(name === 'POST /api/sessions/import' && text === '[]'))
        .map((text) => ({ method, path, headers: jsonType, body: text, status: 400 })),
    )
    await expectAllRefused(filled, cases)
  })

  it('does no harm where no body belongs', async () => {
    await using filled = await startFilled()
    const { server } = filled
    const before = server.dump()
    const routes = routesOf(server).filter(
      (route) => (route.method === 'GET' || route.method === 'DELETE') && !speaksMcp(route),
    )
    const bodies = ['', '[]', 'null', '{', '{"scope":"red"}', '[1,2', '"x"']
    const cases = routes.map((route, turn) => ({ route, some: someOf(bodies, turn) }))
    await checkEach(cases, async ({ route, some }) => {
      for (const body of some) {
        const { path } = validRequestOf(route, { id: 'unknown', messageId: 'unknown', scope: 'default' })
        const answer = await server.send(route.method, path, { headers: jsonType, body })
        expect(answer.status, `${route.method} ${path} with ${body}`).toBeLessThan(500)
        if (answer.status >= 400) expectRefusal(answer, `${route.method} ${path} with ${body}`)
      }
    })
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })
})

/** Values that a field of each type must not have. */
const wrongFor = {
  text: [0, 1, -1, 1.5, true, false, null, [], ['x'], {}, { text: 'x' }],
  filledText: ['', 0, true, null, [], ['x'], {}],
  name: ['', 'a b', '../x', '.', '-x', 'x/y', 'x\\y', 'é', 'x'.repeat(129), 0, true, null, [], {}],
  names: [
    'x',
    0,
    true,
    {},
    { 0: 'x' },
    [0],
    [null],
    [''],
    [['x']],
    [{}],
    ['x'.repeat(201)],
    Array.from({ length: 1_001 }, () => 'x'),
  ],
  choice: ['', 'x', 'Default', 'default ', 0, true, null, [], ['default'], {}, '__proto__', 'constructor'],
  yesNo: ['true', 'false', 0, 1, null, [], {}, ''],
  object: ['x', 0, true, [], [{}], null, ''],
  rules: [
    'x',
    0,
    true,
    {},
    [0],
    [null],
    [{}],
    [{ tool: 'x' }],
    [{ tool: '', decision: 'allow' }],
    [{ tool: 'x', decision: 'maybe' }],
    [{ tool: 'x', decision: 'allow', extra: 1 }],
    Array.from({ length: 501 }, () => ({ tool: 'x', decision: 'allow' })),
  ],
  switches: ['x', 0, true, [], [{}], '', { nothing: true }, { web: 'on' }, { web: null }],
  toolMeta: [
    'x',
    0,
    [],
    null,
    {},
    { source: '' },
    { source: 0 },
    { source: 'x', extra: 1 },
    { source: 'x', label: 'a\nb' },
  ],
  parts: [
    'x',
    0,
    {},
    null,
    ['x'],
    [null],
    [[]],
    [{}],
    [{ type: 0 }],
    [{ type: '' }],
    [{ type: 'text' }],
    [{ type: 'text', text: 0 }],
    [{ type: 'reasoning' }],
    [{ type: 'file', url: 'x' }],
    [{ type: 'file', mediaType: 'x' }],
    [{ type: 'x'.repeat(201) }],
  ],
  role: ['system', 'tool', 'x', '', 0, null, [], {}, ['user'], '__proto__'],
  // null takes all of it away
  objectOrNothing: ['x', '', 0, true, [], [1], ['a']],
  count: ['1', '', -1, 1.5, 2 ** 53, true, null, [], [1], {}],
} satisfies Record<string, unknown[]>

type Kind = keyof typeof wrongFor

const createFields: Record<string, Kind> = {
  scope: 'name',
  kind: 'choice',
  title: 'text',
  instructions: 'filledText',
  parameters: 'object',
  model: 'filledText',
  mode: 'filledText',
  modeState: 'object',
  agents: 'names',
  room: 'object',
  thread: 'name',
  planId: 'name',
  window: 'object',
  toolMeta: 'toolMeta',
  allowedTools: 'names',
  allowedSkills: 'names',
  allowedMcpServerIds: 'names',
  permissionMode: 'choice',
  permissionRules: 'rules',
  toolGroups: 'switches',
}
const updateFields: Record<string, Kind> = {
  scope: 'name',
  title: 'text',
  instructions: 'filledText',
  parameters: 'objectOrNothing',
  archived: 'yesNo',
  archiveReason: 'filledText',
  agents: 'names',
  room: 'object',
  thread: 'name',
  model: 'filledText',
  planId: 'name',
  allowedTools: 'names',
  allowedSkills: 'names',
  allowedMcpServerIds: 'names',
  permissionMode: 'choice',
  permissionRules: 'rules',
  toolGroups: 'switches',
  grantedPaths: 'names',
}
const appendFields: Record<string, Kind> = {
  scope: 'name',
  id: 'filledText',
  role: 'role',
  parts: 'parts',
  content: 'text',
  metadata: 'object',
}
const windowFields: Record<string, Kind> = {
  scope: 'name',
  mode: 'choice',
  preset: 'choice',
  limit: 'object',
  resize: 'object',
  memo: 'object',
}
const memoFields: Record<string, Kind> = {
  scope: 'name',
  memo: 'object',
  pinned: 'names',
  baseVersion: 'count',
}
const forkFields: Record<string, Kind> = {
  scope: 'name',
  messageId: 'filledText',
  before: 'yesNo',
  variant: 'yesNo',
  title: 'text',
}

const { schemas } = joinFacets(builtInSlices)
const fieldsOf = (schema: z.ZodType) => Object.keys((schema as unknown as z.ZodObject).shape)

describe('a field of the wrong type', () => {
  const tables = [
    ['POST /api/sessions', createFields, fieldsOf(schemas.create)],
    ['PATCH /api/sessions/:id', updateFields, fieldsOf(schemas.patch)],
    ['POST /api/sessions/:id/messages', appendFields, Object.keys(appendMessageSchema.shape)],
    ['POST /api/sessions/:id/fork', forkFields, Object.keys(forkSessionSchema.shape)],
    ['PUT /api/sessions/:id/window', windowFields, Object.keys(putWindowSchema.shape)],
    ['PUT /api/sessions/:id/memo', memoFields, Object.keys(putMemoSchema.shape)],
  ] as const

  it.each(tables)('is refused by %s, and the message names the field', async (name, fields, keys) => {
    expect(Object.keys(fields).sort(), 'a field is missing in this test').toEqual([...keys].sort())
    await using filled = await startFilled()
    const { method, path, body } = writes(filled).find((write) => write.name === name)!
    const takesNull = name.startsWith('PATCH')
      ? [
          'model',
          'instructions',
          'planId',
          'room',
          'thread',
          'allowedTools',
          'allowedSkills',
          'allowedMcpServerIds',
          'permissionMode',
        ]
      : []
    const cases = Object.entries(fields).flatMap(([field, kind]) => {
      const { content: _, ...rest } = body as { content?: unknown }
      const base = field === 'parts' ? rest : body
      return wrongFor[kind]
        .filter((value) => !(value === null && takesNull.includes(field)))
        .map((value) => ({ method, path, body: { ...base, [field]: value }, status: 400, names: field }))
    })
    await expectAllRefused(filled, cases)
  })

  it('is refused when a message has both or neither of parts and content', async () => {
    await using filled = await startFilled()
    const target = {
      method: 'POST',
      path: `/api/sessions/${filled.id}/messages`,
      status: 400,
      names: 'parts',
    }
    const parts = [{ type: 'text', text: 'x' }]
    await expectAllRefused(filled, [
      { ...target, body: { role: 'user' } },
      { ...target, body: { role: 'user', content: 'x', parts } },
      { ...target, body: { role: 'user', content: '', parts: [] } },
    ])
  })

  it('is refused when its name is unknown, and the message names it', async () => {
    await using filled = await startFilled()
    const cases = writes(filled)
      // clients of OpenAI and Anthropic send along what other servers understand
      .filter(({ name }) => name !== 'POST /api/sessions/import' && !name.includes(' /v1/'))
      .flatMap(({ method, path, body }) =>
        ['Title', 'titel', 'toString', 'constructor', 'hasOwnProperty', '', ' ', 'ключ'].map((key) => ({
          method,
          path,
          body: { ...body, [key]: 'x' },
          status: 400,
          names: JSON.stringify(key),
        })),
      )
    await expectAllRefused(filled, cases)
  })
})

describe('text that no database or stream can carry', () => {
  const texts: [name: string, escaped: string][] = [
    ['NUL', '\\u0000'],
    ['half a pair', '\\ud800'],
    ['the other half', '\\udc00'],
    ['two halves in the wrong order', '\\udc00\\ud800'],
    ['half a pair before a letter', '\\ud83dx'],
  ]
  const places = (
    id: string,
  ): [method: string, path: string, json: (text: string) => string, names: string][] => [
    ['POST', '/api/sessions', (text) => `{"title":"a${text}b"}`, 'title'],
    ['POST', '/api/sessions', (text) => `{"model":"${text}"}`, 'model'],
    ['POST', '/api/sessions', (text) => `{"mode":"${text}"}`, 'mode'],
    ['POST', '/api/sessions', (text) => `{"allowedTools":["ok","${text}"]}`, 'allowedTools.1'],
    ['POST', '/api/sessions', (text) => `{"window":{"deep":[{"er":"${text}"}]}}`, 'window.deep.0.er'],
    ['POST', '/api/sessions', (text) => `{"${text}":1}`, 'key'],
    ['PATCH', `/api/sessions/${id}`, (text) => `{"title":"${text}"}`, 'title'],
    ['POST', `/api/sessions/${id}/messages`, (text) => `{"role":"user","content":"${text}"}`, 'content'],
    ['POST', `/api/sessions/${id}/messages`, (text) => `{"role":"user","id":"${text}","content":""}`, 'id'],
    [
      'POST',
      `/api/sessions/${id}/messages`,
      (text) => `{"role":"user","parts":[{"type":"text","text":"${text}"}]}`,
      'parts.0.text',
    ],
    [
      'POST',
      `/api/sessions/${id}/messages`,
      (text) => `{"role":"user","parts":[{"type":"data-x","data":{"a":["${text}"]}}]}`,
      'parts.0.data.a.0',
    ],
    [
      'POST',
      `/api/sessions/${id}/messages`,
      (text) => `{"role":"user","content":"","metadata":{"a${text}":1}}`,
      'metadata',
    ],
    ['POST', `/api/sessions/${id}/fork`, (text) => `{"messageId":"${text}"}`, 'messageId'],
    ['POST', '/api/sessions/import', (text) => `{"title":"${text}","messages":[]}`, 'title'],
    [
      'POST',
      '/api/sessions/import',
      (text) => `{"messages":[{"role":"user","content":"${text}"}]}`,
      'messages.0.content',
    ],
  ]

  it.each(texts)('is refused with its place: %s', async (_name, escaped) => {
    await using filled = await startFilled()
    const cases = places(filled.id).map(([method, path, json, names]) => ({
      method,
      path,
      headers: jsonType,
      body: json(escaped),
      status: 400,
      names,
    }))
    await expectAllRefused(filled, cases)
  })

  it('does not make the message long when the place has a long name', async () => {
    await using filled = await startFilled()
    const long = 'k'.repeat(100_000)
    const target = { method: 'POST', path: '/api/sessions', headers: jsonType, status: 400 }
    await expectAllRefused(filled, [
      { ...target, body: `{"${long}":"\\u0000"}`, names: 'NUL' },
      { ...target, body: `{"${long}":{"${long}":"\\ud800"}}`, names: 'surrogate' },
      { ...target, body: `{"${long}\\u0000":1}`, names: 'NUL' },
      { ...target, body: `{"${long}":{"__proto__":1}}`, names: '__proto__' },
      { ...target, body: `{"${long}":1}`, names: 'kkk' },
      { ...target, body: `{"title":${JSON.stringify(long)}}`, names: 'title' },
      {
        ...target,
        path: `/api/sessions/${filled.id}/messages`,
        body: `{"role":${JSON.stringify(long)},"content":""}`,
        names: 'role',
      },
      {
        ...target,
        path: `/api/sessions/${filled.id}/messages`,
        body: `{"role":"user","parts":[{"type":"${long}"}]}`,
        names: 'parts',
      },
      {
        ...target,
        path: '/api/sessions/import',
        body: `{"messages":[{"role":${JSON.stringify(long)}}]}`,
        names: 'role',
      },
      {
        ...target,
        path: '/api/sessions/import',
        body: `{"messages":[{"role":"user","content":"","${long}\\u0000":1}]}`,
      },
    ])
  })

  it('does not become null by way of a number that is too large', async () => {
    await using filled = await startFilled()
    const path = `/api/sessions/${filled.id}/messages`
    const bodies = ['1e999', '-1e999', `1${'0'.repeat(400)}`].map(
      (n) => `{"role":"user","content":"","metadata":{"cost":${n}}}`,
    )
    await expectAllRefused(
      filled,
      bodies.map((body) => ({ method: 'POST', path, headers: jsonType, body, status: 400, names: 'cost' })),
    )
  })

  it('is no "__proto__" key, anywhere', async () => {
    await using filled = await startFilled()
    // of two fields with one name the last counts, so that the first is in nothing that is read
    const all = writes(filled).filter(({ body }) => !('metadata' in (body as object)))
    const cases = all.flatMap(({ method, path, body }) => {
      const text = JSON.stringify(body)
      return [
        text.replace('{', '{"__proto__":{"x":1},'),
        text.replace('{', '{"__proto__":null,'),
        text.replace('{', '{"\\u005f_proto__":1,'),
        text.replace('{', '{"metadata":{"a":[{"__proto__":1}]},'),
      ].map((sent) => ({ method, path, headers: jsonType, body: sent, status: 400, names: '__proto__' }))
    })
    await expectAllRefused(filled, cases)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe('the kind of a part', () => {
  it('may be any name, also one that every object has', async () => {
    await using filled = await startFilled()
    const { server, id } = filled
    const names = listed`
      constructor   toString   valueOf   hasOwnProperty   __proto__   __defineGetter__   data-x
      tool-x
    `
    await checkEach(names, async (type) => {
      const answer = await server.send('POST', `/api/sessions/${id}/messages`, {
        body: { role: 'user', parts: [{ type }] },
      })
      if (answer.status === 201) expect(answer.json?.parts).toEqual([{ type }])
      else expectRefusal(answer, `a part of the type ${type}`, 400)
    })
    await checkEach(names, async (type) => {
      const messages = [{ role: 'user', parts: [{ type }] }]
      const answer = await server.send('POST', '/api/sessions/import', { body: { messages } })
      if (answer.status !== 201) expectRefusal(answer, `an imported part of the type ${type}`, 400)
    })
    expect(server.bugs()).toEqual([])
  })
})

describe('text that is too long', () => {
  it('is refused with the field', async () => {
    await using filled = await startFilled()
    const { id } = filled
    const message = (body: object): Case => ({
      method: 'POST',
      path: `/api/sessions/${id}/messages`,
      body: { role: 'user', content: '', ...body },
    })
    const session = (body: object): Case => ({ method: 'POST', path: '/api/sessions', body })
    const cases: [Case, string][] = [
      [session({ title: 'x'.repeat(501) }), 'title'],
      [session({ title: 'x'.repeat(1_000_000) }), 'title'],
      [session({ title: 'line\nbreak' }), 'title'],
      [session({ title: 'bell\u0007' }), 'title'],
      [session({ model: 'x'.repeat(201) }), 'model'],
      [session({ mode: 'x'.repeat(101) }), 'mode'],
      [session({ planId: 'x'.repeat(129) }), 'planId'],
      [session({ scope: 'x'.repeat(65) }), 'scope'],
      [session({ allowedTools: Array.from({ length: 1_001 }, () => 'x') }), 'allowedTools'],
      [message({ id: 'x'.repeat(201) }), 'id'],
      [
        message({ content: undefined, parts: Array.from({ length: 10_001 }, () => ({ type: 'x' })) }),
        'parts',
      ],
      [
        { method: 'POST', path: `/api/sessions/${id}/fork`, body: { messageId: 'x'.repeat(201) } },
        'messageId',
      ],
      [{ method: 'PATCH', path: `/api/sessions/${id}`, body: { title: 'x'.repeat(501) } }, 'title'],
    ]
    await expectAllRefused(
      filled,
      cases.map(([one, names]) => ({ ...one, names, status: 400 })),
    )
  })
})

describe('a body that is too large', () => {
  it('is refused by every route at one byte over the limit, with and without a Content-Length', async () => {
    const bodyBytes = 4_096
    await using filled = await startFilled({ limits: { bodyBytes } })
    const cases = writes(filled).flatMap(({ method, path, body }) => {
      const text = JSON.stringify(body)
      const over = `${text}${' '.repeat(bodyBytes + 1 - text.length)}`
      return [false, true].map((chunked) => ({
        method,
        path,
        headers: jsonType,
        body: over,
        chunked,
        status: 413,
        names: String(bodyBytes),
      }))
    })
    await expectAllRefused(filled, cases)
  })

  it('is accepted at the limit, with and without a Content-Length', async () => {
    const bodyBytes = 4_096
    await using filled = await startFilled({ limits: { bodyBytes } })
    for (const chunked of [false, true])
      for (const { name, method, path, body } of writes(filled).filter(isRepeatable)) {
        const text = JSON.stringify(body)
        const full = `${text}${' '.repeat(bodyBytes - text.length)}`
        const answer = await filled.server.send(method, path, { headers: jsonType, body: full, chunked })
        expect(answer.status, `${name} ${chunked} ${answer.text}`).toBeLessThan(300)
      }
  })

  it('is refused with 413 at 10 MB and a byte, and the next request on the connection works', async () => {
    await using filled = await startFilled()
    const body = JSON.stringify({ role: 'user', content: 'x' }).padEnd(10 * 1_024 * 1_024 + 1)
    const target = {
      method: 'POST',
      path: `/api/sessions/${filled.id}/messages`,
      headers: jsonType,
      body,
      status: 413,
    }
    await expectAllRefused(filled, [
      target,
      { ...target, chunked: true },
      target,
      { ...target, chunked: true },
    ])
  })
})

describe('a body that is hard to read', () => {
  const million = `{${Array.from({ length: 1_000_000 }, (_, count) => `"_${count.toString(36)}":1`).join(',')}}`
  const nested = (open: string, close: string, depth = 100_000) =>
    `${open.repeat(depth)}${close.repeat(depth)}`

  it('is refused when it has a million keys', async () => {
    await using filled = await startFilled()
    await expectAllRefused(filled, [
      {
        method: 'POST',
        path: '/api/sessions',
        headers: jsonType,
        body: million,
        status: 413,
        names: 'limits.jsonBytes',
      },
      {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: jsonType,
        body: million,
        status: 413,
        names: 'limits.jsonValues',
      },
    ])
  })

  it('is refused by every route when it is nested 100,000 times or once too often', async () => {
    await using filled = await startFilled()
    const cases = writes(filled).flatMap(({ name, method, path, body }, turn) => {
      const text = JSON.stringify(body).slice(0, -1)
      // a document holds its messages deeper than the request that appended them
      const tooDeep = name === 'POST /api/sessions/import' ? 80 : 64
      const bodies = [
        nested('[', ']'),
        `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
        `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`,
        `${text},"metadata":${nested('[', ']')}}`,
        `${text},"window":${nested('[', ']', tooDeep)}}`,
      ]
      return someOf(bodies, turn, bodies.length).map((sent) => ({
        method,
        path,
        headers: jsonType,
        body: sent,
        status: 400,
        names: 'nested',
      }))
    })
    await expectAllRefused(filled, cases)
  })

  it('does not hold up the server because its keys are long', async () => {
    await using filled = await startFilled()
    const long = 'k'.repeat(500_000)
    const entries = Array.from({ length: 3_000 }, (_, count) => `"${count}":"x"`).join(',')
    const refuse = (body: string) =>
      cpuMsOf(() =>
        expectAllRefused(filled, [
          { method: 'POST', path: '/api/sessions', headers: jsonType, body, status: 400 },
        ]),
      )
    // the same bytes with a long value; to read a long key again for every key within takes a thousand times as much
    const usual = await refuse(`{"long":"${long}","rest":{${entries}}}`)
    expect(await refuse(`{"${long}":{${entries}}}`)).toBeLessThan(20 * usual)
  })

  it('does not end a server with a modest heap', { timeout: 300_000 }, async () => {
    using folder = temporaryFolder()
    const env = { PARLEY_DATA_DIR: folder.path, NODE_OPTIONS: '--max-old-space-size=1024' }
    await using server = await startProcess({ env })
    const tenMegabytes = 10_000_000
    const zeros = '0,'.repeat(tenMegabytes / 2 - 100)
    const bodies: [path: string, body: string][] = [
      ['/v1/chat/completions', `{"messages":[${zeros}0]}`],
      ['/api/sessions', `{"allowedTools":[${zeros}0]}`],
      ['/api/sessions', `{"window":${nested('[', ']', tenMegabytes / 2 - 100)}}`],
      ['/api/sessions', million],
      ['/api/sessions/import', `[${zeros}0]`],
      ['/api/sessions/import', `{"format":"parley.session","version":1,"session":{},"messages":[${zeros}0]}`],
    ]
    await checkEach(someOf(bodies, 0, 2), async ([path, body]) => {
      const hint = `${path} ${body.slice(0, 80)}`
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers: jsonType, body }).catch(
        (error) => {
          throw new Error(
            `${hint} got no answer (${String((error as Error).cause)}); the server: ${server.log().slice(0, 200)}`,
          )
        },
      )
      expect([400, 413], hint).toContain(answer.status)
      await answer.text()
    })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

describe('an id in a path', () => {
  const tricks = listed`
    ..   .   %2e   %2e%2e   %2e%2e%2f   ..%2f..%2fetc%2fpasswd   %2e%2e%2f%2e%2e%2fetc%2fpasswd
    ..%5c..%5cwindows   %2fetc%2fpasswd   %5c%5cserver%5cshare   c:%5cwindows   file:%2f%2f%2fetc
    ~   ~root   %7e   %252e%252e   ..;   %00   a%00   a%00.json   %0a   a%0d%0aSet-Cookie:x   %20
    a%20b   %22   '%20or%20'1'='1   %25   %   %zz   %ff   %ed%a0%80   %f0%9f%98%80   %c3%a9   -a
    _a   *   :id   %3Aid   {id}   $where   a,b   a%2cb   a;b   a%3fb   a%23b   null%00   %e2%80%ae
    a.b   ses_.   @   (a)   %3Cscript%3E   %7f
  `

  const withoutId = ['/api/usage', '/api/workflows/management-session']

  it('is refused or unknown when it plays tricks, on every route that takes one', async () => {
    await using filled = await startFilled()
    const { server, messageId } = filled
    const routes = routesOf(server).filter(({ path }) => path.includes(':id'))
    const cases = routes
      .flatMap((route, turn) =>
        someOf([...tricks, 'x'.repeat(129), 'x'.repeat(7_000)], turn).map((trick): Case => {
          const { path, body } = validRequestOf(route, { id: trick, messageId, scope: 'default' })
          return { method: route.method, path, body, status: [400, 404, 405] }
        }),
      )
      // without the dots, as every URL is read, these are routes of their own that take no id
      .filter(({ path }) => !withoutId.includes(new URL(path, server.url).pathname))
    await expectAllRefused(filled, cases)
    // grows with every route
  })

  it('is answered with 404 and itself when there is no such session', async () => {
    await using filled = await startFilled()
    const { server, messageId } = filled
    const routes = routesOf(server).filter(({ path }) => path.includes(':id'))
    const ids = [
      'ses_01kdvdna021dc0jcnxbajghvak',
      'unknown',
      'constructor',
      'toString',
      'null',
      'undefined',
      '0',
      'NaN',
      'x'.repeat(128),
    ]
    const cases = routes.flatMap((route, turn) =>
      someOf(ids, turn).map((id): Case => {
        const { path, body } = validRequestOf(route, { id, messageId, scope: 'default' })
        return { method: route.method, path, body, status: 404, names: id.slice(0, 70) }
      }),
    )
    await expectAllRefused(filled, cases)
  })

  it('is refused as a message with 404 and itself, also when it looks like a path', async () => {
    await using filled = await startFilled()
    const ids = [
      ...listed`
      unknown   ../../etc/passwd   ..\..\x   /etc/passwd   %00   ' or '1'='1   *   constructor
    `,
      'ㄱ',
    ]
    const path = `/api/sessions/${filled.id}/fork`
    await expectAllRefused(
      filled,
      ids.map((messageId) => ({
        method: 'POST',
        path,
        body: { messageId },
        status: 404,
        names: JSON.stringify(messageId),
      })),
    )
  })

  it('is refused with 409 and itself when the log has a message with it', async () => {
    await using filled = await startFilled()
    const { id, messageId } = filled
    const body = { role: 'user', content: 'x', id: messageId }
    await expectAllRefused(filled, [
      { method: 'POST', path: `/api/sessions/${id}/messages`, body, status: 409, names: messageId },
    ])
  })
})

describe('a query value', () => {
  const wrongNumbers = [
    ...listed`
    -1   -9007199254740993   1.5   0.1   NaN   Infinity   -Infinity   1e99   99999999999999999999
    9007199254740993   abc   1;2   1,2   1%2000   null   undefined   true   []   {}   %00   5%00
    %D9%A1   1'--   %ff   %20
  `,
    '',
  ]

  it('is refused with its name when a number is none', async () => {
    await using filled = await startFilled()
    const paths: [path: string, name: string, also: string[]][] = [
      ['/api/sessions', 'limit', ['0', '201', '2147483648']],
      [`/api/sessions/${filled.id}/messages`, 'limit', ['0', '201', '4294967297']],
      [`/api/sessions/${filled.id}/messages`, 'before', ['0']],
      [`/api/sessions/${filled.id}/messages`, 'after', []],
    ]
    const cases = paths.flatMap(([path, name, also]) => [
      ...[...wrongNumbers, ...also].map((value) => ({
        method: 'GET',
        path: `${path}?${name}=${value}`,
        status: 400,
        names: name,
      })),
      { method: 'GET', path: `${path}?${name}=1&${name}=2`, status: 400, names: name },
    ])
    await expectAllRefused(filled, cases)
  })

  it('is refused with its name when it is not one of those that are known', async () => {
    await using filled = await startFilled()
    const lists: Record<string, string[]> = {
      kind: [
        ...listed`
        x   Interactive   interactive%20   interactive,tool   __proto__   constructor   %00   ../
      `,
        '',
      ],
      bgStatus: ['x', '', 'RUNNING', 'null', '%00', 'queued'],
      archived: ['x', '', '1', '0', 'yes', 'TRUE', 'null'],
      mode: ['x'.repeat(101), '%00', 'a%00b'],
      thread: ['', 'X', '../x', '%00', 'a%20b', 'x'.repeat(65), '*'],
      parent: ['', '../x', '%2e%2e', '%00', 'a%20b', 'x'.repeat(129), '*'],
      roots: ['x', '', '1', 'TRUE', 'all'],
      variants: ['x', '', 'true', 'ALL', 'newest,all'],
      counts: ['x', '', '1', 'TRUE'],
      q: ['', '%20', '!!!', '%22', '%00', '%F0%9F%98%80', 'x'.repeat(201), "'--"],
      cursor: [
        '',
        'x',
        '!!!',
        'null',
        '%00',
        ...[
          'abc',
          '1:',
          ':x',
          '-1:x',
          '1.5:x',
          `1:${'x'.repeat(201)}`,
          '1:\u0000',
          '1e9:x',
          '12345678901234567:x',
          '1:é',
        ].map((text) => Buffer.from(text).toString('base64url')),
        'x'.repeat(501),
      ],
      scope: ['', 'A', '../x', '%00', 'x'.repeat(65), '__proto__'],
      limit: [],
    }
    expect(Object.keys(lists).sort()).toEqual(Object.keys(sessionListQuerySchema.shape).sort())
    const cases = Object.entries(lists).flatMap(([name, values]) => [
      ...values.map((value) => ({ method: 'GET', path: `/api/sessions?${name}=${value}`, status: 400 })),
      ...(name === 'limit'
        ? []
        : [{ method: 'GET', path: `/api/sessions?${name}=a&${name}=b`, status: 400, names: name }]),
    ])
    const formats = [
      ...listed`
      xml   JSON   json,yaml   ../json   %00   __proto__   constructor   toString
    `,
      '',
    ].map((value) => ({
      method: 'GET',
      path: `/api/sessions/${filled.id}/export?format=${value}`,
      status: 400,
      names: 'format',
    }))
    await expectAllRefused(filled, [...cases, ...formats])
  })

  it.each(databases)(
    'never reaches the database in a form that it cannot take, on %s',
    async (_name, openDatabase) => {
      await using database = await openDatabase()
      await using server = await startApp({ database })
      await addSession(server, 'default', 'one')
      const hostile = listed`
        %00   a%00b   %ff   %ed%a0%80   %   %zz   '   %22   %5c   %25   _   %F0%9E%A4%80   %E2%83%9D
        %CC%81   a%CC%81   %EF%BF%BF   %EE%80%80   NEAR(   a*   -a   a%20AND   %E4%BA%BA   %EF%BC%A1
      `
      await checkEach(['mode', 'q', 'cursor', 'parent', 'kind'], async (name) => {
        for (const value of hostile) {
          const answer = await server.send('GET', `/api/sessions?${name}=${value}`)
          expect(
            answer.status,
            `${name}=${value} → ${answer.text.slice(0, 200)} ${server.bugs().at(-1)?.slice(0, 300)}`,
          ).toBeLessThan(500)
        }
      })
      expect(server.bugs()).toEqual([])
    },
  )
})

describe('a wrong content type', () => {
  it('is refused with 415 and itself, though the body would be valid', async () => {
    await using filled = await startFilled()
    const types = [
      ...listed`
      text/plain   text/html   text/json   application/x-www-form-urlencoded
      multipart/form-data; boundary=b   application/octet-stream   application/jsonx
      application/json5   application/javascript   application/xml   image/png   json   */*
      application   text/plain; application/json   application/json, text/plain
    `,
      '',
    ]
    const cases = writes(filled).flatMap(({ method, path, body }, turn) =>
      someOf(types, turn).map((type) => ({
        method,
        path,
        headers: { 'content-type': type },
        body: JSON.stringify(body),
        status: 415,
        names: JSON.stringify(type),
      })),
    )
    await expectAllRefused(filled, cases)
  })

  it('is refused with 415 when it is that of a document and the route takes none', async () => {
    await using filled = await startFilled()
    const cases = writes(filled)
      .filter(({ name }) => name !== 'POST /api/sessions/import')
      .flatMap(({ method, path, body }) =>
        ['application/yaml', 'application/x-ndjson', 'application/jsonl', 'text/markdown'].flatMap((type) =>
          [JSON.stringify(body), 'title: x'].map((text) => ({
            method,
            path,
            headers: { 'content-type': type },
            body: text,
            status: 415,
            names: type,
          })),
        ),
      )
    await expectAllRefused(filled, cases)
  })

  it('is none when JSON comes with parameters or in capitals: it is read, or refused with 415 and itself', async () => {
    await using filled = await startFilled()
    const { server } = filled
    const types = listed`
      Application/JSON   application/json;charset=utf-8   application/json; charset="utf-8"
      application/json ; charset=utf-8   application/json;   application/json; a=b; c=d
      application/vnd.api+json
    `
    await checkEach(
      writes(filled)
        .filter(isRepeatable)
        .flatMap((write) => types.map((type) => ({ ...write, type }))),
      async ({ name, method, path, body, type }) => {
        const answer = await server.send(method, path, {
          headers: { 'content-type': type },
          body: JSON.stringify(body),
        })
        if (answer.status >= 300)
          expect(expectRefusal(answer, `${name} as ${type}`, 415).message).toContain(type)
        else
          expect(answer.text, `${name} as ${type} passed over its body`).toMatch(
            /valid|forkedFrom|"messageCount":1|"type":"finish"|"chat.completion"|"object":"response"|"object":"embedding"|"ok":false|"end_turn"|"input_tokens"|"offset"|"items":\[\]|"limit":\{"chars":1000\}|"nodeIds":\[\d|"session_id"|"status":"running"|"mira"/,
          )
      },
    )
  })

  it('is refused when the body is compressed, which this server does not read', async () => {
    await using filled = await startFilled()
    const headers = { ...jsonType, 'content-encoding': 'gzip' }
    await expectAllRefused(filled, [
      {
        method: 'POST',
        path: '/api/sessions',
        headers,
        body: Uint8Array.from([0x1f, 0x8b, 8, 0]),
        status: [400, 415],
      },
    ])
  })
})

describe('an Idempotency-Key', () => {
  it('is refused by every route that writes when it is empty, too long or not visible ASCII', async () => {
    await using filled = await startFilled()
    const { server, id, messageId } = filled
    const keys = ['', 'a b', 'a\tb', 'x'.repeat(201), 'é', 'a\u00ffb']
    // to stop or resize twice is to do so once: that needs no key
    const routes = routesOf(server).filter(
      (route) =>
        route.method !== 'GET' && !speaksMcp(route) && !/\/(stop|resize)$|\/queue\//.test(route.path),
    )
    const cases = routes.flatMap((route) => {
      const { path, body } = validRequestOf(route, { id, messageId, scope: 'default' })
      return keys.map((key) => ({
        method: route.method,
        path,
        headers: { 'idempotency-key': key },
        body,
        status: 400,
        names: 'Idempotency-Key',
      }))
    })
    await expectAllRefused(filled, cases)
  })

  it('is refused when there are two of them', async () => {
    await using filled = await startFilled()
    const headers = { 'idempotency-key': ['one', 'two'] }
    await expectAllRefused(filled, [
      { method: 'POST', path: '/api/sessions', headers, body: {}, status: 400, names: 'Idempotency-Key' },
    ])
  })
})

/** Requests that are no HTTP, or too much of it. */
function brokenRequests(port: number): [name: string, bytes: string | Uint8Array, status: number[]][] {
  const host = `Host: 127.0.0.1:${port}`
  const post = 'POST /api/sessions HTTP/1.1'
  const json = 'Content-Type: application/json'
  const many = Array.from({ length: 10_000 }, (_, count) => `x-${count}: a`)
  return [
    ['10,000 headers', rawRequest('GET /api/sessions HTTP/1.1', host, ...many), [431]],
    [
      'a header of 100 kB',
      rawRequest('GET /api/sessions HTTP/1.1', host, `x-long: ${'a'.repeat(100_000)}`),
      [431],
    ],
    ['a path of 100 kB', rawRequest(`GET /api/sessions/${'a'.repeat(100_000)} HTTP/1.1`, host), [414, 431]],
    ['no HTTP at all', 'hello\r\n\r\n', [400]],
    ['a hello of TLS', Uint8Array.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0, 13, 10, 13, 10]), [400]],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 404, 405, 505]],
    ['an unknown method', rawRequest('BREW /api/sessions HTTP/1.1', host), [400, 405, 501]],
    ['an unknown version', rawRequest('GET /api/sessions HTTP/9.9', host), [400, 505]],
    ['no path', rawRequest('GET HTTP/1.1', host), [400]],
    ['a path without its slash', rawRequest('GET api/sessions HTTP/1.1', host), [400]],
    ['a path with backslashes', rawRequest('GET \\api\\sessions HTTP/1.1', host), [400]],
    ['a path with a raw NUL', rawRequest('GET /api/sessions/\u0000 HTTP/1.1', host), [400]],
    [
      'a path with raw bytes',
      Buffer.from(rawRequest('GET /api/sessions/\u00ff\u00fe HTTP/1.1', host), 'latin1'),
      [400, 404],
    ],
    ['a header without a colon', rawRequest('GET /api/sessions HTTP/1.1', host, 'nonsense'), [400]],
    ['a header name with a space', rawRequest('GET /api/sessions HTTP/1.1', host, 'x y: z'), [400]],
    ['a header with a NUL', rawRequest('GET /api/sessions HTTP/1.1', host, 'x: a\u0000b'), [400]],
    ['a negative length', rawRequest(post, host, json, 'Content-Length: -1'), [400]],
    ['a length that is no number', rawRequest(post, host, json, 'Content-Length: 1e1'), [400]],
    ['two lengths', `${rawRequest(post, host, json, 'Content-Length: 2', 'Content-Length: 20')}{}`, [400]],
    [
      'a length and chunks',
      `${rawRequest(post, host, json, 'Content-Length: 2', 'Transfer-Encoding: chunked')}{}`,
      [400],
    ],
    ['an unknown encoding', `${rawRequest(post, host, json, 'Transfer-Encoding: gzip')}{}`, [400, 411, 501]],
    [
      'a chunk of no size',
      `${rawRequest(post, host, json, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
      [400],
    ],
    ['a tunnel', rawRequest(`CONNECT 127.0.0.1:${port} HTTP/1.1`, host), [0, 400, 404, 405]],
  ]
}

describe('a request that is no HTTP', () => {
  it('is refused, changes nothing, and leaves the server as it was', async () => {
    await using filled = await startFilled()
    const { server } = filled
    const before = server.dump()
    await checkEach(brokenRequests(server.port), async ([name, bytes, statuses]) => {
      const answer = await server.sendRaw(bytes)
      expect(statuses, `${name} → ${answer.status} ${answer.text}`).toContain(answer.status)
      expect(answer.text, name).not.toMatch(/<html/i)
    })
    expect(server.dump()).toBe(before)
    expect((await server.send('GET', '/healthz')).status).toBe(200)
  })

  it('is told so in the error shape', async () => {
    await using filled = await startFilled()
    const { server } = filled
    await checkEach(brokenRequests(server.port), async ([name, bytes]) => {
      const answer = await server.sendRaw(bytes)
      if (answer.status !== 0) expectRefusal(answer, name)
    })
  })

  it('does nothing when the client goes away in the middle of its body', async () => {
    await using filled = await startFilled()
    const { server } = filled
    const before = server.dump()
    const head = [
      'POST /api/sessions HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'Content-Type: application/json',
    ]
    for (const framing of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const socket = createConnection(server.port, '127.0.0.1')
      const piece = framing.startsWith('Transfer') ? '9\r\n{"title":\r\n' : '{"title":'
      socket.write(`${[...head, framing].join('\r\n')}\r\n\r\n${piece}`)
      // one request after another: when this is answered, the server has seen what came before it
      await server.send('GET', '/healthz')
      socket.destroy()
      await server.send('GET', '/healthz')
    }
    expect(server.dump()).toBe(before)
    expect((await server.send('GET', '/healthz')).status).toBe(200)
    expect(server.bugs()).toEqual([])
  })
})
