/** Milliseconds that this thread has worked since; unlike those on the clock, as many on a busy machine. */
export function startCpuTime(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1_000
  }
}
