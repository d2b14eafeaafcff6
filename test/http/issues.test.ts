/** What is wrong with an input, told to programs, by real requests and by calls in the process. */
import { describe, expect, it } from 'vitest'
import { createParley, issuesOf as issuesOfLibrary } from '../../src/index.ts'
import { countMoreIssues, createClient, issuesOf, type Issue } from '../../src/client/index.ts'
import { temporaryFolder } from '../harness.ts'
import { expectRefusal, startApp, type AppServer } from './app-server.ts'

async function refusalOf(server: AppServer, method: string, path: string, body?: unknown) {
  const answer = await server.send(method, path, body === undefined ? {} : { body: body as object })
  return expectRefusal(answer, `${method} ${path}`, 400)
}

const at = (path: Issue['path'], code: Issue['code'], params: Issue['params']): Issue => ({
  path,
  code,
  params,
})

const missingText = at(['messages', 1, 'parts', 0, 'text'], 'custom', {
  message: 'a text part needs a string "text"',
})

describe('an input that does not fit', () => {
  it.each<[name: string, method: string, path: string, body: unknown, issues: Issue[]]>([
    [
      'a field that is missing',
      'POST',
      '/api/crons',
      { prompt: 'go' },
      [at(['schedule'], 'required', { expected: ['string'] })],
    ],
    [
      'fields of another type, and too large',
      'POST',
      '/api/sessions',
      { title: 'x'.repeat(501), toolGroups: 5 },
      [
        at(['title'], 'too_big', { origin: 'string', maximum: 500, inclusive: true }),
        at(['toolGroups'], 'invalid_type', { expected: ['object'] }),
      ],
    ],
    [
      'an unknown key',
      'POST',
      '/api/sessions',
      { titel: 'Dinner' },
      [at([], 'unknown_key', { keys: ['titel'] })],
    ],
    [
      'the field that decides between kinds',
      'POST',
      '/api/sessions',
      { kind: 'robot' },
      [
        at(['kind'], 'invalid_value', {
          values: ['interactive', 'tool', 'background'],
          message: 'expected "interactive", "tool" or "background"',
        }),
      ],
    ],
    [
      'something deep within',
      'POST',
      '/api/sessions',
      { agents: ['milk'], room: { selector: { transitions: { milk: ['a', 'b c'] } }, hopLimit: 21 } },
      [
        at(['room', 'selector', 'transitions', 'milk', 1], 'invalid_format', {
          format: 'agent_name',
          message: expect.stringContaining('must be 1 to 64') as unknown as string,
        }),
        at(['room', 'hopLimit'], 'too_big', { origin: 'number', maximum: 20, inclusive: true }),
      ],
    ],
    [
      'a parameter of the query',
      'GET',
      '/api/sessions?limit=many',
      undefined,
      [at(['limit'], 'invalid_format', { format: 'whole_number', message: 'must be a whole number' })],
    ],
    [
      'a rule over several fields',
      'POST',
      '/api/memories',
      { layer: 'scope', type: 'profile', text: ' ' },
      [
        at(['text'], 'custom', { rule: 'not_blank', message: 'must not be empty' }),
        at(['type'], 'custom', {
          rule: 'profile_layer',
          message: '"profile" goes with layer "user" only',
        }),
      ],
    ],
    [
      'what no schema could know: a schedule',
      'POST',
      '/api/crons',
      { prompt: 'go', schedule: 'every day' },
      [at(['schedule'], 'custom', {})],
    ],
    [
      'a time zone',
      'POST',
      '/api/crons/preview',
      { schedule: '@daily', timeZone: 'Mars' },
      [at(['timeZone'], 'custom', {})],
    ],
    [
      'a model that nobody has',
      'POST',
      '/api/agents',
      { name: 'milk', model: 'nobody/knows' },
      [at(['model'], 'custom', {})],
    ],
    [
      'agents that are not there',
      'POST',
      '/api/sessions',
      { agents: ['nobody'] },
      [at(['agents'], 'custom', {})],
    ],
    [
      'options of a mode',
      'POST',
      '/api/sessions',
      { mode: 'werewolf', agents: ['milk'], modeState: { roles: { wolves: 'many' } } },
      [at(['modeState', 'roles', 'wolves'], 'invalid_type', { expected: ['number'] })],
    ],
    [
      'a list of tasks',
      'POST',
      '/api/plans',
      { title: 'Trip', markdown: 'no list' },
      [at(['markdown'], 'custom', {})],
    ],
  ])('says where and why: %s', async (_name, method, path, body, issues) => {
    await using server = await startApp()
    const { details } = await refusalOf(server, method, path, body)
    expect((details as { issues: Issue[] }).issues).toEqual(issues)
  })

  it('says so in a message of a chat, of which only the last is looked at', async () => {
    await using server = await startApp()
    const { id } = (await server.send('POST', '/api/sessions', { body: {} })).json as { id: string }
    const messages = [{ role: 'user' }, { role: 'user', parts: [{ type: 'text' }] }]
    const refusal = await refusalOf(server, 'POST', `/api/sessions/${id}/chat`, { messages })
    expect(refusal.message).toMatch(/^The last of "messages" is the input\. At "parts\.0\.text"/)
    expect(refusal.details).toEqual({ issues: [missingText] })
  })

  it('tells five, and how many more there are, to whoever asks by the client', async () => {
    await using server = await startApp()
    const client = createClient({ baseUrl: server.url })
    const tools = Array.from({ length: 8 }, () => 5 as never)
    const error = await client.agents.create({ name: 'milk', tools }).catch((thrown: unknown) => thrown)
    expect(issuesOf(error)).toHaveLength(5)
    expect(issuesOf(error)[4]).toEqual(at(['tools', 4], 'invalid_type', { expected: ['string'] }))
    expect(countMoreIssues(error)).toBe(3)
  })

  it('repeats no key of a provider, wherever it was put', async () => {
    await using server = await startApp()
    const secret = 'sk-do not repeat'
    for (const [body, code] of [
      [{ apiKey: secret }, 'invalid_format'],
      [{ apiKey: [secret] }, 'invalid_type'],
      [{ baseUrl: secret }, 'custom'],
      [[secret], 'invalid_type'],
    ] as const) {
      const answer = await server.send('PUT', '/api/providers/openai', { body })
      const { details } = expectRefusal(answer, code, 400)
      expect((details as { issues: Issue[] }).issues).toMatchObject([{ code }])
      expect(answer.text).not.toContain('not repeat')
    }
  })

  it('keeps the details of other refusals as they are', async () => {
    await using server = await startApp()
    const gone = await server.send('GET', '/api/sessions/ses_gone')
    expect(expectRefusal(gone, 'a session that is gone', 404).details).toEqual({ id: 'ses_gone' })
    const refused = await server.send('POST', '/v1/chat/completions', { body: { model: 5 } })
    expect(expectRefusal(refused, 'the shape of OpenAI', 400)).toMatchObject({ param: 'model' })
  })

  it('is described in the document of the API', async () => {
    await using server = await startApp()
    const { json } = await server.send('GET', '/openapi.json')
    expect(json).toMatchObject({
      components: {
        schemas: {
          Error: {
            properties: {
              error: { properties: { details: { properties: { issues: { type: 'array' } } } } },
            },
          },
          Issue: { required: ['path', 'code', 'params'] },
        },
      },
    })
  })

  it('says the same in the process', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const refused = (work: Promise<unknown>) => work.then(() => [], issuesOfLibrary)
    const wrong = at(['title'], 'invalid_type', { expected: ['string'] })
    expect(await refused(parley.sessions.create({ title: 5 as never }))).toEqual([wrong])
    const secret = { apiKey: 'sk-do not repeat' }
    expect(await refused(parley.providers.put('openai', secret))).toEqual([
      at(['apiKey'], 'invalid_format', { format: 'printable_ascii' }),
    ])
    const { id } = await parley.sessions.create({})
    expect(await refused((async () => parley.sessions.chat(id, {} as never))())).toEqual([
      at(['content'], 'custom', {
        rule: 'one_of',
        keys: ['content', 'messages'],
        message: 'give either "content" or "messages"',
      }),
    ])
  })
})
