import type { Store } from '../store/store.ts'

// long enough to gather the messages of a turn, short enough that a search seldom has much to catch up
const delayMs = 1_000

export interface SearchIndexer {
  stop(): Promise<void>
}

/**
 * Takes new messages into the search index a moment after they were stored. A search catches up by itself, so
 * nothing depends on this but the speed of the first search.
 */
export function startSearchIndexer(store: Store, onError: (error: unknown) => void): SearchIndexer {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const catchUp = async () => {
    try {
      // one session a time, so that requests get their turn in between
      while (!isStopped && (await store.indexNextSession())) await new Promise(setImmediate)
    } catch (error) {
      onError(error)
    }
  }
  const catchUpSoon = () => {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      timer = undefined
      running = running.then(catchUp)
    }, delayMs)
    timer.unref()
  }
  const unsubscribe = store.subscribe((change) => {
    if (change.type === 'messages-appended') catchUpSoon()
  })
  catchUpSoon()

  return {
    async stop() {
      isStopped = true
      unsubscribe()
      clearTimeout(timer)
      await running
    },
  }
}
