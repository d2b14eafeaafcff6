import { describe, expect, it } from 'vitest'
import { addSession, checkEach, expectRefusal, rawRequest, startApp, type AppServer } from './app-server.ts'

/** Names under which a page of another site could make a browser reach this machine; `port` is the right one. */
const badHosts = (port: number): string[] => [
  'evil.test',
  `evil.test:${port}`,
  'localhost.evil.test',
  `localhost.evil.test:${port}`,
  `127.0.0.1.evil.test:${port}`,
  `127.0.0.1.nip.io:${port}`,
  `evil.test.localhost:${port}`,
  `xlocalhost:${port}`,
  `localhost-evil:${port}`,
  `0.0.0.0:${port}`,
  `[::]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[::ffff:7f00:1]:${port}`,
  `[0:0:0:0:0:0:0:1]:${port}`,
  `[::2]:${port}`,
  `2130706433:${port}`,
  `0x7f000001:${port}`,
  `0x7f.0.0.1:${port}`,
  `0177.0.0.1:${port}`,
  `127.1:${port}`,
  `127.0.1:${port}`,
  `127.0.0.2:${port}`,
  `127.0.0.1.:${port}`,
  `localhost.:${port}`,
  `localhost..:${port}`,
  '127.0.0.1',
  'localhost',
  '[::1]',
  `127.0.0.1:${port === 65_535 ? 1_024 : port + 1}`,
  'localhost:80',
  '127.0.0.1:443',
  `127.0.0.1:0${port}`,
  '10.0.0.1',
  `192.168.0.1:${port}`,
  `169.254.169.254:${port}`,
  `parley.local:${port}`,
  `ⓛocalhost:${port}`,
]

/** What no client should send; the HTTP layer may refuse these before Parley sees them. */
const malformedHosts = (port: number): string[] => [
  '',
  `:${port}`,
  `127.0.0.1 :${port}`,
  `127.0.0.1:${port} evil.test`,
  `127.0.0.1:${port}, evil.test`,
  `evil.test, 127.0.0.1:${port}`,
  `evil.test@127.0.0.1:${port}`,
  `127.0.0.1:${port}@evil.test`,
  `http://127.0.0.1:${port}`,
  `127.0.0.1:${port}/`,
  `127.0.0.1:${port}?`,
  `127.0.0.1:${port}#`,
  `127.0.0.1\\:${port}`,
  `127.0.0.1%00:${port}`,
  `127.0.0.1:${port}:${port}`,
  '127.0.0.1:99999',
  '127.0.0.1:-1',
  '127.0.0.1:http',
  '[::1',
  `::1:${port}`,
  `[::1%25lo]:${port}`,
  '*',
  'null',
  'undefined',
]

const writing = JSON.stringify({ title: 'made by a rebound name' })

/** A write, so that a request that got through shows in the database. */
const post = (target: string, ...headers: string[]) =>
  `${rawRequest(
    `POST ${target} HTTP/1.1`,
    ...headers,
    'Content-Type: application/json',
    `Content-Length: ${writing.length}`,
  )}${writing}`

async function expectShut(server: AppServer, bytes: string, hint: string): Promise<void> {
  const before = server.dump()
  const answer = await server.sendRaw(bytes)
  expect([400, 403, 421], `${hint} → ${answer.status} ${answer.text}`).toContain(answer.status)
  expect(server.dump(), `${hint} changed something`).toBe(before)
}

describe('a host that is not ours', () => {
  it('is refused before any route, with and without an origin that looks right', async () => {
    await using server = await startApp()
    const hosts = [...badHosts(server.port), ...malformedHosts(server.port)]
    expect(hosts.length).toBeGreaterThanOrEqual(40)
    await checkEach(hosts, async (host) => {
      for (const origin of ['', `http://127.0.0.1:${server.port}`, `http://${host}`]) {
        const headers = [`Host: ${host}`, ...(origin === '' ? [] : [`Origin: ${origin}`])]
        await expectShut(
          server,
          post('/api/sessions', ...headers),
          `Host ${JSON.stringify(host)}, Origin ${origin}`,
        )
      }
    })
    expect(server.bugs()).toEqual([])
  })

  it('is refused with a sentence that names it', async () => {
    await using server = await startApp()
    await checkEach(
      ['evil.test', `0.0.0.0:${server.port}`, 'localhost:80', `127.0.0.2:${server.port}`],
      async (host) => {
        const { code, message } = expectRefusal(
          await server.sendRaw(post('/api/sessions', `Host: ${host}`)),
          host,
          421,
        )
        expect(code).toBe('misdirected_request')
        expect(message).toContain(JSON.stringify(host))
      },
    )
  })

  it('is refused in the error shape, whatever is wrong with it', async () => {
    await using server = await startApp()
    const hosts = [...badHosts(server.port), ...malformedHosts(server.port)]
    await checkEach(hosts, async (host) => {
      const answer = await server.sendRaw(post('/api/sessions', `Host: ${host}`))
      expectRefusal(answer, `Host ${JSON.stringify(host)}`, [400, 403, 421])
    })
  })

  it('is refused for reading too, before anything is looked up', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'a secret')
    for (const target of [
      '/',
      '/healthz',
      '/openapi.json',
      '/api/sessions',
      `/api/sessions/${id}/messages`,
      '/none',
    ])
      for (const host of ['evil.test', `localhost.evil.test:${server.port}`, `0.0.0.0:${server.port}`]) {
        const answer = await server.sendRaw(rawRequest(`GET ${target} HTTP/1.1`, `Host: ${host}`))
        expectRefusal(answer, `GET ${target} at ${host}`, 421)
        expect(answer.text).not.toContain('a secret')
      }
  })

  it('is refused when a second Host header follows or precedes a good one', async () => {
    await using server = await startApp()
    const good = `Host: 127.0.0.1:${server.port}`
    const pairs = [
      [good, 'Host: evil.test'],
      ['Host: evil.test', good],
      [good, good],
      [good, `host: 127.0.0.1:${server.port}`],
      [good, 'HOST: '],
    ]
    await checkEach(pairs, (pair) => expectShut(server, post('/api/sessions', ...pair), pair.join(' + ')))
    expect(server.bugs()).toEqual([])
  })

  it('is refused when there is no Host header at all', async () => {
    await using server = await startApp()
    await expectShut(server, post('/api/sessions'), 'HTTP/1.1 without Host')
    await expectShut(server, post('/api/sessions').replace('HTTP/1.1', 'HTTP/1.0'), 'HTTP/1.0 without Host')
    await expectShut(
      server,
      post('/api/sessions', `Origin: http://127.0.0.1:${server.port}`),
      'only an Origin',
    )
  })

  it('is refused when the request line names it with a full URL', async () => {
    await using server = await startApp()
    const good = `127.0.0.1:${server.port}`
    for (const [target, host] of [
      ['http://evil.test/api/sessions', good],
      [`http://evil.test:${server.port}/api/sessions`, good],
      [`http://${good}.evil.test/api/sessions`, good],
      [`http://evil.test@${good}/api/sessions`, 'evil.test'],
      [`http://${good}@evil.test/api/sessions`, good],
      [`http://localhost:${server.port}/api/sessions`, 'evil.test'],
      ['http://evil.test/api/sessions', 'evil.test'],
      ['file:///api/sessions', good],
      ['//evil.test/api/sessions', 'evil.test'],
      ['http:///api/sessions', good],
      ['http://[::1/api/sessions', good],
    ])
      await expectShut(server, post(target!, `Host: ${host}`), `${target} with Host ${host}`)
    expect(server.bugs()).toEqual([])
  })

  it('is not redeemed by headers of proxies', async () => {
    await using server = await startApp()
    const good = `127.0.0.1:${server.port}`
    for (const header of [
      `X-Forwarded-Host: ${good}`,
      `X-Host: ${good}`,
      `X-Original-Host: ${good}`,
      `X-Forwarded-Server: ${good}`,
      `Forwarded: host=${good}`,
      `:authority: ${good}`,
    ])
      await expectShut(server, post('/api/sessions', 'Host: evil.test', header), header)
  })
})

describe('a host that is ours', () => {
  it('is accepted under every loopback name with the port', async () => {
    await using server = await startApp()
    const { port } = server
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`, `[::1]:${port}`])
      for (const origin of [undefined, `http://${host}`]) {
        const headers = { host, ...(origin !== undefined && { origin }) }
        const answer = await server.send('POST', '/api/sessions', { headers, body: {} })
        expect(answer.status, `${host} ${origin} ${answer.text}`).toBe(201)
      }
  })

  it('is not spoiled by what proxies say about the client', async () => {
    await using server = await startApp()
    const answer = await server.send('GET', '/api/sessions', { headers: { 'x-forwarded-host': 'evil.test' } })
    expect(answer.status).toBe(200)
  })

  it('is accepted with a full URL in the request line when both agree', async () => {
    await using server = await startApp()
    const host = `127.0.0.1:${server.port}`
    const answer = await server.sendRaw(post(`http://${host}/api/sessions`, `Host: ${host}`))
    expect(answer.status, answer.text).toBe(201)
  })
})

describe('allowedHosts', () => {
  it('accepts a name with any port, a name with a port only with that one, and no name that resembles it', async () => {
    await using server = await startApp({ allowedHosts: ['parley.example', 'other.example:8443'] })
    const statusFor = async (host: string) =>
      (await server.send('GET', '/api/sessions', { headers: { host } })).status
    for (const host of [
      'parley.example',
      'parley.example:8080',
      'other.example:8443',
      `localhost:${server.port}`,
    ])
      expect(await statusFor(host), host).toBe(200)
    for (const host of [
      'other.example',
      'other.example:8444',
      'parley.example.evil.test',
      'evil-parley.example',
      'sub.parley.example',
      'parley.example.',
      'parleyxexample',
    ])
      expect(await statusFor(host), host).toBe(421)
  })

  it('lets a page of an allowed host call its own server, and no page of another', async () => {
    await using server = await startApp({ allowedHosts: ['parley.example'] })
    const statusFor = async (origin: string) =>
      (await server.send('POST', '/api/sessions', { headers: { host: 'parley.example', origin }, body: {} }))
        .status
    expect(await statusFor('http://parley.example')).toBe(201)
    expect(await statusFor('https://parley.example')).toBe(201)
    for (const origin of [
      `http://127.0.0.1:${server.port}`,
      'https://parley.example:444',
      'https://evil.test',
      'null',
    ])
      expect(await statusFor(origin), origin).toBe(403)
  })

  it('accepts any host with "*", and still refuses a foreign origin', async () => {
    await using server = await startApp({ allowedHosts: ['*'] })
    const good = await server.send('GET', '/api/sessions', { headers: { host: 'anything.example' } })
    expect(good.status).toBe(200)
    const headers = { host: 'anything.example', origin: 'https://evil.test' }
    expectRefusal(await server.send('POST', '/api/sessions', { headers, body: {} }), 'foreign origin', 403)
  })
})
