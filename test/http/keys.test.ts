import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { publicPaths } from '../../src/server/authenticate.ts'
import { steppedClock, temporaryFolder } from '../harness.ts'
import {
  addSessionWith,
  checkEach,
  expectRefusal,
  rawRequest,
  routesOf,
  startApp,
  startProcess,
  validRequestOf,
  type AppServer,
  type Known,
  type RouterEntry,
  listed,
} from './app-server.ts'

const mainKey = 'main-key-0123456789abcdef'
const blueKey = 'blue-key-0123456789abcdef'
const redKey = 'red-key-00123456789abcdef'
const apiKeys = [
  { name: 'main', key: mainKey },
  { name: 'blue', key: blueKey, scopes: ['blue'] },
  { name: 'red', key: redKey, scopes: ['red'] },
]
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const isPublic = (path: string) =>
  publicPaths.some((pattern) =>
    pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  )
const guardedRoutes = (server: AppServer) => routesOf(server).filter(({ path }) => !isPublic(path))

/** Ways to hand in a key: as headers and query of a request. */
const carriers: [name: string, isAccepted: boolean, carry: (key: string) => Carried][] = [
  ['Authorization: Bearer', true, (key) => ({ headers: { authorization: `Bearer ${key}` } })],
  ['Authorization: bearer', true, (key) => ({ headers: { authorization: `bearer ${key}` } })],
  ['x-api-key', true, (key) => ({ headers: { 'x-api-key': key } })],
  ['Authorization without a scheme', false, (key) => ({ headers: { authorization: key } })],
  ['Authorization: Basic', false, (key) => ({ headers: { authorization: `Basic ${btoa(`:${key}`)}` } })],
  ['Authorization: Token', false, (key) => ({ headers: { authorization: `Token ${key}` } })],
  ['Proxy-Authorization', false, (key) => ({ headers: { 'proxy-authorization': `Bearer ${key}` } })],
  ...listed`
    key   api_key   apiKey   x-api-key   token   access_token   authorization
  `.flatMap((name): typeof carriers => [
    [`the query parameter ${name}`, false, (key) => ({ query: `${name}=${encodeURIComponent(key)}` })],
    [`the cookie ${name}`, false, (key) => ({ headers: { cookie: `${name}=${key}` } })],
  ]),
]

/**
 * At each route every key is tried, and every way to carry one; each key in each way is tried at some of the routes, since
 * who looks at keys does not look at routes. A release tries all of it at all of them.
 */
const shifts = Math.min(carriers.length, Number(process.env.PARLEY_TEST_KEY_SHIFTS ?? 1))

/** Each of both lists at least once; with every shift up to the length of the first, each with each. */
const pairsOf = <A, B>(first: readonly A[], second: readonly B[], shift: number): [A, B][] =>
  Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [
    first[(index + shift) % first.length]!,
    second[index % second.length]!,
  ])

interface Carried {
  headers?: Record<string, string>
  query?: string
}

const wrongKeys = [
  '',
  ' ',
  'wrong',
  'null',
  'undefined',
  '[object Object]',
  '*',
  'main',
  mainKey.slice(0, -1),
  `${mainKey}0`,
  mainKey.toUpperCase(),
  `${mainKey},${mainKey}`,
  `"${mainKey}"`,
  'x'.repeat(4_096),
]

async function sendTo(server: AppServer, route: RouterEntry, known: Known, carried: Carried = {}) {
  const { path, body } = validRequestOf(route, known)
  const joined =
    carried.query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${carried.query}`
  return server.send(route.method, joined, { headers: carried.headers, body })
}

/** A server with three keys and a session of the scope "red"; its clock jumps over the limit of wrong tries. */
async function startGuarded() {
  const clock = steppedClock()
  const server = await startApp({ apiKeys, clock })
  const { id, messageIds } = await addSessionWith(bearer(mainKey), server, 'red', 'a red secret')
  const known: Known = { id, messageId: messageIds[0]!, scope: 'red' }
  return { server, clock, known, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('a server with keys', () => {
  it('keeps every route shut that is not public, without a key and with any wrong one, however it is carried', async () => {
    await using guarded = await startGuarded()
    const { server, clock, known } = guarded
    const before = server.dump()
    const routes = guardedRoutes(server)
    expect(routes.length).toBeGreaterThanOrEqual(11)
    await checkEach(routes.entries(), async ([index, route]) => {
      const hint = `${route.method} ${route.path}`
      const { code } = expectRefusal(await sendTo(server, route, known), `${hint} without a key`, 401)
      expect(code).toBe('unauthorized')
      for (let shift = index; shift < index + shifts; shift++)
        for (const [[name, , carry], key] of pairsOf(carriers, wrongKeys, shift)) {
          clock.advance(60_000)
          const answer = await sendTo(server, route, known, carry(key))
          expectRefusal(answer, `${hint} with ${JSON.stringify(key.slice(0, 40))} as ${name}`, 401)
          expect(answer.text).not.toContain('secret')
        }
    })
    expect(server.dump()).toBe(before)
  }, 600_000)

  it('accepts a right key in the two headers and nowhere else, above all not in a URL or a cookie', async () => {
    await using guarded = await startGuarded()
    const { server, clock, known } = guarded
    const before = server.dump()
    await checkEach(guardedRoutes(server), async (route) => {
      for (const [name, isAccepted, carry] of carriers) {
        if (isAccepted) continue
        clock.advance(60_000)
        const answer = await sendTo(server, route, known, carry(mainKey))
        expectRefusal(answer, `${route.method} ${route.path} with the right key as ${name}`, 401)
      }
    })
    expect(server.dump()).toBe(before)
    for (const [name, isAccepted, carry] of carriers) {
      if (!isAccepted) continue
      const answer = await sendTo(server, { method: 'GET', path: '/api/sessions/:id' }, known, carry(mainKey))
      expect(answer.status, `${name} ${answer.text}`).toBe(200)
    }
  })

  it('answers 403 to a key of another scope on every route that works in a scope', async () => {
    await using guarded = await startGuarded()
    const { server, known } = guarded
    const before = server.dump()
    const routes = guardedRoutes(server).filter(({ path }) => path !== '/metrics')
    await checkEach(routes, async (route) => {
      for (const headers of [bearer(blueKey), { 'x-api-key': blueKey }]) {
        const answer = await sendTo(server, route, known, { headers })
        const { code, message } = expectRefusal(answer, `${route.method} ${route.path} with a blue key`, 403)
        expect(code).toBe('forbidden')
        expect(message).toContain('"red"')
        expect(answer.text).not.toContain('secret')
      }
    })
    expect(server.dump()).toBe(before)
  })

  it('keeps the metrics of the whole server from a key that is bound to a scope', async () => {
    await using server = await startApp({ apiKeys })
    expect((await server.send('GET', '/metrics', { headers: bearer(mainKey) })).status).toBe(200)
    expectRefusal(
      await server.send('GET', '/metrics', { headers: bearer(blueKey) }),
      'metrics with a blue key',
      403,
    )
  })

  it('shows the public paths to everybody, and they hold nothing that is stored', async () => {
    await using guarded = await startGuarded()
    const { server, known } = guarded
    const routes = routesOf(server).filter(({ path }) => isPublic(path))
    expect(routes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/', '/healthz', '/readyz', '/openapi.json', '/docs']),
    )
    for (const { method, path } of routes) {
      expect(method).toBe('GET')
      const answer = await server.send(method, path)
      expect(answer.status, path).toBe(200)
      expect(answer.text).not.toContain(known.id)
      expect(answer.text).not.toContain(mainKey)
    }
  })

  it('says 401 for paths and methods that do not exist, so that nothing is learned without a key', async () => {
    await using server = await startApp({ apiKeys })
    for (const [method, path] of [
      ['GET', '/api/nothing'],
      ['PUT', '/api/sessions'],
      ['OPTIONS', '/api/sessions'],
      ['HEAD', '/api/sessions'],
      ['GET', '/api'],
      ['POST', '/mcp'],
      ['GET', '/.env'],
    ] as const)
      expect((await server.send(method, path)).status, `${method} ${path}`).toBe(401)
  })

  it('is not fooled by a path that only begins or ends like a public one', async () => {
    await using guarded = await startGuarded()
    const { server, known } = guarded
    const targets = [
      '/docs/../api/sessions?scope=red',
      '/docs/%2e%2e/api/sessions?scope=red',
      '/docs/..%2fapi/sessions?scope=red',
      '/docs/..%5capi%5csessions?scope=red',
      '/docs/..;/api/sessions?scope=red',
      '/assets/../api/sessions?scope=red',
      '/assets/../../../../../../etc/passwd',
      '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
      '/assets/..%2f..%2f..%2fetc%2fpasswd',
      '/healthz/../api/sessions?scope=red',
      '/./api/sessions?scope=red',
      '//api/sessions?scope=red',
      '/api//sessions?scope=red',
      '/API/sessions?scope=red',
      '/api/sessions/?scope=red',
      '/api/sessions;/healthz?scope=red',
      '/api/sessions%3fscope=red&/docs/',
      '/api/sessions%2f..%2f..%2fhealthz',
      `/docs/../api/sessions/${known.id}/messages?scope=red`,
      '/openapi.json/../metrics',
      '/metrics/',
      '/metrics?/docs/',
    ]
    await checkEach(targets, async (target) => {
      for (const url of [target, `http://127.0.0.1:${server.port}${target}`]) {
        const answer = await server.sendRaw(
          rawRequest(`GET ${url} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`),
        )
        expect([400, 401, 404], `${url} → ${answer.status} ${answer.text.slice(0, 200)}`).toContain(
          answer.status,
        )
        expect(answer.text).not.toMatch(/root:|a red secret|parley_http/)
      }
    })
  })
})

describe('a key that is bound to scopes', () => {
  it('works in its scopes only, whether the scope stands in the body or in the query', async () => {
    await using server = await startApp({
      apiKeys: [...apiKeys, { name: 'two', key: 'two-keys-0123456789', scopes: ['red', 'blue'] }],
    })
    const statusOf = async (key: string, method: string, path: string, body?: object) =>
      (await server.send(method, path, { headers: bearer(key), body })).status
    expect(await statusOf(blueKey, 'POST', '/api/sessions', { scope: 'blue' })).toBe(201)
    expect(await statusOf(blueKey, 'POST', '/api/sessions', { scope: 'red' })).toBe(403)
    expect(await statusOf(blueKey, 'POST', '/api/sessions', {})).toBe(403)
    expect(await statusOf(blueKey, 'GET', '/api/sessions?scope=blue')).toBe(200)
    expect(await statusOf(blueKey, 'GET', '/api/sessions?scope=red')).toBe(403)
    expect(await statusOf(blueKey, 'GET', '/api/sessions')).toBe(403)
    expect(await statusOf('two-keys-0123456789', 'GET', '/api/sessions?scope=red')).toBe(200)
    expect(await statusOf('two-keys-0123456789', 'GET', '/api/sessions?scope=green')).toBe(403)
    expect(await statusOf(mainKey, 'GET', '/api/sessions?scope=green')).toBe(200)
  })

  it('reaches no other scope by naming two of them', async () => {
    await using guarded = await startGuarded()
    const { server, known } = guarded
    const { id, messageIds } = await addSessionWith(bearer(blueKey), server, 'blue', 'one')
    const before = server.dump()
    const red = `/api/sessions/${known.id}`
    const tries: [string, string, object?][] = [
      ['GET', `${red}?scope=blue&scope=red`],
      ['GET', `${red}?scope=red&scope=blue`],
      ['GET', `${red}/messages?scope=blue&scope=red`],
      ['GET', '/api/sessions?scope=blue&scope=red'],
      ['PATCH', `${red}?scope=blue`, { scope: 'red', title: 'mine' }],
      ['PATCH', `${red}?scope=red`, { scope: 'blue', title: 'mine' }],
      ['POST', `${red}/messages?scope=blue`, { scope: 'red', role: 'user', content: 'x' }],
      ['POST', `${red}/messages?scope=red`, { scope: 'blue', role: 'user', content: 'x' }],
      ['POST', `${red}/fork?scope=red`, { scope: 'blue', messageId: known.messageId }],
      ['POST', `/api/sessions/${id}/fork?scope=blue`, { scope: 'red', messageId: messageIds[0] }],
      ['POST', '/api/sessions/import?scope=blue', { scope: 'red', messages: [] }],
      ['DELETE', `${red}?scope=blue&scope=red`],
    ]
    await checkEach(tries, async ([method, path, body]) => {
      const answer = await server.send(method, path, { headers: bearer(blueKey), body })
      expectRefusal(answer, `${method} ${path}`)
      expect(answer.text).not.toContain('a red secret')
    })
    expect(server.dump()).toBe(before)
  })

  it('is written into the audit by name, never by its text', async () => {
    await using server = await startApp({ apiKeys })
    const { id } = await addSessionWith(bearer(blueKey), server, 'blue')
    const { items } = await server.store.listAudit('blue', { limit: 10 })
    expect(items).toMatchObject([{ action: 'create', resourceId: id, actor: { type: 'user', id: 'blue' } }])
    expect(server.dump()).not.toContain(blueKey)
  })

  it('grants nothing when its list of scopes is empty', async () => {
    const key = 'empty-key-0123456789'
    await using server = await startApp({ apiKeys: [{ name: 'empty', key, scopes: [] }] })
    expectRefusal(await server.send('GET', '/api/sessions', { headers: bearer(key) }), 'no scopes', 403)
  })
})

describe('guessing keys', () => {
  const tryKey = (server: AppServer, key: string, from?: string) =>
    server.send('GET', '/api/sessions', { headers: bearer(key), from })

  it('is answered with 429 after 20 wrong tries in a minute from one address', async () => {
    const clock = steppedClock()
    await using server = await startApp({ apiKeys, clock })
    const statuses: number[] = []
    const wrong = Number(process.env.PARLEY_TEST_WRONG_KEYS ?? 40)
    for (let count = 1; count <= wrong; count++)
      statuses.push((await tryKey(server, `wrong-${count}`)).status)
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401))
    expect(statuses.slice(20)).toEqual(Array.from({ length: wrong - 20 }, () => 429))
    const { code } = expectRefusal(await tryKey(server, 'wrong'), 'the next one', 429)
    expect(code).toBe('too_many_requests')
    expectRefusal(await tryKey(server, 'wrong', '127.0.0.2'), 'another address', 401)
    clock.advance(60_000)
    expectRefusal(await tryKey(server, 'wrong'), 'a minute later', 401)
  }, 300_000)

  it('counts wrong keys in either header, and not requests without any', async () => {
    await using server = await startApp({ apiKeys })
    for (let count = 0; count < 50; count++) await server.send('GET', '/api/sessions')
    for (let count = 0; count < 20; count++) {
      const headers = count % 2 ? bearer('wrong') : { 'x-api-key': 'wrong' }
      expect((await server.send('GET', '/api/sessions', { headers })).status).toBe(401)
    }
    expect((await tryKey(server, 'wrong')).status).toBe(429)
    expect((await server.send('GET', '/api/sessions')).status).toBe(401)
  })

  // the right key is let in: otherwise anybody behind the same proxy could lock the owner out
  it('does not lock out whoever has the right key, nor the public paths', async () => {
    await using server = await startApp({ apiKeys })
    for (let count = 0; count < 30; count++) await tryKey(server, 'wrong')
    expect((await tryKey(server, 'wrong')).status).toBe(429)
    for (let count = 0; count < 3; count++) expect((await tryKey(server, mainKey)).status).toBe(200)
    expect((await server.send('GET', '/healthz')).status).toBe(200)
    expect((await tryKey(server, 'wrong')).status).toBe(429)
  })

  it('tells nothing about how close a key was', async () => {
    const clock = steppedClock()
    await using server = await startApp({ apiKeys, clock })
    const answers = new Set<string>()
    for (const key of wrongKeys.filter((wrong) => /^\S+$/.test(wrong))) {
      clock.advance(60_000)
      const { status, json } = await tryKey(server, key)
      answers.add(JSON.stringify([status, { ...(json!.error as object), requestId: '' }]))
    }
    expect([...answers]).toHaveLength(1)
  })
})

describe('the address that the server listens on', () => {
  it('is loopback only by default', async () => {
    using folder = temporaryFolder()
    await using server = await startProcess({ env: { PARLEY_DATA_DIR: folder.path } })
    const sockets = listeningAddresses(server.child.pid!)
    expect(sockets.length).toBeGreaterThan(0)
    for (const address of sockets) expect(['127.0.0.1', '::1']).toContain(address)
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
  })

  it.each([
    [['--host', '0.0.0.0'], {}],
    [[], { PARLEY_HOST: '::' }],
    [['--host', 'localhost.'], {}],
  ] as [string[], Record<string, string>][])(
    'is not %j %j without a key: the server does not start',
    async (args, env) => {
      using folder = temporaryFolder()
      const started = startProcess({ env: { PARLEY_DATA_DIR: folder.path, ...env }, args })
      await expect(started).rejects.toThrow(/PARLEY_API_KEY/)
    },
  )

  it('may be every address with a key, which is then asked for on loopback too', async () => {
    using folder = temporaryFolder()
    await using server = await startProcess({
      env: { PARLEY_DATA_DIR: folder.path, PARLEY_API_KEY: mainKey },
      args: ['--host', '0.0.0.0'],
    })
    const url = `http://127.0.0.1:${new URL(server.url).port}/api/sessions`
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(url, { headers: bearer(mainKey) })).status).toBe(200)
    expect((await fetch(url, { headers: { ...bearer(mainKey), origin: 'https://evil.test' } })).status).toBe(
      403,
    )
    expect(server.log()).not.toContain(mainKey)
  })
})

/** Of the sockets that the process listens on, the local addresses, as the system knows them. */
function listeningAddresses(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  const links = readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`))
  const inodes = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
      .map((fields) => toAddress(fields[1]!.split(':')[0]!)),
  )
}

/** The kernel writes addresses as words in the byte order of the machine. */
function toAddress(hex: string): string {
  if (hex.length === 8) return Buffer.from(hex, 'hex').toReversed().join('.')
  return hex === '00000000000000000000000001000000' ? '::1' : hex
}
