/** Watches one connection to a provider; disposing it ends the watch, not the connection. */
export interface StreamWatch extends Disposable {
  /** True once the connection was ended because nothing came. */
  readonly isIdle: boolean
  /** From here on silence is the provider's. */
  wait(): void
  /** Something came; until the next `wait` silence is the reader's. */
  hear(): void
}

/** Calls `end` when the caller aborts, or when the provider was silent for `idleTimeoutMs`. */
export function watchStream(signal: AbortSignal, idleTimeoutMs: number, end: () => void): StreamWatch {
  let isWaiting = true
  let isIdle = false
  const timer = setTimeout(() => {
    if (!isWaiting) return timer.refresh()
    isIdle = true
    end()
  }, idleTimeoutMs)
  signal.addEventListener('abort', end, { once: true })
  return {
    get isIdle() {
      return isIdle
    },
    wait() {
      isWaiting = true
    },
    hear() {
      isWaiting = false
      timer.refresh()
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    },
  }
}
