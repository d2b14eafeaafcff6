// the longest that a timer can wait; enough for "until stopped"
const forever = 2 ** 31 - 1

/** Waits, or throws the reason of `signal` as soon as it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, forever),
    )
    signal.addEventListener('abort', stop, { once: true })
  })
}
