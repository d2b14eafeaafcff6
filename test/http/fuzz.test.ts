import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { databases, sqliteDatabase } from '../harness.ts'
import {
  addPlan,
  addSession,
  checkEach,
  expectRefusal,
  isDescribed,
  routesOf,
  speaksMcp,
  startApp,
  validRequestOf,
  type Answer,
  type AppServer,
  type RouterEntry,
  listed,
} from './app-server.ts'
import { takeSeed } from '../seed.ts'

/** A release runs many more. */
const runs = Number(process.env.PARLEY_TEST_FUZZ ?? 400)

interface FuzzedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

// what tends to be special somewhere: names that objects have, ends of ranges, texts with a meaning elsewhere
const oddTexts = [
  '',
  ' ',
  '\0',
  '..',
  '../x',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '-1',
  '0',
  '1e999',
  'NaN',
  "'",
  '"',
  '\\',
  '%',
  '*',
  '\n',
  '\u2028',
  '\ud800',
  '\u{1F600}',
  '\uFEFF',
  'x'.repeat(600),
  '人工',
  'e\u0301',
  '𞤀',
  '9007199254740993',
  '2026-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
]

const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
)
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    [],
    {},
    [[]],
    [{}],
    0,
    -1,
    0.5,
    -0,
    1e21,
    2 ** 53,
    Number.MAX_VALUE,
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** A field more, less or different, on the top level or in a value that is there. */
const mutation = fc.record({
  kind: fc.constantFrom('set', 'delete', 'nest', 'wrap'),
  key: fc.oneof(
    fc.constantFrom(
      'scope',
      'title',
      'kind',
      'model',
      'mode',
      'role',
      'parts',
      'content',
      'metadata',
      'id',
      'messageId',
      'messages',
      'window',
      'preset',
      'limit',
      'resize',
      'memo',
      'pinned',
      'baseVersion',
      'toolMeta',
      'allowedTools',
      'permissionMode',
      'archived',
      'session',
      'format',
      'version',
      'createdAt',
      'bgMeta',
      'checkpoints',
    ),
    oddText,
  ),
  value: fc.oneof(
    oddValue,
    fc.constantFrom<unknown>(
      'user',
      'assistant',
      'system',
      'default',
      'red',
      'interactive',
      'tool',
      'plan',
      'parley.session',
      1,
    ),
    fc.array(
      fc.record(
        { type: fc.oneof(fc.constantFrom('text', 'reasoning', 'file', 'data-x'), oddText), text: oddValue },
        { requiredKeys: ['type'] },
      ),
      { maxLength: 3 },
    ),
    fc.array(
      fc.record(
        {
          role: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'tool'), oddText),
          content: oddValue,
          id: oddText,
          createdAt: oddText,
        },
        { requiredKeys: ['role'] },
      ),
      { maxLength: 3 },
    ),
  ),
})
type Mutation = { kind: string; key: string; value: unknown }

function mutate(body: Record<string, unknown>, mutations: Mutation[]): unknown {
  let result: Record<string, unknown> = { ...body }
  for (const { kind, key, value } of mutations) {
    if (kind === 'delete') delete result[key]
    else if (kind === 'wrap') result = { [key]: result }
    // defined, not assigned: "__proto__" must become a key of its own
    else
      Object.defineProperty(result, key, {
        value: kind === 'nest' ? { [key]: value } : value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return result
}

const queryNames = listed`
  scope   limit   before   after   cursor   q   kind   bgStatus   mode   parent   archived   format
  version   x
`
const queryName = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...queryNames) },
  { weight: 1, arbitrary: oddText },
)
const query = fc.array(fc.tuple(queryName, oddText), { minLength: 1, maxLength: 2 })

/** Mostly nothing, so that most requests get past the first check. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>, oneIn = 8): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const contentType = fc.constantFrom(
  'application/json; charset=utf-8',
  'application/yaml',
  'application/x-ndjson',
  'application/jsonl',
  'text/markdown',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
  'nonsense',
)

const headers = fc.record(
  {
    'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('a', 'b', 'c', ''), fc.string({ maxLength: 10 })),
    accept: fc.constantFrom('*/*', 'text/event-stream', 'application/xml', ''),
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    range: fc.constantFrom('bytes=0-', 'bytes=5-1', 'lines=1'),
    'if-none-match': fc.constantFrom('*', '"x"'),
    authorization: fc.constantFrom('Bearer x', 'Basic eDp5', ''),
    cookie: fc.constantFrom('a=b', '='),
    'x-api-key': fc.string({ maxLength: 10 }),
  },
  { requiredKeys: [] },
)

/** Headers can carry visible ASCII only; Node's client would not send anything else. */
const sendable = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replaceAll(/[^\x20-\x7e]/g, '?')]),
  )

const fixedIds = ['fixed-a', 'fixed-b', 'fixed-c']
const fixedMessages = ['m1', 'm2'].map((id) => ({ id, role: 'user', content: `the text of ${id}` }))

/** The sessions and plans that requests name; some of those requests delete them. */
async function restoreFixed(server: AppServer): Promise<void> {
  for (const id of fixedIds) {
    await server.send('POST', '/api/sessions/import', { body: { id, messages: fixedMessages } })
    if (!(await server.store.getPlan('default', id))) await addPlan(server.store, id, 'default')
  }
}

function requests(routes: RouterEntry[]): fc.Arbitrary<FuzzedRequest> {
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fixedIds) },
    { weight: 1, arbitrary: oddText },
  )
  const messageId = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom('m1', 'm2') },
    { weight: 1, arbitrary: oddText },
  )
  const scope = fc.oneof(
    { weight: 8, arbitrary: fc.constant('default') },
    { weight: 1, arbitrary: fc.constantFrom('red', 'Red', '') },
  )
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND')
  const replacement = fc.oneof(
    oddValue.map((value) => JSON.stringify(value) ?? ''),
    oddText,
    fc.uint8Array({ maxLength: 50 }),
  )
  return fc
    .record({
      route: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...routes.filter(isDescribed)) },
        { weight: 1, arbitrary: fc.constantFrom(...routes) },
      ),
      otherMethod: seldom(method, 15),
      known: fc.record({ id, messageId, scope }),
      mutations: fc.array(mutation, { maxLength: 2 }),
      isDocument: fc.boolean(),
      inSession: fc.array(mutation, { maxLength: 2 }),
      replaced: seldom(replacement),
      pairs: seldom(query, 3),
      extra: seldom(headers, 4),
      type: seldom(contentType),
      tail: seldom(oddText, 20),
    })
    .map(
      ({
        route,
        otherMethod,
        known,
        mutations,
        replaced,
        pairs = [],
        extra,
        type = 'application/json',
        tail,
        ...rest
      }) => {
        const encoded = { ...known, id: encode(known.id), scope: encode(known.scope) }
        const { path: valid } = validRequestOf(route, encoded)
        const isImport = rest.isDocument && route.path.endsWith('/import')
        const body = isImport
          ? toDocument(mutate({ title: 'valid' }, rest.inSession))
          : validRequestOf(route, known).body
        const added = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
        const [bare = '', given = ''] = valid.split('?')
        const path = `${bare}${tail === undefined ? '' : `/${encode(tail)}`}?${[given, added].filter(Boolean).join('&')}`
        const sent = replaced ?? (body && JSON.stringify(mutate(body, mutations)))
        return {
          method: otherMethod ?? route.method,
          path,
          headers: sendable({ ...(sent !== undefined && { 'content-type': type }), ...extra }),
          body: sent,
        }
      },
    )
}

const toDocument = (session: unknown) => ({
  format: 'parley.session',
  version: 1,
  session,
  messages: fixedMessages,
})

/** Half a surrogate pair has no encoding; its bytes are sent as they would be if it had. */
const encode = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80')

it.each(databases)(
  `answers ${runs} random requests without a bug, and what is stored stays whole, on %s`,
  async (_name, openDatabase) => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    await restoreFixed(server)
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(
        requests(routesOf(server).filter((route) => !speaksMcp(route))),
        async ({ method, path, ...rest }) => {
          const answer = await server.send(method, path, rest)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          expectSound(answer, method, path)
          expect(server.bugs()).toEqual([])
          if (answer.status === 204) await restoreFixed(server)
        },
      ),
      { numRuns: runs, seed: takeSeed(), endOnFailure: true },
    )
    await expectWhole(server)
    process.stdout.write(
      `${runs} random requests: ${[...statuses]
        .sort()
        .map(([status, count]) => `${status} × ${count}`)
        .join(', ')}\n`,
    )
    // a generator that only makes nonsense would test the first check alone
    const accepted = [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0)
    // a quarter of them, as a rule
    expect(accepted).toBeGreaterThan(runs / 8)
  },
  60_000 + runs * 20,
)

function expectSound(answer: Answer, method: string, path: string): void {
  const hint = `${method} ${path} → ${answer.status} ${answer.text.slice(0, 200)}`
  expect(answer.status, hint).toBeLessThan(500)
  if (answer.status >= 400 && method !== 'HEAD' && answer.status !== 416) expectRefusal(answer, hint)
}

/** The database is sound, every log is without gaps, and every session can be read and exported. */
async function expectWhole(server: AppServer): Promise<void> {
  expect(await server.store.checkIntegrity()).toBeUndefined()
  for (const { name: scope } of await server.store.listScopes())
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await server.send(
        'GET',
        `/api/sessions?scope=${scope}&archived=all&limit=200${cursor && `&cursor=${cursor}`}`,
      )
      expect(page.status, page.text.slice(0, 300)).toBe(200)
      for (const { id } of page.json!.items as { id: string }[]) {
        await expectLog(server, scope, id)
        const exported = await server.send('GET', `/api/sessions/${id}/export?scope=${scope}`)
        expect(exported.status, `${id} cannot be exported: ${exported.text.slice(0, 300)}`).toBe(200)
      }
      cursor = page.json!.nextCursor as string | null
    }
}

async function expectLog({ store }: AppServer, scope: string, id: string): Promise<void> {
  const countOf = async () => (await store.requireSession(scope, id)).messageCount
  // a turn that a request began may still go on, and say something between two looks
  for (;;) {
    const before = await countOf()
    const log = await store.listMessages(scope, id, { after: 0, limit: 10_000 })
    if ((await countOf()) !== before) continue
    return expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: before }, (_, index) => index + 1))
  }
}

describe('a session whose row was damaged', () => {
  const damages = [
    '',
    '{',
    '[]',
    'null',
    '5',
    '"x"',
    '{"a":',
    '{"__proto__":{"polluted":true}}',
    '{"id":"ses_other","scope":"other","title":5}',
    '[null]',
    '[{}]',
  ]
  const columns = ['sessions.facets', 'messages.parts', 'messages.metadata']

  it.each(columns)(
    'by a wrong %s does not keep the others from being listed, found and read',
    async (name) => {
      const [table, column] = name.split('.')
      await using database = await sqliteDatabase()
      await using server = await startApp({ database })
      const { id: healthy } = await addSession(server, 'default', 'a healthy text')
      const damaged = new DatabaseSync(join(database.environment.PARLEY_DATA_DIR!, 'parley.db'))
      const key = table === 'sessions' ? 'id' : 'session_id'
      for (const damage of damages) {
        const { id } = await addSession(server, 'default', 'another text')
        damaged.prepare(`update ${table} set ${column} = ? where ${key} = ?`).run(damage, id)
      }
      damaged.close()
      const paths = [
        '/api/sessions',
        '/api/sessions?q=healthy',
        `/api/sessions/${healthy}`,
        `/api/sessions/${healthy}/messages`,
        `/api/sessions/${healthy}/export`,
      ]
      await checkEach(paths, async (path) => {
        const answer = await server.send('GET', path)
        expect(answer.status, `${path} → ${answer.text.slice(0, 200)}`).toBe(200)
        expect(answer.text, path).toContain(path.endsWith('messages') ? 'healthy' : healthy)
        expect(answer.text, path).not.toContain('ses_other')
      })
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
  )
})
