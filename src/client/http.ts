import { errorCodes, ParleyError, type ErrorCode } from '../core/protocol/error.ts'

export interface ClientOptions {
  /** Where the server is, e.g. `http://127.0.0.1:4127`; in a browser the page's own server when left out. */
  baseUrl?: string
  apiKey?: string
  /** For tests and for environments with their own way to the network. */
  fetch?: typeof fetch
  /** The same for what `events` is read with; default: that of the environment. */
  WebSocket?: typeof WebSocket
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>
  /** Sent as JSON. */
  json?: unknown
  /** Default application/json. */
  accept?: string
  idempotencyKey?: string
  signal?: AbortSignal
  /** Sent as it is. */
  text?: { type: string; body: string | Blob }
}

export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>

/**
 * Sends one request; an answer that is not 2xx is thrown as the `ParleyError` it carries.
 */
export function createSend({ baseUrl = '', apiKey, fetch: send = fetch }: ClientOptions): Send {
  return async (
    method,
    path,
    { query = {}, json, text, accept = 'application/json', idempotencyKey, signal } = {},
  ) => {
    const search = new URLSearchParams()
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
    const headers = new Headers({ Accept: accept })
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey)
    if (apiKey !== undefined) headers.set('Authorization', `Bearer ${apiKey}`)
    if (json !== undefined) headers.set('Content-Type', 'application/json')
    if (text !== undefined) headers.set('Content-Type', text.type)
    const response = await send(
      `${baseUrl.replace(/\/$/, '')}${path}${search.size > 0 ? `?${search}` : ''}`,
      {
        method,
        headers,
        signal,
        body: text?.body ?? (json === undefined ? undefined : JSON.stringify(json)),
      },
    ).catch((cause: unknown) => {
      if (signal?.aborted) throw signal.reason
      throw new ParleyError('store_unavailable', `No Parley answers at ${baseUrl || 'this address'}.`, {
        cause,
      })
    })
    if (!response.ok) throw await toError(response)
    return response
  }
}

const toError = async (response: Response): Promise<ParleyError> =>
  toFailure(
    await response.json().catch(() => undefined),
    `The server answered ${response.status} ${response.statusText}.`,
  )

/** The error that an answer, or the end of a stream, carries. */
export function toFailure(body: unknown, fallback: string): ParleyError {
  const { error: carried } = (body ?? {}) as { error?: Record<string, unknown> }
  const { code, message, details, requestId } = carried ?? {}
  const isKnown = errorCodes.includes(code as ErrorCode)
  const error = new ParleyError(
    isKnown ? (code as ErrorCode) : 'internal',
    typeof message === 'string' ? message : fallback,
    { details },
  )
  if (typeof requestId === 'string') error.requestId = requestId
  return error
}
