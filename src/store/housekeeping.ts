import type { Clock } from '../shared/clock.ts'
import type { Store } from './store.ts'

/** Keys are kept this long; a request that is repeated later is a new one. */
export const idempotencyKeptMs = 24 * 3_600_000
const everyMs = 3_600_000

/** Forgets, once an hour, what has an end by design. */
export function startHousekeeping(
  store: Store,
  clock: Clock,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve()
  const tidy = () => {
    running = store.deleteIdempotencyKeysBefore(clock.now() - idempotencyKeptMs).catch(onError)
  }
  const timer = setInterval(tidy, everyMs)
  timer.unref()
  tidy()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
