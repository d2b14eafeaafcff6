import { useEffect, useState } from 'react'
import { durationOf, formatDuration } from './duration.ts'

interface Props {
  startedAt?: string
  finishedAt?: string
}

/** How long something took; ticks as long as it goes on. */
export function Elapsed({ startedAt, finishedAt }: Props) {
  const [now, setNow] = useState(Date.now)
  const isGoing = startedAt !== undefined && finishedAt === undefined
  useEffect(() => {
    if (!isGoing) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isGoing])
  const ms = durationOf({ startedAt, finishedAt }, now)
  if (ms === undefined) return null
  return <span className="whitespace-nowrap tabular-nums">{formatDuration(ms, isGoing)}</span>
}
