import { describe, expect, it } from 'vitest'
import { createFaults } from './provider-faults.ts'

const faults = createFaults('x/m', ['a-secret'])
const refused = (status: number, body: unknown) =>
  faults.refused({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('what providers answer', () => {
  it('tells a limit per minute from one per day at Google', () => {
    const limit = (quotaId: string) => ({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: [{ violations: [{ quotaId }] }, { retryDelay: '20s' }],
      },
    })
    expect(refused(429, limit('GenerateRequestsPerMinutePerProject'))).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs: 20_000,
    })
    expect(refused(429, limit('GenerateRequestsPerDayPerProject')).kind).toBe('quota')
  })

  it.each([
    [401, { error: 'unauthorized' }, 'auth', 'unauthorized'],
    [404, { error: "model 'x' not found" }, 'not-found', "model 'x' not found"],
    [422, { detail: 'no' }, 'bad-request', 'no'],
    [
      400,
      { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please' } },
      'auth',
      'API key',
    ],
    [429, { error: { code: 'insufficient_quota', message: 'none left' } }, 'quota', 'none left'],
    [500, 'upstream   \n connect error', 'server', 'upstream connect error'],
    [418, '', 'bad-request', '418'],
  ])('reads %i %j', (status, body, kind, message) => {
    expect(refused(status, body)).toMatchObject({ kind, status, message: expect.stringContaining(message) })
  })
})

describe('errors inside a stream', () => {
  it.each([
    [{ type: 'overloaded_error', message: 'm' }, 'overloaded'],
    [{ type: 'rate_limit_error', message: 'm' }, 'rate-limit'],
    [{ type: 'api_error', message: 'm' }, 'server'],
    [{ type: 'billing_error', message: 'm' }, 'quota'],
    [{ type: 'invalid_request_error', message: 'm' }, 'bad-request'],
    [{ type: 'authentication_error', message: 'm' }, 'auth'],
    [{ type: 'not_found_error', message: 'm' }, 'not-found'],
    [{ type: 'timeout_error', message: 'm' }, 'timeout'],
    [{ code: 429, message: 'm' }, 'rate-limit'],
    [{ message: 'm', statusCode: 529 }, 'overloaded'],
    [
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'm' } } },
      'rate-limit',
    ],
    ['just words', 'server'],
    [undefined, 'server'],
  ])('takes %j for %s', (error, kind) => {
    expect(faults.failed(error).kind).toBe(kind)
  })
})

it('keeps messages short and free of keys', () => {
  const fault = refused(401, `a-secret, Bearer abc.def, sk-proj-12***89, AIzaSyA-123456 ${'x'.repeat(9_000)}`)
  expect(fault.message).toMatch(/^x\/m answered 401: \[key\], \[key\], \[key\], \[key\] x{300}/)
  expect(fault.message.length).toBeLessThan(510)
})

it('names the cause of a lost connection, not the wrapping', () => {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const fault = faults.unreachable(new TypeError('fetch failed', { cause }))
  expect(fault).toMatchObject({
    kind: 'network',
    message: 'x/m could not be reached: read ECONNRESET',
    cause,
  })
  const slow = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  expect(faults.unreachable(slow).kind).toBe('timeout')
})
