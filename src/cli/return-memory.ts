import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

interface ReturnMemoryOptions {
  /** Default 10,000: how often it looks. */
  everyMs?: number
  /** Default 0.05: the share of the time that the event loop may have been busy meanwhile. */
  busyShare?: number
}

// less is not worth a collection, which takes a tenth of a second, and longer the more is alive
const leastBytes = 16 * 2 ** 20
const leastGrowth = 1.5

/**
 * What a burst of turns needed is mostly garbage, which V8 keeps for the next one: it would collect it only when it allocates
 * again. While nothing happens it is collected whole and given back to the system.
 */
export function returnMemoryWhenIdle({
  everyMs = 10_000,
  busyShare = 0.05,
}: ReturnMemoryOptions = {}): Disposable {
  let seen = performance.eventLoopUtilization()
  /** What the heap had taken when it was collected last. */
  let kept = 0
  let collect: ReturnType<typeof findCollector> | undefined
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, seen)
    seen = now
    const worthIt = Math.max(kept + leastBytes, kept * leastGrowth)
    if (utilization > busyShare || process.memoryUsage().heapTotal < worthIt) return
    collect ??= findCollector()
    collect({ type: 'major', flavor: 'last-resort', execution: 'sync' })
    kept = process.memoryUsage().heapTotal
    // the collection itself is not what makes it busy
    seen = performance.eventLoopUtilization()
  }
  const timer = setInterval(look, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The collector that V8 has for those who ask for it by a flag. */
function findCollector(): (how: object) => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: object) => void
  setFlagsFromString('--no-expose-gc')
  return collect
}
