export interface Gate {
  /** Resolves when somebody waits at the gate. */
  reached: Promise<void>
  wait(): Promise<void>
  open(): void
}

/** Holds something up in the middle, so that a test can do something else meanwhile. */
export function createGate(): Gate {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    wait() {
      reached.resolve()
      return opened.promise
    },
    open: () => opened.resolve(),
  }
}

/** Where so many wait for each other, so that they overlap; whoever comes later passes. */
export function createMeeting(count: number): () => Promise<void> {
  const complete = Promise.withResolvers<void>()
  let present = 0
  return () => {
    if (++present === count) complete.resolve()
    return complete.promise
  }
}
