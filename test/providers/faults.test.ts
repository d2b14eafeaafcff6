import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ModelEvent } from '../../src/core/models/adapter.ts'
import type { FaultKind, ModelFault } from '../../src/core/models/fault.ts'
import { askFor, canaryKey, dialects, hear, tryOut, type Dialect } from './dialects.ts'
import { startProviderServer, type Behaviour, type WireReply } from './provider-server.ts'

const reply: WireReply = {
  reasoning: 'Überlegung',
  text: 'Schöne Grüße',
  chunks: 2,
  toolCalls: [{ id: 'c1', name: 'look', input: '{"at":"Tür"}' }],
}

const textOf = (events: ModelEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

const hasCall = (events: ModelEvent[]) => events.some(({ type }) => type === 'tool-call')

describe.each(dialects)('$name', (dialect) => {
  const refuse = (
    status: number,
    type: string,
    message: string,
    more: { code?: string; headers?: Record<string, string> } = {},
  ) =>
    tryOut(dialect, {
      status,
      headers: more.headers,
      body: dialect.wire.errorBody({ type, message, code: more.code, status }),
    })

  it.each<[number, string, string, FaultKind]>([
    [400, 'invalid_request_error', 'temperature is wrong', 'bad-request'],
    [400, 'invalid_request_error', "This model's maximum context length is 8192 tokens", 'too-large'],
    [400, 'invalid_request_error', 'prompt is too long: 300000 tokens > 200000 maximum', 'too-large'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API', 'quota'],
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [402, 'payment_required', 'Insufficient Balance', 'quota'],
    [403, 'permission_error', 'not for you', 'auth'],
    [404, 'not_found_error', 'model: no-such-model', 'not-found'],
    [408, 'timeout', 'too slow', 'timeout'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'too-large'],
    [422, 'invalid_request_error', 'no', 'bad-request'],
    [429, 'rate_limit_error', 'Number of requests has exceeded your rate limit', 'rate-limit'],
    [429, 'insufficient_quota', 'You exceeded your current quota, please check your plan', 'quota'],
    [429, 'rate_limit_error', 'Your project has exceeded its monthly spending cap', 'quota'],
    [500, 'api_error', 'Internal server error', 'server'],
    [502, 'api_error', 'Bad gateway', 'server'],
    [503, 'api_error', 'Service unavailable', 'overloaded'],
    [504, 'api_error', 'Gateway timeout', 'timeout'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])('takes %i %s "%s" for %s', async (status, type, message, kind) => {
    const { events, fault, requests } = await refuse(status, type, message)
    expect(events).toEqual([])
    expect(fault).toMatchObject({ kind, status, message: expect.stringContaining(message) })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a fraction of seconds', { 'retry-after': '0.5' }, 500],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    ['a day', { 'retry-after': '86400' }, 86_400_000],
    ['less than nothing', { 'retry-after': '-1' }, undefined],
    ['nonsense', { 'retry-after': 'soon', 'retry-after-ms': 'NaN' }, undefined],
    ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, undefined],
    ['nothing', {}, undefined],
  ])('is told how long to wait in %s', async (_, headers, retryAfterMs) => {
    const { fault } = await refuse(429, 'rate_limit_error', 'slow down', { headers })
    expect(fault).toMatchObject({ kind: 'rate-limit', retryAfterMs })
  })

  it('is told to wait until a date', async () => {
    const before = Date.now()
    const date = new Date(before + 3_600_000).toUTCString()
    const { fault } = await refuse(503, 'api_error', 'down', { headers: { 'retry-after': date } })
    expect(fault?.retryAfterMs).toBeGreaterThanOrEqual(Date.parse(date) - Date.now())
    expect(fault?.retryAfterMs).toBeLessThanOrEqual(Date.parse(date) - before)
  })

  it.each<[string, Behaviour, FaultKind]>([
    ['an error without a body', { status: 500 }, 'server'],
    [
      'an error page',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
      'server',
    ],
    ['an error of a Python server', { status: 422, body: '{"detail":"no such field"}' }, 'bad-request'],
    [
      'a page in place of a stream',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>hi' },
      'malformed',
    ],
    ['JSON in place of a stream', { status: 200, body: '{"choices":[]}' }, 'malformed'],
    [
      'an error with status 200',
      { status: 200, body: '{"error":{"type":"overloaded_error","message":"busy"}}' },
      'overloaded',
    ],
    ['megabytes of error', { status: 500, body: 'x'.repeat(8 * 1024 * 1024) }, 'server'],
  ])('takes %s for what it is', async (_, behaviour, kind) => {
    const { events, fault } = await tryOut(dialect, behaviour)
    expect(events).toEqual([])
    expect(fault?.kind).toBe(kind)
    expect(fault!.message.length).toBeLessThan(600)
  })

  it('cannot reach a port where nobody listens, nor a name that does not exist', async () => {
    for (const url of ['http://127.0.0.1:1', 'http://parley.invalid']) {
      const { error } = await hear(dialect.create(url, { apiKey: canaryKey }), askFor('hi'))
      expect(error).toMatchObject({ kind: 'network' })
      expectNoKey(error as ModelFault)
    }
  })

  describe('a stream that breaks off', () => {
    const frames = dialect.wire.frames(reply)

    it.each(frames.map((_, index) => index))('keeps what was said, after %i events', async (cutAfter) => {
      for (const fault of [{ cutAfter }, { endAfter: cutAfter }]) {
        const outcome = await tryOut(dialect, { reply, ...fault })
        if (outcome.fault) {
          expect(outcome.fault.kind).toBe('network')
          expect('Schöne Grüße'.startsWith(textOf(outcome.events))).toBe(true)
          expect(hasCall(outcome.events)).toBe(false)
        } else {
          // all that is missing is an end mark
          expect(outcome.events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
          expect(cutAfter).toBeGreaterThanOrEqual(frames.length - 2)
        }
      }
    })

    it('inside a character', async () => {
      const torn = frames.findIndex((frame) => frame.includes('Sch'))
      const { events, fault } = await tryOut(dialect, { reply, cutInsideCharacterOf: torn })
      expect(fault?.kind).toBe('network')
      expect(textOf(events)).toBe('')
    })
  })

  describe('an error inside a stream', () => {
    const overloaded = dialect.wire.errorFrame({
      type: overloadedType(dialect),
      message: 'Overloaded',
      status: 503,
    })
    const firstText = dialect.wire.frames(reply).findIndex((frame) => frame.includes('Sch'))

    it('before anything was said', async () => {
      const { events, fault } = await tryOut(dialect, { frames: [overloaded] })
      expect(events).toEqual([])
      expect(fault).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('Overloaded') })
    })

    it('after some words', async () => {
      const { events, fault } = await tryOut(dialect, {
        reply,
        insert: { at: firstText + 1, text: overloaded },
      })
      expect(fault).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('Overloaded') })
      expect(textOf(events)).toBe('Schöne')
    })
  })

  describe('a stream that cannot be read', () => {
    const firstText = dialect.wire.frames(reply).findIndex((frame) => frame.includes('Sch'))

    it.each([0, firstText + 1])('because of bad JSON before event %i', async (at) => {
      const { events, fault } = await tryOut(dialect, { reply, insert: { at, text: 'data: {"a":\n\n' } })
      expect(fault?.kind).toBe('malformed')
      expect(hasCall(events)).toBe(false)
    })

    it('is read all the same with comments, strange fields and events of tomorrow in it', async () => {
      const noise = ': keep alive\n\n'.repeat(5_000) + 'id: 7\nretry: 10\nfoo: bar\n\n'
      const text = noise + (dialect.wire.path.test('/v1/messages') ? 'data: {"type":"news"}\n\n' : '')
      const { events, fault } = await tryOut(dialect, { reply, insert: { at: firstText, text } })
      expect(fault).toBeUndefined()
      expect(textOf(events)).toBe('Schöne Grüße')
    })

    it.each([
      ['one line of data', 'data: x', 'x'],
      ['many lines of data', 'data: x\n', 'data: x\n'],
    ])('because an event has no end: %s', async (_, start, piece) => {
      await using server = await startProviderServer(dialect.wire)
      server.script({ endless: { start, piece, bytes: 64 * 1024 * 1024 } })
      const { error } = await hear(dialect.create(server.url, { apiKey: canaryKey }), askFor('hi'))
      expect(error).toMatchObject({ kind: 'malformed', message: expect.stringContaining('2 MiB') })
      // 2 MiB were read; the rest is what the system buffers
      expect(server.endlessBytes).toBeLessThan(24 * 1024 * 1024)
    })
  })

  describe('a provider that goes silent', () => {
    it.each<[string, Behaviour]>([
      ['before it answers', { never: true }],
      ['before the first event', { reply, stallAfter: 0 }],
      ['in the middle', { reply, stallAfter: 4 }],
      ['but for comments', { frames: Array.from({ length: 200 }, () => ': still here\n\n'), everyMs: 10 }],
    ])('%s is given up and its connection closed', async (_, behaviour) => {
      await using server = await startProviderServer(dialect.wire)
      server.script(behaviour)
      const adapter = dialect.create(server.url, { apiKey: canaryKey, idleTimeoutMs: 100 })
      const { error } = await hear(adapter, askFor('hi'))
      expect(error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('0.1 s') })
      await expect.poll(() => server.openRequests).toBe(0)
    })

    it('is not one that has a slow reader', async () => {
      await using server = await startProviderServer(dialect.wire)
      server.script({ reply, everyMs: 40 })
      const adapter = dialect.create(server.url, { apiKey: canaryKey, idleTimeoutMs: 1_000 })
      let last: ModelEvent | undefined
      // the reader alone takes time: for what comes from the provider the clock stands still
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      for await (const event of adapter.stream(askFor('hi'), new AbortController().signal)) {
        if (!last) await vi.advanceTimersByTimeAsync(60_000)
        last = event
      }
      expect(last?.type).toBe('finish')
    })
  })

  describe('a caller that stops', () => {
    it.each<[string, Behaviour]>([
      ['before the answer', { never: true }],
      ['in the middle', { reply, stallAfter: 6 }],
    ])('%s gets its own reason back', async (_, behaviour) => {
      await using server = await startProviderServer(dialect.wire)
      server.script(behaviour)
      const stop = new AbortController()
      const reason = new Error('enough')
      const heard = hear(dialect.create(server.url, { apiKey: canaryKey }), askFor('hi'), stop.signal, {
        onEvent: () => stop.abort(reason),
      })
      if ('never' in behaviour) {
        await expect.poll(() => server.requests).toHaveLength(1)
        stop.abort(reason)
      }
      expect((await heard).error).toBe(reason)
      await expect.poll(() => server.openRequests).toBe(0)
    })

    it('before it began sends nothing', async () => {
      await using server = await startProviderServer(dialect.wire)
      const reason = new Error('never mind')
      const adapter = dialect.create(server.url, { apiKey: canaryKey })
      const { error } = await hear(adapter, askFor('hi'), AbortSignal.abort(reason))
      expect(error).toBe(reason)
      expect(server.requests).toEqual([])
    })

    it('by no longer reading closes the connection', async () => {
      await using server = await startProviderServer(dialect.wire)
      server.script({ reply, stallAfter: 8 })
      const adapter = dialect.create(server.url, { apiKey: canaryKey })
      for await (const event of adapter.stream(askFor('hi'), new AbortController().signal))
        if (event.type === 'reasoning-delta') break
      await expect.poll(() => server.openRequests).toBe(0)
    })
  })

  it('never shows the key, whatever is said about it', async () => {
    const message = `Incorrect API key provided: ${canaryKey}. Authorization: Bearer ${canaryKey}`
    const masked = `Incorrect API key provided: ${canaryKey.slice(0, 8)}****cdef.`
    const error = { type: 'authentication_error', message, status: 401 }
    const behaviours: Behaviour[] = [
      { status: 401, body: dialect.wire.errorBody(error) },
      { status: 401, body: message, headers: { 'x-echo': canaryKey } },
      { status: 401, body: dialect.wire.errorBody({ ...error, message: masked }) },
      { frames: [dialect.wire.errorFrame(error)] },
      { reply, insert: { at: 5, text: dialect.wire.errorFrame(error) } },
      { frames: [`data: {"${canaryKey}"\n\n`] },
      { reply, cutAfter: 3 },
    ]
    for (const behaviour of behaviours) {
      const { fault } = await tryOut(dialect, behaviour)
      expect(fault, JSON.stringify(behaviour)).toBeDefined()
      expectNoKey(fault!)
    }
  })
})

/** Each provider has its own word for it. */
const overloadedType = ({ wire }: Dialect) =>
  wire.path.source.includes('v1beta') ? 'UNAVAILABLE' : 'overloaded_error'

function expectNoKey(fault: ModelFault): void {
  for (const text of [
    fault.message,
    fault.stack,
    JSON.stringify(fault),
    inspect(fault, { depth: 20, showHidden: true }),
  ])
    for (const secret of [canaryKey, canaryKey.slice(0, 8), 'cdef']) expect(text).not.toContain(secret)
}
