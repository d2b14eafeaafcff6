// systems count in ticks: less than some of them cannot be told from nothing
const leastMs = 20

/** How long this thread works on something, waiting not included; at least what can be measured. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(start)
  return Math.max(leastMs, (user + system) / 1_000)
}
