/** Milliseconds that it took, or has taken so far. */
export function durationOf(
  { startedAt, finishedAt }: { startedAt?: string; finishedAt?: string },
  now: number,
): number | undefined {
  if (startedAt === undefined) return undefined
  const end = finishedAt === undefined ? now : Date.parse(finishedAt)
  return Math.max(0, end - Date.parse(startedAt))
}

/** `3.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function formatDuration(ms: number, isGoing = false): string {
  if (isGoing && ms < 60_000) return `${Math.floor(ms / 1_000)} s`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.floor(seconds / 60) % 60} min`
}
