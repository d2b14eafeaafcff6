import { isOfClass } from '../shared/type-checks.ts'

/** HTTP status for each stable error code; a new code starts here. */
const statusByCode = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  idempotency_mismatch: 422,
  too_many_requests: 429,
  internal: 500,
  turn_failed: 502,
  adapter_unavailable: 503,
  store_unavailable: 503,
  shutting_down: 503,
  storage_full: 507,
} as const

export type ErrorCode = keyof typeof statusByCode
export type ErrorStatus = (typeof statusByCode)[ErrorCode]
export const errorCodes = Object.keys(statusByCode) as ErrorCode[]

/** An expected failure with a stable code. Anything else that is thrown is a bug and answers 500. */
export class ParleyError extends Error {
  readonly code: ErrorCode
  readonly details?: unknown
  /** Set by the client: the id under which the server logged the request. */
  requestId?: string

  constructor(code: ErrorCode, message: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ParleyError'
    this.code = code
    this.details = options.details
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isOfClass(value, this)
  }

  get status(): ErrorStatus {
    return statusByCode[this.code]
  }
}

/** Not the fault of whoever asked: the same may be asked again when the store is back. */
export const isStoreUnavailable = (error: unknown) =>
  error instanceof ParleyError && error.code === 'store_unavailable'

export const invalidRequest = (message: string, details?: unknown) =>
  new ParleyError('invalid_request', message, { details })

export const notFound = (noun: string, id: string) =>
  new ParleyError('not_found', `There is no ${noun} ${quote(id)} in this scope.`, { details: { id } })

export const conflict = (message: string, details?: unknown) =>
  new ParleyError('conflict', message, { details })

/** A value as it appears in a message: JSON, cut so that hostile input cannot flood a log line. */
export function quote(value: unknown, limit = 80): string {
  const text = toJson(value) ?? String(value)
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}

/** Undefined for what JSON cannot express: a message about a wrong value must not fail over it. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const maxDescribed = 500

/** Whatever was thrown, as a short text that can be stored. */
export function describeThrown(error: unknown): string {
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : quote(error)
  return (text || 'no reason given').slice(0, maxDescribed).toWellFormed().replaceAll('\0', '')
}
