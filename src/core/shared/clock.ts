/** Where "now" comes from; tests hand in a fixed or stepped one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
