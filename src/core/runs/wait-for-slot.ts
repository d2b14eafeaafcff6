import { setTimeout as sleep } from 'node:timers/promises'
import { isStoreUnavailable } from '../protocol/error.ts'
import type { Slots } from '../store/queries/claims.ts'
import type { StoreOperations } from '../store/store.ts'

const slotMs = 100
const storeRetryMs = 1_000

/** Waits of runs, for a task or for a person, during which they hold no place among those that work. */
export interface SlotWaits {
  during<T>(runId: string, signal: AbortSignal, wait: () => Promise<T>): Promise<T>
}

export function createSlotWaits(store: StoreOperations, slots: Slots): SlotWaits {
  /** How many calls of a run wait: it takes its slot again with the last of them. */
  const waiting = new Map<string, number>()
  const count = (runId: string, change: 1 | -1) => {
    const left = (waiting.get(runId) ?? 0) + change
    if (left > 0) waiting.set(runId, left)
    else waiting.delete(runId)
    return left
  }
  return {
    async during(runId, signal, wait) {
      count(runId, 1)
      try {
        await insist(() => store.beginWaiting(runId), signal)
        return await wait()
      } finally {
        const takeSlot = () => store.endWaiting(runId, slots)
        if (count(runId, -1) === 0)
          while (!signal.aborted && !(await insist(takeSlot, signal))) await sleep(slotMs)
      }
    },
  }
}

/** A store that is unavailable for a while is asked again: it does not end the wait. */
export async function insist<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (signal?.aborted || !isStoreUnavailable(error)) throw error
      await sleep(storeRetryMs)
    }
  }
}
