import { createSecretMask } from '../shared/secret-mask.ts'
import { ModelFault, type FaultKind } from './fault.ts'
import { readRetryAfter } from './retry-after.ts'

export interface ProviderResponse {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Makes the faults of one adapter. Their messages name it, are short, and never hold one of its secrets. */
export interface Faults {
  /** The provider answered with an error, or with something that is no stream. */
  refused(response: ProviderResponse): ModelFault
  /** The provider sent an error inside its stream. */
  failed(error: unknown): ModelFault
  /** The provider could not be reached, or the connection broke. */
  unreachable(cause: unknown): ModelFault
  /** The stream ended, but the answer had not. */
  cut(cause?: unknown): ModelFault
  idle(idleMs: number): ModelFault
  malformed(what: string): ModelFault
  /** The request cannot be expressed for this provider. */
  unsupported(what: string): ModelFault
}

export function createFaults(id: string, secrets: readonly string[] = []): Faults {
  const mask = createSecretMask(secrets, '[key]')
  const make = (kind: FaultKind, text: string, options: ConstructorParameters<typeof ModelFault>[2] = {}) =>
    new ModelFault(kind, shorten(mask(`${id} ${text}`).replace(keyLike, '[key]')), options)

  return {
    refused({ status, headers, body }) {
      const said = parse(body)
      if (status < 300 && !asRecord(said)?.error)
        return make('malformed', `answered with ${headers['content-type']} in place of a stream of events`)
      const { words, message } = readError(said, status < 400 ? `see ${headers.location}` : body)
      const retryAfterMs = readRetryAfter(headers, body)
      return make(kindOf(status, words, message), `answered ${status}${message && `: ${message}`}`, {
        status,
        retryAfterMs,
      })
    },
    failed(error) {
      const { words, message, status } = readError(error, 'an error without a message')
      return make(kindOf(status, words, message), `broke off: ${message}`, { status })
    },
    unreachable: (cause) =>
      make(isTimeout(cause) ? 'timeout' : 'network', `could not be reached: ${describe(cause)}`, {
        cause: systemError(cause),
      }),
    cut: (cause) =>
      make('network', `broke off before its answer was complete${cause ? `: ${describe(cause)}` : ''}`, {
        cause: systemError(cause),
      }),
    idle: (idleMs) => make('timeout', `sent nothing for ${idleMs / 1_000} s`),
    malformed: (what) => make('malformed', `sent what cannot be read: ${what}`),
    unsupported: (what) => make('bad-request', `does not take this: ${what}`),
  }
}

// a page of HTML or a stack trace helps nobody
const maxMessageLength = 500

/** Keys as the providers print them, also in part: OpenAI quotes the ends of a wrong one. */
export const keyLike = /\b(?:sk|pk|rk|gsk|xai)-[\w*.-]{6,}|\bAIza[\w*-]{6,}|\bBearer\s+[\w.~+/=*-]+/g

const shorten = (text: string) =>
  text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text

const quota =
  /insufficient_quota|billing_(error|hard_limit|not_active)|spend(ing)?[ _-](cap|limit)|credit balance is too low|insufficient (balance|funds|credits?)|specified api usage limits|perday/
const tooLarge =
  /context_length_exceeded|request_too_large|maximum context length|context window|prompt is too long|input token count/
const badKey = /api_key_invalid|api key not valid|invalid_api_key/

/** What providers call the same thing; used where there is no status to go by. */
const kindByWord: [RegExp, FaultKind][] = [
  [/overloaded|unavailable/, 'overloaded'],
  [/rate_limit|resource_exhausted/, 'rate-limit'],
  [/timeout|deadline/, 'timeout'],
  [/authentication|permission|unauthenticated/, 'auth'],
  [/not_found/, 'not-found'],
  [/invalid|bad_request/, 'bad-request'],
]

const kindByStatus: Record<number, FaultKind> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  408: 'timeout',
  409: 'server',
  410: 'not-found',
  413: 'too-large',
  425: 'server',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
}

function kindOf(status: number | undefined, words: string, message: string): FaultKind {
  const said = `${words} ${message}`.toLowerCase()
  const isRefusal = status === undefined || (status >= 400 && status < 500)
  if (isRefusal && quota.test(said)) return 'quota'
  if (isRefusal && tooLarge.test(said)) return 'too-large'
  if (isRefusal && badKey.test(said)) return 'auth'
  if (status === undefined || status < 300)
    return kindByWord.find(([word]) => word.test(words.toLowerCase()))?.[1] ?? 'server'
  return kindByStatus[status] ?? (status < 500 ? 'bad-request' : 'server')
}

/**
 * The shapes in use: `{error: {message, type, code}}` of OpenAI and Anthropic, `{error: {message, status, details}}` of
 * Google, `{error: text}` of Ollama, `{detail}` of many Python servers; inside streams also without the envelope.
 */
function readError(value: unknown, otherwise: string): { words: string; message: string; status?: number } {
  const outer = asRecord(value)
  const inner = asRecord(outer?.error) ?? asRecord(asRecord(outer?.response)?.error) ?? outer
  const message = [inner?.message, outer?.error, outer?.detail, value].find(
    (text) => typeof text === 'string',
  )
  const words = [inner?.type, inner?.code, inner?.status, quotaIds(inner?.details)]
  const status = [inner?.statusCode, inner?.code].find((code) => Number(code) >= 400 && Number(code) < 600)
  return {
    words: words.filter((word) => typeof word === 'string').join(' '),
    message: ((message as string | undefined) ?? otherwise).replace(/\s+/g, ' ').trim(),
    ...(status !== undefined && { status: Number(status) }),
  }
}

/** Google names the exhausted quota (`…PerDay…`) in its details only. */
const quotaIds = (details: unknown) =>
  details ? JSON.stringify(details).match(/"quotaId":"\w+"/)?.[0] : undefined

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // not JSON: the text itself is the message
  }
}

const asRecord = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined

/** The innermost error with more than "fetch failed". */
function systemError(error: unknown): Error | undefined {
  let found: Error | undefined
  for (let current = error; current instanceof Error; current = current.cause)
    if (!found || 'code' in current) found = current
  return found && 'code' in found ? found : undefined
}

function describe(error: unknown): string {
  const { message, code } = (systemError(error) ?? error) as { message?: string; code?: string }
  return message || code || 'the connection was lost'
}

const isTimeout = (error: unknown) => /TIMEDOUT|_TIMEOUT/.test(String(asRecord(systemError(error))?.code))
