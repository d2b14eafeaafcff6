import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

// long enough to gather the messages of a turn, short enough that a search seldom has much to catch up
const delayMs = 1_000
// what another node holds is taken over when that one is gone
const lockedRetryMs = 1_000
const failedRetryMs = 30_000
const sessionsPerRead = 100

export interface SearchIndexer {
  stop(): Promise<void>
}

/**
 * Takes messages into the search index behind the appends and imports that store them: in steps of milliseconds, and idle
 * for as long as each of them took, so that all others have half of the time at least. It begins where the index ends,
 * whoever came so far, and asks for nothing as long as nothing is stored.
 */
export function startSearchIndexer(store: Store, onError: (error: unknown) => void): SearchIndexer {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const pause = (ms: number) => sleep(ms, undefined, { ref: false, signal }).catch(() => {})
  const isStopped = () => signal.aborted

  /** Each in turn, so that a long session does not keep the short ones waiting; false when others have them all. */
  const takeIn = async (ids: string[]): Promise<boolean> => {
    let hasTaken = false
    for (let queue = ids; queue.length > 0 && !isStopped();) {
      const began = performance.now()
      const { left } = await store.indexMessages(queue)
      const entries = [...left]
      hasTaken ||= entries.some(([, messages]) => messages !== undefined)
      const unfinished = entries.filter(([, messages = 0]) => messages > 0)
      queue = [...queue.filter((id) => !left.has(id)), ...unfinished.map(([id]) => id)]
      await pause(performance.now() - began)
    }
    return hasTaken
  }
  const takeInAll = async () => {
    try {
      for (let ids: string[]; !isStopped() && (ids = await store.listUnindexed(sessionsPerRead)).length > 0;)
        if (!(await takeIn(ids))) await pause(lockedRetryMs)
    } catch (error) {
      if (isStopped()) return
      onError(error)
      startIn(failedRetryMs)
    }
  }
  const startIn = (ms: number) => {
    if (timer !== undefined || isStopped()) return
    timer = setTimeout(() => {
      timer = undefined
      running = running.then(takeInAll)
    }, ms)
    timer.unref()
  }
  const unsubscribe = store.subscribe(({ type }) => {
    if (type === 'messages-appended' || type === 'messages-unindexed') startIn(delayMs)
  })
  startIn(delayMs)

  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      clearTimeout(timer)
      await running
    },
  }
}
