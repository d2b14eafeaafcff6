import { describe, expect, it } from 'vitest'
import { addSession, expectRefusal, startApp, type AppServer, type SendOptions } from './app-server.ts'

/** Who may sit behind a page that talks to this machine. */
const foreignOrigins = (port: number): string[] => [
  'null',
  'file://',
  'https://evil.test',
  'http://evil.test',
  `http://evil.test:${port}`,
  `http://localhost.evil.test:${port}`,
  `http://127.0.0.1.evil.test:${port}`,
  'http://localhost',
  'http://127.0.0.1',
  'http://localhost:3000',
  `http://127.0.0.1:${port - 1}`,
  `http://127.0.0.2:${port}`,
  `http://0.0.0.0:${port}`,
  `http://[::ffff:127.0.0.1]:${port}`,
  `http://localhost.:${port}`,
  `http://127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}.evil.test`,
  `http://evil.test#127.0.0.1:${port}`,
  `http://evil@127.0.0.1:${port}`,
  `HTTP://127.0.0.1:${port}`,
  `ftp://127.0.0.1:${port}`,
  `ws://127.0.0.1:${port}`,
  `//127.0.0.1:${port}`,
  `127.0.0.1:${port}`,
  'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'moz-extension://11111111-2222-3333-4444-555555555555',
  'vscode-webview://abcdef',
  'app://obsidian.md',
  'tauri://localhost',
  'capacitor://localhost',
  'https://app.example.evil.test',
  'https://evil-app.example',
  'https://app.example:444',
  'http://app.example',
  `http://127.0.0.1:${port}, https://evil.test`,
  `https://evil.test http://127.0.0.1:${port}`,
  '*',
  '',
]

const allowed = 'https://app.example'

/** What a page can send without asking first, and what it can only ask for. */
const requests = (id: string): [name: string, method: string, path: string, options: SendOptions][] => [
  ['a form', 'POST', '/api/sessions', form('title=x')],
  ['a multipart form', 'POST', '/api/sessions', multipart],
  ['JSON as plain text', 'POST', '/api/sessions', plain('{"title":"x"}')],
  ['JSON as plain text to the import', 'POST', '/api/sessions/import', plain('{"messages":[]}')],
  ['no content type', 'POST', '/api/sessions', { body: '{"title":"x"}' }],
  ['no body', 'POST', '/api/sessions', {}],
  ['JSON', 'POST', '/api/sessions', { body: { title: 'x' } }],
  ['JSON to the log', 'POST', `/api/sessions/${id}/messages`, { body: { role: 'user', content: 'x' } }],
  ['a GET', 'GET', `/api/sessions/${id}`, {}],
  ['a GET with a search', 'GET', '/api/sessions?q=secret', {}],
  ['a GET that names a method', 'GET', `/api/sessions/${id}?_method=DELETE`, override('DELETE')],
  ['a POST that names a method', 'POST', `/api/sessions/${id}`, override('DELETE')],
  ['a PATCH', 'PATCH', `/api/sessions/${id}`, { body: { title: 'x' } }],
  ['a DELETE', 'DELETE', `/api/sessions/${id}`, {}],
]

const form = (body: string): SendOptions => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})
const plain = (body: string): SendOptions => ({ headers: { 'content-type': 'text/plain' }, body })
const override = (method: string): SendOptions => ({ headers: { 'x-http-method-override': method } })
const multipart: SendOptions = {
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--\r\n',
}

const withOrigin = (options: SendOptions, origin: string): SendOptions => ({
  ...options,
  headers: { ...options.headers, origin },
})

const preflight = (server: AppServer, origin: string, path: string, method: string) =>
  server.send('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type, idempotency-key, x-api-key',
      'access-control-request-private-network': 'true',
    },
  })

describe('a page of another site', () => {
  it('changes nothing and reads nothing, whatever kind of request it sends', async () => {
    await using server = await startApp({ allowedOrigins: [allowed] })
    const { id } = await addSession(server, 'default', 'a secret')
    const origins = foreignOrigins(server.port)
    expect(origins.length).toBeGreaterThanOrEqual(30)
    const before = server.dump()
    for (const origin of origins)
      for (const [name, method, path, options] of requests(id)) {
        const answer = await server.send(method, path, withOrigin(options, origin))
        const hint = `${name} from ${JSON.stringify(origin)}`
        const { message } = expectRefusal(answer, hint, 403)
        expect(message, hint).toContain(JSON.stringify(origin).slice(0, 60))
        expect(answer.text, hint).not.toContain('secret')
        expect(answer.headers['access-control-allow-origin'], hint).toBeUndefined()
        expect(answer.headers['access-control-allow-credentials'], hint).toBeUndefined()
      }
    expect(server.dump()).toBe(before)
  })

  it('is not allowed anything by a preflight', async () => {
    await using server = await startApp({ allowedOrigins: [allowed] })
    const { id } = await addSession(server)
    for (const origin of foreignOrigins(server.port))
      for (const [path, method] of [
        ['/api/sessions', 'POST'],
        [`/api/sessions/${id}`, 'DELETE'],
        ['/nowhere', 'PUT'],
      ]) {
        const answer = await preflight(server, origin, path!, method!)
        expectRefusal(answer, `preflight of ${method} from ${JSON.stringify(origin)}`, 403)
        const granted = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
        expect(granted, origin).toEqual([])
      }
  })

  it('gets no further with an Origin header twice or with an empty list of allowed origins', async () => {
    await using server = await startApp()
    const before = server.dump()
    const body = '{"title":"x"}'
    const head = [
      'POST /api/sessions HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'Content-Type: application/json',
    ]
    for (const origins of [
      ['https://evil.test', `http://127.0.0.1:${server.port}`],
      [`http://127.0.0.1:${server.port}`, 'https://evil.test'],
      [allowed],
    ]) {
      const lines = [
        ...head,
        ...origins.map((origin) => `Origin: ${origin}`),
        `Content-Length: ${body.length}`,
      ]
      const answer = await server.sendRaw(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
      expectRefusal(answer, origins.join(' + '), [400, 403])
    }
    expect(server.dump()).toBe(before)
  })
})

describe('forms and plain text', () => {
  it('are no way to write even without an Origin header', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'one')
    const before = server.dump()
    const paths = [
      '/api/sessions',
      '/api/sessions/import',
      `/api/sessions/${id}/messages`,
      `/api/sessions/${id}/fork`,
    ]
    for (const path of paths)
      for (const type of [
        'text/plain',
        'text/plain;charset=UTF-8',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=b',
        '',
        'text/html',
        'application/octet-stream',
      ]) {
        const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
        for (const body of ['{"title":"x","role":"user","content":"x","messages":[]}', 'title=x'])
          expectRefusal(await server.send('POST', path, { headers, body }), `${type} to ${path}`, [400, 415])
      }
    expect(server.dump()).toBe(before)
  })
})

describe('an allowed origin', () => {
  it('is answered with exactly itself, never with credentials or a wildcard', async () => {
    await using server = await startApp({ allowedOrigins: [allowed, 'tauri://localhost'] })
    for (const origin of [allowed, 'tauri://localhost'])
      for (const [method, path] of [
        ['POST', '/api/sessions'],
        ['GET', '/api/sessions'],
        ['GET', '/api/sessions/none'],
        ['GET', '/nowhere'],
      ] as const) {
        const answer = await server.send(method, path, {
          headers: { origin },
          ...(method === 'POST' && { body: { title: 'from a page' } }),
        })
        expect(answer.status, answer.text).toBe(
          method === 'POST' ? 201 : path === '/api/sessions' ? 200 : 404,
        )
        expect(answer.headers['access-control-allow-origin']).toBe(origin)
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
        expect(answer.headers.vary).toMatch(/\bOrigin\b/i)
      }
  })

  it('passes its preflight with the methods and headers that the API has', async () => {
    await using server = await startApp({ allowedOrigins: [allowed] })
    const { id } = await addSession(server)
    for (const [path, method] of [
      ['/api/sessions', 'POST'],
      [`/api/sessions/${id}`, 'PATCH'],
      [`/api/sessions/${id}`, 'DELETE'],
    ]) {
      const { status, headers } = await preflight(server, allowed, path!, method!)
      expect(status).toBe(204)
      expect(headers['access-control-allow-origin']).toBe(allowed)
      expect(headers['access-control-allow-methods']).toContain(method)
      expect(headers['access-control-allow-headers']?.toLowerCase()).toContain('content-type')
      expect(headers['access-control-allow-headers']?.toLowerCase()).toContain('authorization')
      expect(headers['access-control-allow-headers']?.toLowerCase()).toContain('idempotency-key')
      expect(headers['access-control-allow-credentials']).toBeUndefined()
      expect(headers.vary).toMatch(/\bOrigin\b/i)
    }
  })

  it('passes its preflight without a key, as a browser sends it, and needs the key for the request itself', async () => {
    const key = 'k'.repeat(32)
    await using server = await startApp({ allowedOrigins: [allowed], apiKeys: [{ name: 'main', key }] })
    expect((await preflight(server, allowed, '/api/sessions', 'POST')).status).toBe(204)
    const without = await server.send('POST', '/api/sessions', { headers: { origin: allowed }, body: {} })
    expectRefusal(without, 'without the key', 401)
    // a page must be able to read why it was refused
    expect(without.headers['access-control-allow-origin']).toBe(allowed)
    const headers = { origin: allowed, authorization: `Bearer ${key}` }
    expect((await server.send('POST', '/api/sessions', { headers, body: {} })).status).toBe(201)
  })

  it('may be the page of the server itself, over http or behind a proxy with https', async () => {
    await using server = await startApp()
    for (const origin of [`http://127.0.0.1:${server.port}`, `https://127.0.0.1:${server.port}`]) {
      const answer = await server.send('POST', '/api/sessions', { headers: { origin }, body: {} })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('reads every stream, over a connection and in the process', async () => {
    await using server = await startApp({ allowedOrigins: [allowed] })
    const { id } = await addSession(server)
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
    }
    const accept = 'application/json, text/event-stream'
    const streams: [string, string, SendOptions][] = [
      ['POST', `/api/sessions/${id}/chat`, { body: { content: 'hi' } }],
      ['GET', `/api/sessions/${id}/observe`, { headers: { 'last-event-id': '1' } }],
      [
        'POST',
        '/v1/chat/completions',
        { body: { model: 'default', stream: true, messages: [{ role: 'user', content: 'hi' }] } },
      ],
      ['POST', '/mcp', { headers: { accept }, body: initialize }],
    ]
    for (const [method, path, { headers, body }] of streams) {
      const sent = { ...headers, origin: allowed }
      const answer = await server.send(method, path, { headers: sent, body })
      expect([answer.status, answer.headers['content-type']], answer.text).toEqual([
        200,
        expect.stringContaining('text/event-stream'),
      ])
      expect(answer.headers, path).toMatchObject({
        'access-control-allow-origin': allowed,
        'access-control-expose-headers': expect.stringContaining('X-Parley-Run'),
        vary: expect.stringMatching(/\bOrigin\b/),
        'x-request-id': expect.stringMatching(/^req_/),
      })
      const inProcess = await server.app.request(path, {
        method,
        headers: { ...sent, host: 'localhost', 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      expect(inProcess.status, await inProcess.text()).toBe(200)
      expect(inProcess.headers.get('access-control-allow-origin'), path).toBe(allowed)
    }
    const foreign = await server.send('GET', `/api/sessions/${id}/observe`, {})
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('may send whatever headers its clients send', async () => {
    await using server = await startApp({ allowedOrigins: [allowed] })
    const asked =
      'anthropic-version, anthropic-dangerous-direct-browser-access, last-event-id, openai-organization, user-agent, x-stainless-os, traceparent'
    const { headers } = await server.send('OPTIONS', '/v1/chat/completions', {
      headers: {
        origin: allowed,
        'access-control-request-method': 'POST',
        'access-control-request-headers': `${asked}, "no name", x-api-key`,
      },
    })
    const granted = headers['access-control-allow-headers']!.toLowerCase().split(', ')
    expect(granted).toEqual(expect.arrayContaining([...asked.split(', '), 'x-api-key', 'idempotency-key']))
    expect(granted.filter((name) => name === 'last-event-id')).toHaveLength(1)
    expect(granted).not.toContain('"no name"')
  })
})
