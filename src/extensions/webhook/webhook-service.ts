import type { Clock } from '../../core/shared/clock.ts'
import type { Store } from '../../core/store/store.ts'
import type { AddressRules } from '../../core/net/address-rules.ts'
import type { Resolve } from '../../core/net/checked-request.ts'

export interface WebhookLimits {
  /** Of one scope. */
  maxPerScope: number
  /** Of one webhook; further events wait in the log of the scope. */
  maxWaiting: number
  /** Calls at a time in this process. */
  maxAtOnce: number
  /** From the look-up of the name to the head of the answer. */
  timeoutMs: number
  /** The first attempt and its retries. */
  maxAttempts: number
  /** Deliveries in a row that are given up until the webhook pauses. */
  maxFailures: number
  /** Days that finished deliveries stay listed. */
  keptDays: number
}

export const defaultWebhookLimits: WebhookLimits = {
  maxPerScope: 50,
  maxWaiting: 1_000,
  maxAtOnce: 10,
  timeoutMs: 15_000,
  maxAttempts: 8,
  maxFailures: 5,
  keptDays: 30,
}

export interface WebhookDeps {
  store: Store
  clock: Clock
  /** Which addresses may be called. */
  rules: AddressRules
  resolve: Resolve
  limits: WebhookLimits
}
