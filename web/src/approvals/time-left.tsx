import { Clock } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { approvalsTexts } from './texts.ts'
import { formatLeft } from '../ui/format-left.ts'

/** Ticks. Only shown: whether it is too late is for the server to say, whose clock may be another. */
export function TimeLeft({ until }: { until: string }) {
  const t = useTexts(approvalsTexts)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = new Date(until).getTime() - now
  return (
    <span
      role="timer"
      className={`inline-flex h-7 shrink-0 items-center gap-1 text-xs tabular-nums ${left < urgentMs ? 'text-warning' : 'text-muted'}`}
    >
      <Clock aria-hidden className="size-3.5" />
      {left > 0 ? t.timeLeft(formatLeft(left)) : t.timeUp}
    </span>
  )
}

const urgentMs = 60_000
