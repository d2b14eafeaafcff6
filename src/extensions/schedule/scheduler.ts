import type { Logger } from 'pino'
import type { ScheduleDeps } from './schedule-service.ts'
import { fireCron, startWaiting } from './fire-cron.ts'
import { clockSkewMs, mendAfterJump } from './clock-jumps.ts'
import { runEventHook } from './run-event-hook.ts'

export interface Scheduler {
  start(): void
  /** Processes once all that is due or waiting. */
  tick(): Promise<void>
  /** Waits for the running tick. */
  stop(): Promise<void>
}

// the finest resolution of a schedule
const tickMs = 1_000
const batch = 100
const keptMs = 90 * 24 * 3_600_000
const pruneEveryMs = 3_600_000

/**
 * Checks every second for due crons and for events that hooks wait for. Any number of nodes may do so at the
 * same time: all state is in the store, and there one of them gets each fire.
 */
export function createScheduler(deps: ScheduleDeps & { logger: Logger }): Scheduler {
  const { store, clock, logger } = deps
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> | undefined
  let isStopping = false
  let prunedAt = 0

  /** One that fails is retried with the next tick, and does not hold up the others. */
  const attempt = async (what: string, id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logger.warn({ err: error, id }, `${what} failed, will try again`)
    }
  }

  async function fireAllDue(now: number): Promise<void> {
    const seen = new Set<string>()
    while (!isStopping) {
      const due = await store.listDueCrons(now, batch + seen.size)
      const fresh = due.filter(({ id }) => !seen.has(id))
      if (fresh.length === 0) return
      for (const cron of fresh) {
        if (isStopping) return
        seen.add(cron.id)
        await attempt('a cron', cron.id, () => fireCron(deps, cron, now))
      }
    }
  }

  async function look(): Promise<void> {
    const now = clock.now()
    for (const ahead of await store.listCronsWrittenAfter(now + clockSkewMs, batch))
      await attempt('mending a cron', ahead.id, () => mendAfterJump(deps, ahead, now))
    await fireAllDue(now)
    for (const waiting of await store.listWaitingCrons(batch)) {
      if (isStopping) return
      await attempt('a waiting fire', waiting.id, () => startWaiting(deps, waiting, now))
    }
    for (const hook of await store.listEventHooksBehind(batch)) {
      if (isStopping) return
      await attempt('an event hook', hook.id, () => runEventHook(deps, hook, now))
    }
    if (Math.abs(now - prunedAt) < pruneEveryMs) return
    prunedAt = now
    await store.deleteFiresBefore(now - keptMs)
  }

  const tick = () =>
    (ticking ??= look()
      .catch((error: unknown) => logger.warn({ err: error }, 'looking for crons failed, will try again'))
      .finally(() => {
        ticking = undefined
      }))

  return {
    start() {
      timer = setInterval(() => void tick(), tickMs)
      timer.unref()
      void tick()
    },
    tick,
    async stop() {
      isStopping = true
      clearInterval(timer)
      await ticking
    },
  }
}
