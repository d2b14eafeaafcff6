import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { expectRefusal, startApp, type AppServer, type AppServerOptions } from './http/app-server.ts'

interface ConnectOptions {
  headers?: Record<string, string>
  /** Default: the revision before the stateless one. */
  isModern?: boolean
}

// the client's own limit is a minute, which a hundred clients can keep a busy machine for
const patience = { timeout: 200_000 }

/** The client of the SDK, as it is published. */
async function connect({ url }: { url: string }, { headers = {}, isModern = false }: ConnectOptions = {}) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  await client.connect(transport, patience)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

async function open(script: Script = () => says('Hello'), options: AppServerOptions = {}) {
  const server = await startApp({ model: createScripted(script), ...options })
  const { sessions } = createClient({ baseUrl: server.url })
  return { server, sessions, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** What a tool answered; each test says what it should be. */
type Structured = { id: string; title: string; taskId: string; result?: unknown }

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Structured> {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: args }, patience)
  expect(isError, JSON.stringify(content)).toBeUndefined()
  return structuredContent as Structured
}

async function failure(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError, content } = await client.callTool({ name, arguments: args }, patience)
  expect(isError).toBe(true)
  return JSON.stringify(content)
}

const revisions = [
  ['2025-11-25', false],
  ['2026-07-28', true],
] as const

describe.each(revisions)('a client of %s', (_revision, isModern) => {
  it.each(anyDatabase)(
    'makes a session, talks in it, finds it and reads it, on %s',
    async (_name, openDatabase) => {
      await using database = await openDatabase()
      await using parley = await open(() => says('Fine, ', 'thanks.'), { database })
      await using client = await connect(parley.server, { isModern })
      expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([
        'create_session',
        'list_sessions',
        'read_session',
        'search',
        'send_message',
        'start_task',
        'task_status',
      ])
      const { id } = await call(client, 'create_session', { title: 'A chat' })
      const sent = await call(client, 'send_message', { session_id: id, content: 'How are you today?' })
      expect(sent).toMatchObject({ sessionId: id, answer: 'Fine, thanks.' })
      expect(await call(client, 'list_sessions', { query: 'today' })).toMatchObject({
        sessions: [{ id, title: 'A chat', messageCount: 2 }],
        nextCursor: null,
      })
      expect(await call(client, 'read_session', { session_id: id, limit: 1 })).toMatchObject({
        session: { id },
        messages: [{ seq: 2, role: 'assistant', text: 'Fine, thanks.' }],
        nextCursor: '2',
      })
      expect(await call(client, 'search', { query: 'thanks' })).toMatchObject({
        matches: [{ sessionId: id, seq: 2 }],
      })
      const { resources } = await client.listResources()
      expect(resources).toMatchObject([
        { uri: `parley://sessions/${id}`, name: 'A chat', mimeType: 'text/markdown' },
      ])
      const { contents } = await client.readResource({ uri: `parley://sessions/${id}` })
      expect(contents[0]).toMatchObject({ mimeType: 'text/markdown' })
      expect((contents[0] as { text: string }).text).toContain('How are you today?')
    },
  )

  it('is told how many messages a search has not seen, as after an import', async () => {
    // the index works by timers
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      await using parley = await open()
      await using client = await connect(parley.server, { isModern })
      const messages = Array.from({ length: 1_000 }, (_, index) => ({ role: 'user', content: `a ${index}` }))
      await parley.sessions.import(JSON.stringify({ messages }))
      const indexing = { messages: 1_000 }
      expect(await call(client, 'search', { query: 'a' })).toEqual({ matches: [], indexing })
      expect(await call(client, 'list_sessions', { query: 'a' })).toEqual({
        sessions: [],
        nextCursor: null,
        indexing,
      })
    } finally {
      vi.useRealTimers()
    }
  })

  it('follows a turn by its progress', async () => {
    await using parley = await open((_, count) => (count === 1 ? calls(['nothing', {}]) : says('Done.')))
    await using client = await connect(parley.server, { isModern })
    const { id } = await call(client, 'create_session')
    const told: string[] = []
    await client.callTool(
      { name: 'send_message', arguments: { session_id: id, content: 'go' } },
      { onprogress: ({ message }) => void told.push(message ?? '') },
    )
    expect(told.filter((message) => message === 'Asking the model')).toHaveLength(2)
  })

  it('stops waiting when it says so, and the turn goes on', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    let isAsked = false
    await using parley = await open(() => {
      isAsked = true
      return [gate, ...says('At last.')]
    })
    await using client = await connect(parley.server, { isModern })
    const { id } = await call(client, 'create_session')
    const abort = new AbortController()
    const asked = client.callTool(
      { name: 'send_message', arguments: { session_id: id, content: 'go' } },
      { signal: abort.signal },
    )
    const failed = expect(asked).rejects.toThrow()
    await expect.poll(() => isAsked).toBe(true)
    abort.abort()
    await failed
    go()
    await expect
      .poll(async () => (await parley.sessions.messages(id)).items.map((message) => messageText(message)))
      .toEqual(['go', 'At last.'])
  })

  it('starts a task and asks what became of it', async () => {
    await using parley = await open(() => calls(['set_result', { output: 'Four.' }]), { background: {} })
    await using client = await connect(parley.server, { isModern })
    const { taskId } = await call(client, 'start_task', { prompt: 'Two and two?', label: 'sum' })
    await expect
      .poll(async () => (await call(client, 'task_status', { task_id: taskId })).result)
      .toMatchObject({ status: 'success', output: 'Four.', label: 'sum' })
  })

  it('is told what is wrong, in the answer of the tool', async () => {
    await using parley = await open()
    await using client = await connect(parley.server, { isModern })
    const { id } = await call(client, 'create_session')
    const before = parley.server.dump()
    expect(await failure(client, 'read_session', { session_id: 'unknown' })).toContain('no session')
    expect(await failure(client, 'send_message', { session_id: 'unknown', content: 'x' })).toContain(
      'no session',
    )
    expect(await failure(client, 'task_status', { task_id: id })).toContain('is no task')
    expect(await failure(client, 'read_session', { session_id: '../x' })).toContain('letters')
    expect(await failure(client, 'list_sessions', { limit: 1_000_000 })).toContain('50')
    expect(await failure(client, 'create_session', { titel: 'x' })).toContain('titel')
    await expect(client.readResource({ uri: 'parley://sessions/unknown' })).rejects.toThrow(/no session/)
    expect(parley.server.dump()).toBe(before)
    expect(parley.server.bugs()).toEqual([])
  })
})

it('tells of a turn that failed', async () => {
  await using parley = await open(() => says(''))
  await using client = await connect(parley.server)
  const { id } = await call(client, 'create_session')
  expect(await failure(client, 'send_message', { session_id: id, content: 'x' })).toContain('empty_answer')
})

describe('the door', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }
  const accept = { accept: 'application/json, text/event-stream' }
  const introduce = (server: AppServer, headers: Record<string, string> = {}) =>
    server.send('POST', '/mcp', { headers: { ...accept, ...headers }, body: initialize })

  it('is shut to a foreign Host alone, and to a foreign Origin alone', async () => {
    await using parley = await open()
    const { server } = parley
    expectRefusal(await introduce(server, { host: 'evil.example' }), 'Host', 421)
    expectRefusal(await introduce(server, { origin: 'https://evil.example' }), 'Origin', 403)
    expectRefusal(await introduce(server, { origin: 'null' }), 'Origin null', 403)
    expect((await introduce(server)).status).toBe(200)
    expect((await introduce(server, { origin: server.url })).status).toBe(200)
  })

  it('needs the key of the server, and one that may enter the scope', async () => {
    const apiKeys = [
      { name: 'blue', key: 'blue-key-0123456789', scopes: ['blue'] },
      { name: 'red', key: 'red-key-01234567890', scopes: ['red'] },
    ]
    await using parley = await open(undefined, { apiKeys })
    const { server } = parley
    const blue = { authorization: 'Bearer blue-key-0123456789' }
    for (const method of ['GET', 'POST', 'DELETE'])
      expectRefusal(await server.send(method, '/mcp', { headers: accept }), method, 401)
    expectRefusal(await introduce(server, blue), 'the default scope', 403)
    expectRefusal(await introduce(server, { ...blue, 'x-parley-scope': 'red' }), 'another scope', 403)
    expectRefusal(await introduce(server, { ...blue, 'x-parley-scope': 'No Scope' }), 'no scope', 400)
    await using client = await connect(server, { headers: { ...blue, 'x-parley-scope': 'blue' } })
    const { id } = await call(client, 'create_session', { title: 'blue' })
    expect((await server.store.getSession('blue', id))?.title).toBe('blue')

    // whoever learned the id of a connection is not let in by it
    const known = String(
      (await introduce(server, { ...blue, 'x-parley-scope': 'blue' })).headers['mcp-session-id'],
    )
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const asked = (headers: Record<string, string>) =>
      server.send('POST', '/mcp', { headers: { ...accept, 'mcp-session-id': known, ...headers }, body: list })
    expect((await asked({ ...blue, 'x-parley-scope': 'blue' })).status).toBe(200)
    const red = { authorization: 'Bearer red-key-01234567890', 'x-parley-scope': 'red' }
    const stolen = await asked(red)
    const unknown = await asked({ ...red, 'mcp-session-id': 'unknown' })
    expect([stolen.status, stolen.text]).toEqual([404, unknown.text])
  })

  it('answers nonsense as MCP does, and never with a bug', async () => {
    await using parley = await open()
    const { server } = parley
    const bodies = [null, 1, 'x', [], {}, [[]], [{}], { jsonrpc: '1.0' }, { ...initialize, id: {} }]
    const methods = ['', 'tools/call', 'nothing', '__proto__'].map((method) => ({ ...initialize, method }))
    for (const body of [...bodies, ...methods, { ...initialize, params: 1 }])
      for (const id of [undefined, 'unknown']) {
        const headers = { ...accept, 'content-type': 'application/json', ...(id && { 'mcp-session-id': id }) }
        const { status, text } = await server.send('POST', '/mcp', { headers, body: JSON.stringify(body) })
        expect(status >= 400 && status < 500, `${JSON.stringify(body)} → ${status} ${text}`).toBe(true)
      }
    for (const method of ['GET', 'DELETE'])
      expect((await server.send(method, '/mcp', { headers: accept })).status).toBe(400)
    expect(server.bugs()).toEqual([])
  })

  it('lets a client say goodbye', async () => {
    await using parley = await open()
    const { server } = parley
    const id = String((await introduce(server)).headers['mcp-session-id'])
    const headers = { ...accept, 'mcp-session-id': id }
    expect((await server.send('DELETE', '/mcp', { headers })).status).toBe(200)
    expect((await server.send('DELETE', '/mcp', { headers })).status).toBe(404)
  })

  it('does not keep a server from stopping while clients listen', async () => {
    const parley = await open()
    const id = String((await introduce(parley.server)).headers['mcp-session-id'])
    const listening = await fetch(`${parley.server.url}/mcp`, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': id },
    })
    expect(listening.status).toBe(200)
    await parley.server[Symbol.asyncDispose]()
    // ended, not torn
    expect(await listening.text()).not.toContain('data:')
  })
})

it.each(revisions)(
  'gives 100 clients of %s that use the same ids their own answers',
  async (_revision, isModern) => {
    await using parley = await open()
    const titles = Array.from({ length: 100 }, (_, index) => `client ${index}`)
    // each client numbers its requests from 0, so that all of them use the same ids at the same time
    const clients = await Promise.all(titles.map(() => connect(parley.server, { isModern })))
    // a release makes 100,000 calls
    const rounds = Number(process.env.PARLEY_TEST_MCP_ROUNDS ?? 5)
    const crossed = await Promise.all(
      clients.map(async (client, index) => {
        let wrong = 0
        for (let round = 0; round < rounds; round++) {
          const title = `${titles[index]} round ${round}`
          if ((await call(client, 'create_session', { title })).title !== title) wrong++
        }
        return wrong
      }),
    )
    expect(crossed.reduce((sum, wrong) => sum + wrong, 0)).toBe(0)
    await Promise.all(clients.map((client) => client.close()))
  },
  600_000,
)
