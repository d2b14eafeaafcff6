import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/operations.ts'
import { joinFacets } from '../../src/core/protocol/joined-facets.ts'
import { takesLarge } from '../../src/core/http/body-class.ts'
import { requireBody } from '../../src/core/http/body.ts'
import { defineRoute, type RouteContribution, type RouteHost } from '../../src/core/http/contributions.ts'
import { json, jsonBody, refusals } from '../../src/core/http/responses.ts'
import { conflict, ParleyError } from '../../src/core/protocol/error.ts'
import { inScopeSchema, scopeSchema } from '../../src/core/protocol/names.ts'
import { builtInRoutes, type RouteServices } from './built-in-routes.ts'
import { createApp, createMetrics, type ServerDeps } from '../../src/server/index.ts'
import { createWatchers } from '../../src/core/watch/watcher.ts'
import { defaultLimits, expectRefusal, startApp, type AppServerOptions } from './app-server.ts'

const voteSchema = z.strictObject({ scope: scopeSchema.optional(), option: z.string() })
const votedSchema = z.object({ by: z.string(), scope: z.string(), size: z.int() }).meta({ id: 'Voted' })

const vote = defineRoute({
  method: 'post',
  path: '/api/polls/{id}/votes',
  summary: 'Vote in a poll',
  tags: ['polls'],
  request: { params: z.object({ id: z.string() }), query: inScopeSchema, body: jsonBody(voteSchema) },
  middleware: requireBody,
  responses: { 200: json(votedSchema, 'The vote'), ...refusals },
})
const ballot = defineRoute({ ...vote, ...takesLarge, path: '/api/polls/{id}/ballots' })
const ofSession = defineRoute({
  method: 'get',
  path: '/api/polls/of/{sessionId}',
  summary: 'The poll of a session',
  request: { params: z.object({ sessionId: z.string() }) },
  responses: { 200: json(votedSchema, 'Whatever'), ...refusals },
})

/** What somebody's extension might add; its handlers do nothing for safety themselves. */
const polls: RouteContribution = {
  name: 'polls',
  register(host) {
    for (const route of [vote, ballot])
      host.add(route, (c, { actor, scope }) => {
        const { option } = c.req.valid('json')
        if (option === 'twice') throw conflict('This person has voted already.')
        if (option === 'bug') throw new TypeError('a secret of the code')
        return c.json({ by: actor.id, scope, size: option.length }, 200)
      })
    host.add(ofSession, (c, { actor, scope }) => c.json({ by: actor.id, scope, size: 0 }, 200))
    host.addUndescribed(['GET'], '/polls-feed', (c, { scope }) => c.text(scope))
  },
}

const apiKeys = [
  { name: 'all', key: 'all-0123456789abcdef' },
  { name: 'blue', key: 'blue-0123456789abcde', scopes: ['blue'] },
]
const as = (name: string) => ({
  authorization: `Bearer ${apiKeys.find((entry) => entry.name === name)!.key}`,
})
const votes = '/api/polls/p1/votes'

const startPolls = (options: AppServerOptions = {}) =>
  startApp({ apiKeys, contributions: { routes: [polls] }, ...options })

describe('a contributed route', () => {
  it.each([
    ['POST', votes],
    ['POST', '/api/polls/p1/ballots'],
    ['GET', '/api/polls/of/ses_1'],
    ['GET', '/polls-feed'],
  ])('is refused without a key: %s %s', async (method, path) => {
    await using server = await startPolls()
    const body = method === 'POST' ? { option: 'a' } : undefined
    expectRefusal(await server.send(method, path, { body }), path, 401)
    const wrong = { authorization: 'Bearer wrong-0123456789abcde' }
    expectRefusal(await server.send(method, path, { body, headers: wrong }), path, 401)
  })

  it('knows who calls, and in which scope', async () => {
    await using server = await startPolls()
    const send = (headers: Record<string, string>, body: object, query = '') =>
      server.send('POST', `${votes}${query}`, { headers, body })
    expect((await send(as('all'), { option: 'abc' })).json).toEqual({ by: 'all', scope: 'default', size: 3 })
    expect((await send(as('blue'), { option: 'a', scope: 'blue' })).json).toMatchObject({ scope: 'blue' })
    expect((await send(as('blue'), { option: 'a' }, '?scope=blue')).json).toMatchObject({ scope: 'blue' })
    for (const body of [{ option: 'a' }, { option: 'a', scope: 'red' }])
      expect(expectRefusal(await send(as('blue'), body), 'a foreign scope', 403).code).toBe('forbidden')
    expectRefusal(await send(as('blue'), { option: 'a' }, '?scope=red'), 'a foreign scope', 403)
  })

  it('is bound to a scope also where it speaks another protocol', async () => {
    await using server = await startPolls()
    const get = (scope: string) =>
      server.send('GET', '/polls-feed', { headers: { ...as('blue'), 'x-parley-scope': scope } })
    expect((await get('blue')).text).toBe('blue')
    expectRefusal(await get('red'), 'red', 403)
    expectRefusal(await get('No Scope'), 'no scope', 400)
    expectRefusal(await server.send('GET', '/polls-feed', { headers: as('blue') }), 'default', 403)
  })

  it('takes a small body unless it says otherwise', async () => {
    await using server = await startPolls({ limits: { jsonBytes: 1_000 } })
    const body = { option: 'x'.repeat(2_000) }
    const send = (path: string) => server.send('POST', path, { headers: as('all'), body })
    expect(expectRefusal(await send(votes), 'large', 413).message).toContain('limits.jsonBytes')
    expect((await send('/api/polls/p1/ballots')).json).toMatchObject({ size: 2_000 })
  })

  it('answers what is refused in the one shape, and tells nothing of bugs', async () => {
    await using server = await startPolls()
    const send = (body: unknown) => server.send('POST', votes, { headers: as('all'), body })
    expect(expectRefusal(await send({ option: 'twice' }), 'twice', 409).code).toBe('conflict')
    const misfit = expectRefusal(await send({ option: 1, more: true }), 'misfit', 400)
    expect(misfit.code).toBe('invalid_request')
    expect(misfit.message).toContain('option')
    expectRefusal(await send({}), 'nothing', 400)
    const broken = await send({ option: 'bug' })
    expect(expectRefusal(broken, 'bug', 500).code).toBe('internal')
    expect(broken.text).not.toContain('secret')
    expect(server.bugs()).toHaveLength(1)
    expectRefusal(await server.send('PUT', votes, { headers: as('all') }), 'another method', 405)
    const unknown = await server.send('GET', '/api/polls/of/x?more=1', { headers: as('all') })
    expectRefusal(unknown, 'an unknown parameter', 400)
  })

  it('may have errors of another shape below a path of its own, for whatever is refused there', async () => {
    const shaped: RouteContribution = {
      name: 'shaped',
      errors: { under: '/polls/', toBody: ({ status }) => ({ failed: status }) },
      register: (host) => host.addUndescribed(['GET'], '/polls/open', () => Promise.reject(conflict('No.'))),
    }
    await using server = await startPolls({ contributions: { routes: [shaped] } })
    const failed = async (path: string, headers = {}) => (await server.send('GET', path, { headers })).json
    expect(await failed('/polls/open')).toEqual({ failed: 401 })
    expect(await failed('/polls/open', as('all'))).toEqual({ failed: 409 })
    expect(await failed('/polls/else', as('all'))).toEqual({ failed: 404 })
    expectRefusal(await server.send('GET', '/api/else', { headers: as('all') }), 'elsewhere', 404)
  })

  it('is counted by its pattern', async () => {
    await using server = await startPolls()
    await server.send('POST', votes, { headers: as('all'), body: { option: 'a' } })
    await server.send('POST', votes, { body: { option: 'a' } })
    const { text } = await server.send('GET', '/metrics', { headers: as('all') })
    const series = (status: number) =>
      `parley_http_requests_total{method="POST",route="/api/polls/:id/votes",status="${status}"} 1`
    expect(text).toContain(series(200))
    expect(text).toContain('status="401"')
  })

  it('is in the OpenAPI document, with the scope that every route has', async () => {
    await using server = await startPolls()
    const { json: document } = await server.send('GET', '/openapi.json')
    const { paths, components } = document as unknown as {
      paths: Record<string, Record<string, { summary: string; parameters: { name: string }[] }>>
      components: { schemas: Record<string, unknown> }
    }
    expect(paths['/api/polls/{id}/votes']?.post?.summary).toBe('Vote in a poll')
    expect(paths['/api/polls/of/{sessionId}']?.get?.parameters.map(({ name }) => name)).toEqual([
      'sessionId',
      'scope',
    ])
    expect(components.schemas).toHaveProperty('Voted')
    expect(paths).not.toHaveProperty('/polls-feed')
  })

  it('shows nothing of a session that somebody sealed', async () => {
    await using server = await startPolls({
      contributions: {
        routes: [polls],
        seals: [
          async (_store, place) =>
            'sessionId' in place && place.sessionId === 'ses_sealed'
              ? new ParleyError('forbidden', 'Not before the poll is closed.')
              : undefined,
        ],
      },
    })
    const get = (path: string) => server.send('GET', path, { headers: as('all') })
    for (const path of ['/api/polls/of/ses_sealed', '/api/sessions/ses_sealed/messages'])
      expect(expectRefusal(await get(path), path, 403).message).toBe('Not before the poll is closed.')
    expect((await get('/api/polls/of/ses_open')).status).toBe(200)
  })

  it('lets pages of allowed origins send and read the headers that it names', async () => {
    const contributions = {
      routes: [{ ...polls, browserHeaders: { request: ['X-Poll'], response: ['X-Votes'] } }],
    }
    await using server = await startPolls({ contributions, allowedOrigins: ['http://a.example'] })
    const headers = { origin: 'http://a.example', 'access-control-request-method': 'POST' }
    const preflight = await server.send('OPTIONS', votes, { headers })
    expect(preflight.headers['access-control-allow-headers']).toMatch(/, X-Poll$/)
    expect(preflight.headers['access-control-expose-headers']).toContain('X-Votes, X-Parley-Run')
  })
})

describe('createApp', () => {
  /** With nothing to work with: its routes are there, and none is called. */
  const createIdle = (...routes: RouteContribution[]) =>
    createApp(
      {
        operations: Object.entries(operations).map(([name, entry]) => ({
          name,
          operations: entry,
          deps: {},
        })),
        contributions: {
          routes: [...builtInRoutes({} as RouteServices), ...routes],
          seals: [],
          metrics: [],
          pages: [],
        },
        store: { facets: joinFacets([]) },
        metrics: createMetrics(),
        limits: defaultLimits,
      } as unknown as ServerDeps,
      { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
    )
  const adding = (name: string, ...paths: string[]): RouteContribution => ({
    name,
    register(host: RouteHost) {
      for (const path of paths) host.addUndescribed(['GET'], path, (c) => c.text(''))
    },
  })

  it.each(['/', '/docs/polls', '/assets/polls.js', '/healthz', '/:any', '/*', '/polls/*', 'polls'])(
    'refuses a contributed route at %s, which could be reached without a key',
    (path) => {
      expect(() => createIdle(adding('polls', path))).toThrow(
        `The routes of "polls" have the path "${path}".`,
      )
    },
  )

  it.each([
    ['/metrics', [adding('polls', '/metrics')]],
    ['/api/sessions/polls', [adding('polls', '/api/sessions/polls')]],
    ['/v1/models', [adding('polls', '/v1/models')]],
    ['/polls/:id', [adding('first', '/polls/:one'), adding('polls', '/polls/:id')]],
  ])('refuses a contributed route at %s, which somebody has', (path, routes) => {
    expect(() => createIdle(...routes)).toThrow(`The routes of "polls" have "${path}", which GET`)
  })

  it.each(['/api/', '/v1/', '/'])('refuses errors of another shape for %s', (under) => {
    const shaped = { ...adding('polls', '/polls/open'), errors: { under, toBody: () => ({}) } }
    expect(() => createIdle(shaped)).toThrow(`The error shape of "polls" is for "${under}"`)
  })
})

describe('a contributed metric', () => {
  it('is read at every scrape, and left out of one that fails', async () => {
    let open = 2
    const metrics = createMetrics({
      watchers: createWatchers(),
      contributions: {
        metrics: [
          {
            name: 'polls_votes_total',
            help: 'Votes',
            type: 'counter',
            labels: ['poll'],
            read: () => [{ labels: { poll: 'a' }, value: 5 }],
          },
          {
            name: 'polls_open',
            help: 'Polls that are open',
            type: 'gauge',
            read: async () => {
              if (open < 0) throw new Error('The store does not answer.')
              return [{ value: open }]
            },
          },
        ],
      },
      store: { subscribe: () => () => {}, readLoad: () => Promise.reject(new Error('closed')) },
      chats: { observerCount: 0 },
      events: { followers: 0 },
      version: '0',
    } as never)
    const scrape = () => metrics.registry.metrics()
    const first = await scrape()
    expect(first).toContain('# HELP polls_votes_total Votes\n# TYPE polls_votes_total counter\n')
    expect(first).toContain('polls_votes_total{poll="a"} 5')
    expect(first).toContain('polls_open 2')
    open = 3
    expect(await scrape()).toContain('polls_open 3')
    open = -1
    const failed = await scrape()
    expect(failed).not.toMatch(/^polls_open /m)
    expect(failed).toContain('polls_votes_total{poll="a"} 5')
  })
})
