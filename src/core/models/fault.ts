/**
 * Why a model did not answer. The kind decides what the turn loop does:
 * `rate-limit`, `overloaded`, `server`, `network`, `timeout` may pass and are tried again;
 * `auth`, `bad-request`, `not-found`, `too-large`, `quota`, `malformed`, `unavailable` will not.
 */
export const faultKinds = [
  'auth',
  'bad-request',
  'not-found',
  'too-large',
  'quota',
  'rate-limit',
  'overloaded',
  'server',
  'network',
  'timeout',
  'malformed',
  'unavailable',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** Its message is for people: it repeats the message of the provider, and never contains a key. */
export class ModelFault extends Error {
  readonly kind: FaultKind
  readonly status: number | undefined
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: FaultKind,
    message: string,
    options: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ModelFault'
    this.kind = kind
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
  }

  get isTransient(): boolean {
    return ['rate-limit', 'overloaded', 'server', 'network', 'timeout'].includes(this.kind)
  }
}
