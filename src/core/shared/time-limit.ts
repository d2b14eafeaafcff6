const maxTimerMs = 2 ** 31 - 1

export interface TimeBounds {
  timeoutMs: number
  /** Nobody waits any more when it aborts. */
  signal?: AbortSignal
  /** What is thrown at the timeout. */
  late?: string
}

/**
 * Waits for a function that somebody else wrote, at most so long. A promise that never settles does not keep a process
 * alive, so this does; and one that does not listen to its signal is left to itself.
 */
export async function inTime<T>(
  { timeoutMs, signal, late = `no answer within ${timeoutMs} ms` }: TimeBounds,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(new Error(late)), Math.min(timeoutMs, maxTimerMs))
  const limit = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  let stop = () => {}
  try {
    limit.throwIfAborted()
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(limit.reason)
      limit.addEventListener('abort', stop)
    })
    return await Promise.race([(async () => work(limit))(), stopped])
  } finally {
    clearTimeout(timer)
    limit.removeEventListener('abort', stop)
  }
}
