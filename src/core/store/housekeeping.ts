import { setImmediate as others } from 'node:timers/promises'
import type { Clock } from '../shared/clock.ts'
import type { Store, StoreOperations } from './store.ts'

/** Keys are kept this long; a request that is repeated later is a new one. */
export const idempotencyKeptMs = 24 * 3_600_000
/** Whoever was away for longer sees a gap in the events. */
export const defaultEventsKeptDays = 7
export const defaultAuditKeptDays = 90
const dayMs = 24 * 3_600_000
const everyMs = 3_600_000
const runsPerRead = 100

/** Runs of an extension that are deleted some time after their end. */
export interface Retention {
  keptDays: number
  /** The sessions of runs that ended before a time. */
  listOld(store: Store, before: number, limit: number): Promise<{ scope: string; sessionId: string }[]>
}

export interface Housekeeping {
  stop(): Promise<void>
}

/** Forgets, once an hour, what has an end by design. */
export function startHousekeeping(
  store: Store,
  clock: Clock,
  onError: (error: unknown) => void,
  {
    eventsKeptDays = defaultEventsKeptDays,
    auditKeptDays = defaultAuditKeptDays,
    retentions = [],
  }: {
    eventsKeptDays?: number
    auditKeptDays?: number
    retentions?: readonly Retention[]
  } = {},
): Housekeeping {
  let running: Promise<unknown> = Promise.resolve()
  const tidy = () => {
    const now = clock.now()
    running = Promise.all([
      store.deleteIdempotencyKeysBefore(now - idempotencyKeptMs).catch(onError),
      store.deleteEventsBefore(now - eventsKeptDays * dayMs).catch(onError),
      store.deleteAuditBefore(now - auditKeptDays * dayMs).catch(onError),
      ...retentions.map(({ keptDays, listOld }) =>
        deleteOldRuns(store, (limit) => listOld(store, now - keptDays * dayMs, limit)).catch(onError),
      ),
    ])
  }
  const sweeper = startSweeper(store, onError)
  const timer = setInterval(tidy, everyMs)
  timer.unref()
  tidy()
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all([running, sweeper.stop()])
    },
  }
}

/** Sweeps what is left of long sessions, at the start and after each deletion; others have their turn in between. */
function startSweeper(store: Store, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let isStopped = false
  let sweeping: Promise<void> | undefined
  let isAsked = false
  const sweep = async () => {
    while (!isStopped && (await store.sweepDeleted())) await others()
  }
  const ask = () => {
    isAsked = true
    sweeping ??= (async () => {
      while (isAsked && !isStopped) {
        isAsked = false
        await sweep().catch(onError)
      }
      sweeping = undefined
    })()
  }
  const unsubscribe = store.subscribe(({ type }) => {
    if (type === 'session-deleted') ask()
  })
  ask()
  return {
    async stop() {
      isStopped = true
      unsubscribe()
      await sweeping
    },
  }
}

/** A run goes with its session, and with it those of its steps and its folder. */
async function deleteOldRuns(
  store: Store,
  listOld: (limit: number) => Promise<{ scope: string; sessionId: string }[]>,
): Promise<void> {
  for (;;) {
    const old = await listOld(runsPerRead)
    for (const { scope, sessionId } of old)
      await store.transaction((tx) => deleteWithFinished(tx, scope, sessionId))
    if (old.length < runsPerRead) return
  }
}

/** Tasks that were started in it are as old; one that is still running stays, without a parent. */
async function deleteWithFinished(tx: StoreOperations, scope: string, sessionId: string): Promise<void> {
  for (const left of await tx.deleteSession(scope, sessionId))
    if ((await tx.listOpenRuns(left)).length === 0) await deleteWithFinished(tx, scope, left)
}
