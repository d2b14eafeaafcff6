import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createClient, type EventFrame } from '../src/client/index.ts'
import { toKeyProtocol } from '../src/core/protocol/event-socket.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { startHousekeeping } from '../src/core/store/housekeeping.ts'
import type { Store } from '../src/core/store/store.ts'
import { createScripted, says } from './chat-harness.ts'
import {
  eventsUrl,
  follow,
  frameOf,
  handshake,
  isEvent,
  rawSocket,
  refusalOf,
  upTo,
  type FollowOptions,
} from './event-sockets.ts'
import { databases, steppedClock, temporaryFolder } from './harness.ts'
import { expectRefusal, startApp, type AppServer } from './http/app-server.ts'
import { findOwnPort } from './own-port.ts'
import { startServer } from './server-process.ts'

const scope = 'default'

async function record(store: Store, count: number, data: Record<string, unknown> = {}): Promise<void> {
  await store.ensureScope(scope)
  for (let left = count; left > 0; left -= 200)
    await store.transaction(async (tx) => {
      for (let index = 0; index < Math.min(left, 200); index++)
        await tx.recordEvent(scope, { type: 'tested', data })
    })
}

describe.each(databases)('the events of a scope on %s', (_name, openDatabase) => {
  it('come from the store after a place, then live, each once and in order', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database, clock: systemClock })
    await record(server.store, 1_300)
    const early = await follow(server.url, { after: 0 })
    const late = await follow(server.url, { after: 1_290 })
    const live = await follow(server.url)
    await record(server.store, 50)
    expect(await early.seqs(1_350)).toEqual(upTo(1_350))
    expect(await late.seqs(60)).toEqual(upTo(1_350, 1_291))
    expect(await live.seqs(50)).toEqual(upTo(1_350, 1_301))
    expect(early.frames[0]).toEqual({ seq: 1, type: 'tested', data: {}, createdAt: expect.any(String) })
    for (const follower of [early, late, live]) await follower.close()
    await expect.poll(() => server.events.followers).toBe(0)
  })

  it('come from the moment on in which the socket is open', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database, clock: systemClock })
    for (let round = 1; round <= 100; round++) {
      const live = await follow(server.url)
      await record(server.store, 1)
      expect(await live.seqs(1)).toEqual([round])
      await live.close()
    }
  })

  it('come from other nodes too', async () => {
    await using database = await openDatabase()
    await using here = await startApp({ database, clock: systemClock })
    await using there = await startApp({ database, clock: systemClock })
    const follower = await follow(here.url, { after: 0 })
    await record(there.store, 3)
    expect(await follower.seqs(3)).toEqual([1, 2, 3])
    // numbers are taken by both, and still have no holes
    await Promise.all([record(here.store, 200), record(there.store, 200)])
    expect(await follower.seqs(403)).toEqual(upTo(403))
    await follower.close()
  })

  it('are all there for one that is cut off again and again, whichever node it comes back to', async () => {
    await using database = await openDatabase()
    await using one = await startApp({ database, clock: systemClock })
    await using two = await startApp({ database, clock: systemClock })
    await one.store.ensureScope(scope)
    const total = 300
    const writing = (async () => {
      for (let count = 0; count < total; count++) await record(count % 2 ? one.store : two.store, 1)
    })()
    const seen: number[] = []
    for (let round = 0; seen.length < total; round++) {
      const { url } = round % 2 ? one : two
      const follower = await follow(url, { after: seen.at(-1) ?? 0 })
      await follower.seqs(Math.min(total - seen.length, 1 + (round % 17)))
      // in the middle of things, without a word
      follower.socket.terminate()
      await follower.closed
      seen.push(...follower.frames.map(({ seq }) => seq))
    }
    await writing
    expect(seen).toEqual(upTo(total))
  })

  it('begin with a gap where they are not kept any more, or never were', async () => {
    await using database = await openDatabase()
    const clock = steppedClock()
    await using server = await startApp({ database, clock })
    await record(server.store, 10)
    clock.advance(3_600_000)
    await record(server.store, 5)
    await server.store.deleteEventsBefore(clock.now() - 1_800_000)
    const firstFrames = async (after: number, count: number) => {
      const follower = await follow(server.url, { after })
      await follower.seqs(count)
      await follower.close()
      return follower.frames.map(({ type, seq }) => [type, seq])
    }
    expect((await firstFrames(3, 6))[0]).toEqual(['gap', 10])
    expect(await firstFrames(3, 6)).toHaveLength(6)
    expect((await firstFrames(0, 6)).slice(0, 2)).toEqual([
      ['gap', 10],
      ['tested', 11],
    ])
    expect((await firstFrames(10, 5))[0]).toEqual(['tested', 11])
    expect(await firstFrames(9_999, 1)).toEqual([['gap', 15]])
    // the newest one is kept, and with it the numbers
    await server.store.deleteEventsBefore(clock.now() + 1)
    expect(await firstFrames(11, 2)).toEqual([
      ['gap', 14],
      ['tested', 15],
    ])
    const { json } = await server.send('GET', '/api/events')
    expect(json).toMatchObject({ items: [{ seq: 15 }], first: 15, last: 15, nextCursor: null })
    const follower = await follow(server.url, { after: 15 })
    await record(server.store, 1)
    expect(await follower.seqs(1)).toEqual([16])
    await follower.close()
  })

  it('are forgotten when they are older than they are kept, many at a time', async () => {
    await using database = await openDatabase()
    const clock = steppedClock()
    const store = await database.open(clock)
    await record(store, 12_000)
    clock.advance(2 * 24 * 3_600_000)
    await record(store, 3)
    const errors: unknown[] = []
    for (const [eventsKeptDays, first] of [
      [3, 1],
      [1, 12_001],
    ] as const) {
      await startHousekeeping(store, clock, (error) => errors.push(error), { eventsKeptDays }).stop()
      expect(await store.getEventRange(scope)).toEqual({ first, last: 12_003 })
    }
    expect(await store.getLastEventSeqs([scope, 'none'])).toEqual(new Map([[scope, 12_003]]))
    expect(errors).toEqual([])
    await store.close()
  })
})

describe('what is told', () => {
  it('is every change of sessions, and the beginning and end of turns', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const model = createScripted((_request, call) => (call === 1 ? [released, ...says('one')] : says('two')))
    await using server = await startApp({ model, clock: systemClock, background: {} })
    const follower = await follow(server.url, { after: 0 })
    const post = async (path: string, body: object) => (await server.send('POST', path, { body })).json!
    const id = String((await post('/api/sessions', { title: 'told' })).id)
    await server.send('PATCH', `/api/sessions/${id}`, { body: { title: 'retold' } })
    const first = server.send('POST', `/api/sessions/${id}/chat`, { body: { content: 'hello' } })
    await follower.seqs(3)
    // waits for the first, and is told of when it begins
    const second = server.send('POST', `/api/sessions/${id}/chat`, { body: { content: 'again' } })
    await follower.seqs(4)
    release()
    await Promise.all([first, second])
    const { items } = (await server.send('GET', `/api/sessions/${id}/messages`)).json as {
      items: { id: string }[]
    }
    const fork = await post(`/api/sessions/${id}/fork`, { messageId: items[0]!.id })
    const filled = String((await post('/api/sessions', {})).id)
    await post('/api/sessions/import', { id: filled, messages: [{ role: 'user', content: 'x' }] })
    const imported = await post('/api/sessions/import', { messages: [{ role: 'user', content: 'x' }] })
    await server.send('DELETE', `/api/sessions/${id}`)
    await follower.seqs(13)
    const told = follower.frames.filter(isEvent).map(({ type, sessionId, data }) => [type, sessionId, data])
    const runId = expect.stringMatching(/^run_/)
    expect(told).toEqual([
      ['session-created', id, { kind: 'interactive', title: 'told' }],
      ['session-updated', id, { fields: ['title'] }],
      ['run-started', id, { runId }],
      ['session-queue', id, { count: 1 }],
      ['run-finished', id, { runId, status: 'completed', code: 'stop' }],
      ['run-started', id, { runId }],
      ['session-queue', id, { count: 0 }],
      ['run-finished', id, { runId, status: 'completed', code: 'stop' }],
      ['session-created', fork.id, { kind: 'interactive', title: 'retold', forkedFrom: id }],
      ['session-created', filled, { kind: 'interactive', title: '' }],
      ['session-updated', filled, { fields: ['title', 'messages'] }],
      ['session-created', imported.id, { kind: 'interactive', title: '' }],
      ['session-deleted', id, {}],
    ])
    await follower.close()
  })
})

describe('who is let in', () => {
  const mainKey = 'main-key-0123456789/+=("'
  const blueKey = 'blue-key-0123456789abcdef'
  const apiKeys = [
    { name: 'main', key: mainKey },
    { name: 'blue', key: blueKey, scopes: ['blue'] },
  ]
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

  it('has a key, in a header or beside the protocol, for the scope that is followed', async () => {
    await using server = await startApp({ apiKeys })
    const accepted: FollowOptions[] = [
      bearer(mainKey),
      { headers: { 'x-api-key': mainKey } },
      { protocols: ['parley', toKeyProtocol(mainKey)] },
      { protocols: [toKeyProtocol(mainKey), 'parley'] },
      { protocols: [toKeyProtocol(mainKey)] },
      { ...bearer(blueKey), scope: 'blue' },
      { protocols: ['parley', `parley.key.${blueKey}`], scope: 'blue' },
    ]
    for (const options of accepted) {
      const follower = await follow(server.url, { after: 0, ...options })
      expect(follower.socket.readyState).toBe(follower.socket.OPEN)
      // the key is not said back where there is anything else to say
      if (options.protocols?.includes('parley')) expect(follower.socket.protocol).toBe('parley')
      await follower.close()
    }
  })

  it('is refused with 401 without a key, with a wrong one, and with one in the URL', async () => {
    const clock = steppedClock()
    await using server = await startApp({ apiKeys, clock })
    const refused: FollowOptions[] = [
      {},
      bearer('wrong'),
      bearer(''),
      bearer('null'),
      { headers: { cookie: `key=${mainKey}` } },
      { headers: { authorization: mainKey } },
      { protocols: ['parley', 'parley.key.wrong'] },
      { protocols: ['parley', 'parley.key.'] },
      { protocols: ['parley', mainKey.slice(0, 10)] },
      ...['key', 'api_key', 'apiKey', 'token', 'access_token', 'authorization'].map((name) => ({
        query: `${name}=${encodeURIComponent(mainKey)}`,
      })),
    ]
    for (const options of refused) {
      clock.advance(60_000)
      const { status, text } = await refusalOf(server.url, options)
      expect(status, JSON.stringify(options)).toBe(401)
      expect(text).not.toContain(mainKey.slice(0, 15))
    }
    // beside a right key one in the URL is refused too, so that nobody gets used to it
    const { status, text } = await refusalOf(server.url, { ...bearer(mainKey), query: `key=${blueKey}` })
    expect([status, text.includes(blueKey)]).toEqual([400, false])
    expect(server.bugs().join('')).not.toContain(mainKey)
    // the protocols are a way in for sockets only
    const plain = await server.send('GET', '/api/events', {
      headers: { 'sec-websocket-protocol': `parley.key.${blueKey}` },
    })
    expectRefusal(plain, 'a plain request', 401)
  })

  it('is held up after too many wrong keys', async () => {
    await using server = await startApp({ apiKeys })
    for (let count = 0; count < 20; count++) await refusalOf(server.url, bearer(`wrong-${count}`))
    const { status } = await refusalOf(server.url, { protocols: ['parley', 'parley.key.wrong'] })
    expect(status).toBe(429)
  })

  it('hears nothing of another scope, whatever it says about itself', async () => {
    await using server = await startApp({ apiKeys })
    for (const options of [
      { ...bearer(blueKey), scope: 'red' },
      bearer(blueKey),
      { protocols: ['parley', `parley.key.${blueKey}`], scope: 'red' },
      { headers: { ...bearer(blueKey).headers, 'x-scope': 'red' }, scope: 'red' },
    ]) {
      const { status, text } = await refusalOf(server.url, options)
      expect([status, text], JSON.stringify(options)).toEqual([403, expect.stringContaining('no access')])
    }
    const { status } = await refusalOf(server.url, { ...bearer(blueKey), scope: 'blue&scope=red' })
    expect(status).toBe(400)
    const blue = await follow(server.url, { ...bearer(blueKey), scope: 'blue', after: 0 })
    const create = async (name: string) => {
      const { headers } = bearer(mainKey)
      const { json } = await server.send('POST', '/api/sessions', { headers, body: { scope: name } })
      return json!.id
    }
    await create('red')
    const first = await create('blue')
    await create('red')
    const last = await create('blue')
    await blue.seqs(2)
    expect(blue.frames.filter(isEvent).map(({ sessionId }) => sessionId)).toEqual([first, last])
    await blue.close()
  })

  it('is no page of another site, and no name that is not this server', async () => {
    await using server = await startApp({ allowedOrigins: ['https://app.example'] })
    const { port } = server
    for (const origin of [
      'null',
      'https://evil.test',
      `http://evil.test:${port}`,
      `http://localhost.evil.test:${port}`,
      `http://127.0.0.1:${port - 1}`,
      `http://127.0.0.2:${port}`,
      `ws://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}/`,
      'file://',
      'https://app.example.evil.test',
      'http://app.example',
      'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      '*',
    ]) {
      const { status, headers } = await refusalOf(server.url, { headers: { origin } })
      expect([status, headers['access-control-allow-origin']], origin).toEqual([403, undefined])
    }
    for (const host of [
      'evil.test',
      `evil.test:${port}`,
      `127.0.0.1.evil.test:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.1:${port + 1}`,
      `[::ffff:127.0.0.1]:${port}`,
    ]) {
      const { status } = await refusalOf(server.url, { headers: { host } })
      expect([400, 421], host).toContain(status)
    }
    for (const origin of [`http://127.0.0.1:${port}`, 'https://app.example'])
      await (await follow(server.url, { headers: { origin } })).close()
    expect(server.events.followers).toBe(0)
  })

  it('asks in a way that can be understood', async () => {
    await using server = await startApp()
    for (const query of [
      'after=-1',
      'after=x',
      'after=1.5',
      'after=',
      'limit=0',
      'scope=A',
      'x=1',
      'after=1&after=2',
    ])
      expect((await refusalOf(server.url, { query })).status, query).toBe(400)
    const { port } = server
    const shake = (change: (lines: string) => string) => server.sendRaw(change(handshake(port)))
    const broken: [string, (lines: string) => string][] = [
      ['no key', (lines) => lines.replace(/Sec-WebSocket-Key.*\r\n/, '')],
      ['a short key', (lines) => lines.replace('dGhlIHNhbXBsZSBub25jZQ==', 'x')],
      ['no version', (lines) => lines.replace(/Sec-WebSocket-Version.*\r\n/, '')],
      ['another version', (lines) => lines.replace('Version: 13', 'Version: 99')],
      [
        'a protocol that is none',
        (lines) => lines.replace('Upgrade: w', 'Sec-WebSocket-Protocol: a b\r\nUpgrade: w'),
      ],
    ]
    for (const [hint, change] of broken)
      expect(expectRefusal(await shake(change), hint, 400).message).toContain('handshake')
    const elsewhere = await shake((lines) => lines.replace('/api/events', '/api/nowhere'))
    expectRefusal(elsewhere, 'another path', 404)
    // an offer of something else is passed over, and the request answered with its body read
    const offered = await server.send('POST', '/api/sessions', {
      headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' },
      body: { title: 'offered' },
    })
    expect([offered.status, offered.json?.title]).toEqual([201, 'offered'])
    expect((await server.send('GET', '/api/events')).status).toBe(200)
    expect(server.bugs()).toEqual([])
  })
})

describe('a peer that does not keep to the rules', () => {
  it('is closed with the code for what it did', async () => {
    await using server = await startApp()
    const text = (size: number) => frameOf(1, Buffer.alloc(size, 'x'))
    const cases: [name: string, bytes: Buffer, code: number][] = [
      ['a message', frameOf(1, Buffer.from('{"subscribe":"red"}')), 1008],
      ['an empty message', frameOf(1, Buffer.alloc(0)), 1008],
      ['a binary message', frameOf(2, Buffer.from([1, 2, 3])), 1008],
      ['64 KB and one byte', text(64 * 1_024 + 1), 1009],
      ['a megabyte and one byte', text(1_048_577), 1009],
      ['text that is no UTF-8', frameOf(1, Buffer.from([0xc3, 0x28, 0xff])), 1007],
      ['a frame without a mask', frameOf(1, Buffer.from('x'), { mask: false }), 1002],
      ['an unknown kind of frame', frameOf(3, Buffer.from('x')), 1002],
      ['a part of nothing', frameOf(0, Buffer.from('x')), 1002],
      ['a ping that is too long', frameOf(9, Buffer.alloc(126)), 1002],
      ['a ping in parts', frameOf(9, Buffer.from('x'), { fin: false }), 1002],
    ]
    for (const [name, bytes, code] of cases) {
      const peer = await rawSocket(server.port)
      peer.write(bytes)
      expect(await peer.ended, name).toBe(code)
    }
    await expect.poll(() => server.events.followers).toBe(0)
    expect(server.bugs()).toEqual([])
  })

  it('does no harm with thousands of frames of noise', async () => {
    await using server = await startApp()
    const good = await follow(server.url, { after: 0 })
    let seed = 42
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648)
    for (let peers = 0; peers < 100; peers++) {
      const peer = await rawSocket(server.port)
      for (let frames = 0; frames < 100; frames++)
        peer.write(Buffer.from(Array.from({ length: 1 + (random() % 60) }, () => random() % 256)))
      peer.socket.end()
      peer.socket.destroySoon()
      await peer.ended
    }
    await record(server.store, 5)
    expect(await good.seqs(5)).toEqual(upTo(5))
    await good.close()
    await expect.poll(() => server.events.followers).toBe(0)
    expect(server.bugs()).toEqual([])
  })

  it('is cut off when it answers no ping, and who answers stays', async () => {
    await using server = await startApp({ heartbeatMs: 100 })
    const good = await follow(server.url, { after: 0 })
    let answered = 0
    good.socket.on('ping', () => answered++)
    const dead = await rawSocket(server.port)
    await dead.ended
    expect(dead.pings()).toBe(2)
    // one that did not answer would have been cut off by now
    await expect.poll(() => answered).toBeGreaterThan(5)
    await record(server.store, 1)
    expect(await good.seqs(1)).toEqual([1])
    await good.close()
  })
})

describe('many and slow readers', () => {
  it('cost one read of the store per event, not one per client', async () => {
    await using server = await startApp({ clock: systemClock })
    const clients = await Promise.all(
      Array.from({ length: 200 }, () => follow(server.url, { after: 0, maxPayload: 1e6 })),
    )
    await record(server.store, 1)
    await Promise.all(clients.map((client) => client.seqs(1)))
    const reads = vi.spyOn(server.store, 'listEvents')
    for (let count = 2; count <= 11; count++) {
      await record(server.store, 1)
      await Promise.all(clients.map((client) => client.seqs(count)))
    }
    // one for each of ten, and now and then one that looks for what other processes wrote
    expect(reads.mock.calls.length).toBeLessThan(clients.length / 2)
    for (const client of clients) expect(client.frames.map(({ seq }) => seq)).toEqual(upTo(11))
    await Promise.all(clients.map((client) => client.close()))
    await expect.poll(() => server.events.followers).toBe(0)
  })

  it('do not fill the memory, do not hold up others, and miss nothing when they read on', async () => {
    await using server = await startApp({ clock: systemClock })
    const fast = await follow(server.url, { after: 0 })
    const slow = await follow(server.url, { after: 0 })
    slow.socket.pause()
    const bytesBefore = bufferedBytes()
    const total = 12_000
    const data = { text: 'x'.repeat(2_000) }
    await record(server.store, total, data)
    expect(await fast.seqs(total)).toHaveLength(total)
    fast.frames.length = 0
    // 24 MB were told; what is held back for the slow one is the cap, and what the kernel took
    await expect.poll(() => bufferedBytes() - bytesBefore).toBeLessThan(12e6)
    expect(slow.frames.length).toBeLessThan(total)
    slow.socket.resume()
    expect(await slow.seqs(total)).toEqual(upTo(total))
    await Promise.all([fast.close(), slow.close()])
  })
})

describe('the server', () => {
  it('tells its followers when it stops, and does not wait for those who do not hear', async () => {
    const server = await startApp()
    const good = await follow(server.url)
    const deaf = await rawSocket(server.port)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const stopped = server[Symbol.asyncDispose]()
      // far less than the library itself gives a peer
      await vi.advanceTimersByTimeAsync(1_000)
      await deaf.ended
      await stopped
    } finally {
      vi.useRealTimers()
    }
    expect(await good.closed).toEqual([1001, 'The server stops.'])
  })
})

describe('the client', () => {
  const collect = (
    server: Pick<AppServer, 'url'>,
    options: { after?: number; apiKey?: string; scope?: string } = {},
  ) => {
    const { apiKey, ...followed } = options
    const abort = new AbortController()
    const frames: EventFrame[] = []
    const done = (async () => {
      const client = createClient({ baseUrl: server.url, apiKey })
      for await (const frame of client.events({ ...followed, signal: abort.signal })) frames.push(frame)
    })()
    return { frames, done, stop: async () => (abort.abort(), done) }
  }
  const untilSeen = async (frames: EventFrame[], count: number) => {
    await expect.poll(() => frames.length, { timeout: 200_000 }).toBeGreaterThanOrEqual(count)
  }

  it('hears what happens from now on, or after a number, with a key and in a scope', async () => {
    const key = 'a-key-of-more-than-16-characters()'
    await using server = await startApp({ apiKeys: [{ name: 'main', key }] })
    await record(server.store, 3)
    const now = collect(server, { apiKey: key })
    const all = collect(server, { apiKey: key, after: 0, scope })
    await untilSeen(all.frames, 3)
    await expect.poll(() => server.events.followers).toBe(2)
    await record(server.store, 2)
    await untilSeen(all.frames, 5)
    await untilSeen(now.frames, 2)
    expect(now.frames.map(({ seq }) => seq)).toEqual([4, 5])
    await Promise.all([now.stop(), all.stop()])
    await expect.poll(() => server.events.followers).toBe(0)
  })

  it('misses none when the server is killed and started again', async () => {
    using folder = temporaryFolder()
    const env = { PARLEY_DATA_DIR: folder.path }
    let server = await startServer({ env, args: ['--port', String(await findOwnPort())] })
    const { port } = new URL(server.url)
    const { sessions } = createClient({ baseUrl: server.url })
    const heard = collect(server, { after: 0 })
    const ids: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 10; count++) ids.push((await sessions.create({ title: `${round}` })).id)
      await server.kill('SIGKILL')
      server = await startServer({ env, args: ['--port', port] })
    }
    for (let count = 0; count < 5; count++) ids.push((await sessions.create()).id)
    await untilSeen(heard.frames, ids.length)
    expect(heard.frames.map(({ seq }) => seq)).toEqual(upTo(ids.length))
    expect(heard.frames.filter(isEvent).map(({ sessionId }) => sessionId)).toEqual(ids)
    await heard.stop()
    await server.kill('SIGTERM')
  })

  it('is cut off when it is too slow, and goes on where it was', async () => {
    await using server = await startApp({ clock: systemClock })
    await record(server.store, 5_000)
    const seen: number[] = []
    for await (const { seq } of createClient({ baseUrl: server.url }).events({ after: 0 })) {
      seen.push(seq)
      // by itself: more than it holds comes meanwhile
      if (seq === 1) await expect.poll(() => server.events.followers).toBe(0)
      if (seq === 5_000) break
    }
    expect(seen).toEqual(upTo(5_000))
    await expect.poll(() => server.events.followers).toBe(0)
  })

  it('throws a refusal, and says when nobody is there', async () => {
    await using server = await startApp({
      apiKeys: [{ name: 'blue', key: 'b'.repeat(20), scopes: ['blue'] }],
    })
    await expect(collect(server).done).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(collect(server, { apiKey: 'b'.repeat(20) }).done).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(collect({ url: 'http://127.0.0.1:9' }).done).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(eventsUrl(server.url)).toMatch(/^ws:/)
  })

  it('goes on after a gap', async () => {
    const clock = steppedClock()
    await using server = await startApp({ clock })
    await record(server.store, 4)
    await server.store.deleteEventsBefore(clock.now())
    const heard = collect(server, { after: 1 })
    await untilSeen(heard.frames, 2)
    await record(server.store, 1)
    await untilSeen(heard.frames, 3)
    expect(heard.frames.map(({ type, seq }) => [type, seq])).toEqual([
      ['gap', 3],
      ['tested', 4],
      ['tested', 5],
    ])
    await heard.stop()
  })
})

/** What is held in buffers outside of the heap, after everything that can go has gone. */
function bufferedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}
