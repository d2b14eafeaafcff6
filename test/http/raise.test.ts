import { describe, expect, it } from 'vitest'
import {
  addSessionWith,
  checkEach,
  isDescribed,
  routesOf,
  speaksMcp,
  startApp,
  validRequestOf,
  type AppServer,
  type RouterEntry,
} from './app-server.ts'
import { fieldsOf, withField, type ApiDocument } from './request-fields.ts'

/**
 * What a key that is bound to a scope could give itself: modes, groups, rules, grants and remembered answers, wherever the
 * OpenAPI document has such a field. A new route is found by itself.
 */

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const operator = { authorization: 'Bearer operator-0123456789' }
const guest = { authorization: 'Bearer guest-0123456789012' }

/** Values that would raise something, by the name of the field. */
const raising: Record<string, unknown[]> = {
  permissionMode: ['bypassPermissions', 'acceptEdits'],
  permissionRules: [
    [{ tool: '*', decision: 'allow' }],
    [
      { tool: 'file', decision: 'deny' },
      { tool: 'terminal', path: '*', decision: 'allow' },
    ],
  ],
  toolGroups: [{ terminal: true }, { web: false, terminal: true }],
  grantedPaths: [['/etc/granted']],
  remember: ['session', 'scope'],
}
/** Names that sound as if they raised something; one that is new has to be put here or there. */
const isAboutRights = (name: string) =>
  /permission|toolGroup|grant|remember|bypass|unrestricted|elevat|sudo/i.test(name)
const marks = /bypassPermissions|acceptEdits|decision\\*":\\*"allow|terminal\\*":true|\/etc\/granted/

interface Attempt {
  route: RouterEntry
  keys: string[]
  value: unknown
}

function* attemptsOn(server: AppServer, document: ApiDocument): Generator<Attempt> {
  for (const route of routesOf(server).filter((one) => isDescribed(one) && !speaksMcp(one))) {
    const operation = document.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) continue
    for (const { keys } of fieldsOf(schema, document, new Set())) {
      const name = keys.at(-1)!
      if (!isAboutRights(name)) continue
      expect(
        raising,
        `${route.method} ${route.path} takes "${keys.join('.')}": say what would raise it`,
      ).toHaveProperty(name)
      for (const value of raising[name]!) yield { route, keys, value }
    }
  }
}

describe('a key that is bound to a scope', () => {
  it('raises nothing by any field of any route, and is told so where the operator would be heard', async () => {
    await using server = await startApp({ apiKeys })
    const document = (await server.send('GET', '/openapi.json')).json as unknown as ApiDocument
    const attempts = [...attemptsOn(server, document)]
    const send = async ({ route, keys, value }: Attempt, headers: Record<string, string>) => {
      const { id, messageIds } = await addSessionWith(operator, server, 'red', 'a text')
      const { path, body } = validRequestOf(route, { id, messageId: messageIds[0]!, scope: 'red' })
      const beside = keys[0] === 'remember' ? { decision: 'approve' } : {}
      return server.send(route.method, path, {
        headers,
        body: withField({ ...body, ...beside }, keys, value),
      })
    }
    const refused: string[] = []
    await checkEach(attempts, async (attempt) => {
      const answer = await send(attempt, guest)
      const name = `${attempt.route.method} ${attempt.route.path} ${attempt.keys.join('.')}`
      const hint = `${name} ${JSON.stringify(attempt.value)} → ${answer.status} ${answer.text}`
      expect(server.dump({ without: ['audit'] }).match(marks)?.[0], hint).toBeUndefined()
      if (answer.status === 403) {
        expect(answer.text, hint).toMatch(/bound to scopes may not (set|switch|add|have)/)
        refused.push(name)
      } else expect(answer.status, hint).toBe(400)
    })
    expect([...new Set(refused)].toSorted()).toEqual(
      expect.arrayContaining([
        'PATCH /api/sessions/:id permissionMode',
        'PATCH /api/sessions/:id permissionRules',
        'PATCH /api/sessions/:id toolGroups',
        'PATCH /api/settings permissionMode',
        'PATCH /api/settings permissionRules',
        'PATCH /api/settings toolGroups',
        'POST /api/approvals/:id remember',
        'POST /api/sessions permissionMode',
        'POST /api/sessions permissionRules',
        'POST /api/sessions toolGroups',
      ]),
    )
    // each of them says yes to the one who may
    for (const attempt of attempts.filter(({ route, keys }) =>
      refused.includes(`${route.method} ${route.path} ${keys.join('.')}`),
    ))
      expect((await send(attempt, operator)).status, JSON.stringify(attempt)).toBeLessThan(300)
    expect(server.bugs()).toEqual([])
  })

  const open = async (scopeSettings: object = {}, session: object = {}) => {
    const server = await startApp({ apiKeys })
    const settings = await server.send('PATCH', '/api/settings', {
      headers: operator,
      body: { scope: 'red', ...scopeSettings },
    })
    expect(settings.status, settings.text).toBe(200)
    const created = await server.send('POST', '/api/sessions', {
      headers: operator,
      body: { scope: 'red', ...session },
    })
    expect(created.status, created.text).toBe(201)
    const patch = async (body: object) =>
      (
        await server.send('PATCH', `/api/sessions/${String(created.json?.id)}`, {
          headers: guest,
          body: { scope: 'red', ...body },
        })
      ).status
    const set = async (body: object) =>
      (await server.send('PATCH', '/api/settings', { headers: guest, body: { scope: 'red', ...body } }))
        .status
    return { server, patch, set, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }
  const deny = { tool: 'file', path: '**/.env', decision: 'deny' as const }
  const ask = { tool: 'file', decision: 'ask' as const }

  it('takes no limit of its scope away, by leaving it out, by null, or by a rule in front of it', async () => {
    await using red = await open({
      permissionMode: 'plan',
      permissionRules: [deny],
      toolGroups: { web: false },
    })
    for (const body of [
      { permissionMode: null },
      { permissionMode: 'default' },
      { permissionRules: null },
      { permissionRules: [] },
      { permissionRules: [{ ...deny, path: '**/other' }] },
      { permissionRules: [ask, deny] },
      { toolGroups: null },
      { toolGroups: {} },
      { toolGroups: { web: true } },
      { toolGroups: { task: false } },
    ])
      expect(await red.set(body), JSON.stringify(body)).toBe(403)
  })

  it('narrows what it likes', async () => {
    await using red = await open({ permissionMode: 'acceptEdits', permissionRules: [deny] })
    for (const body of [
      { permissionMode: 'default' },
      { permissionMode: 'dontAsk' },
      { permissionRules: [deny, ask] },
      { permissionRules: [{ tool: 'web_fetch', decision: 'deny' }, deny, ask] },
      { toolGroups: { web: false, terminal: false } },
    ])
      expect(await red.set(body), JSON.stringify(body)).toBe(200)
  })

  it('changes a session within what the scope has, there and back', async () => {
    await using red = await open({ permissionMode: 'acceptEdits', toolGroups: { terminal: true } })
    for (const body of [
      { permissionMode: 'plan' },
      { permissionMode: 'acceptEdits' },
      { permissionMode: null },
      { toolGroups: { terminal: false } },
      { toolGroups: { terminal: true } },
      { permissionRules: [deny, ask] },
      { permissionRules: [] },
      { allowedTools: ['file'] },
      { allowedTools: null },
    ])
      expect(await red.patch(body), JSON.stringify(body)).toBe(200)
    expect(await red.patch({ permissionMode: 'bypassPermissions' })).toBe(403)
  })

  it('takes no limit away from a session that the operator gave more than the scope has', async () => {
    const limits = { permissionRules: [deny], allowedTools: ['file'], toolGroups: { web: false } }
    await using red = await open({}, { permissionMode: 'bypassPermissions', ...limits })
    for (const body of [
      { permissionRules: [] },
      { permissionRules: [ask, deny] },
      { allowedTools: null },
      { allowedTools: [] },
      { allowedTools: ['file', 'terminal'] },
      { toolGroups: null },
      { toolGroups: { terminal: true } },
    ])
      expect(await red.patch(body), JSON.stringify(body)).toBe(403)
    expect(await red.patch({ title: 'Renamed', permissionMode: 'acceptEdits' })).toBe(200)
  })
})
