import { useEffect, useState } from 'react'
import { localeOf, useLanguage, type Language } from '../shell/texts.ts'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

export function formatRelative(time: string, now: number, language: Language): string {
  const ms = new Date(time).getTime() - now
  const format = new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto', style: 'short' })
  const [unit, size] = units.find(([, least]) => Math.abs(ms) >= least) ?? (['second', 1_000] as const)
  return format.format(Math.round(ms / size), unit)
}

/** "3 min. ago", with the exact time when pointed at. */
export function RelativeTime({ time, className }: { time: string; className?: string }) {
  const language = useLanguage()
  const [now, setNow] = useState(Date.now)
  const [seen, setSeen] = useState(time)
  if (seen !== time) {
    // a time that has just come may be newer than the last look at the clock
    setSeen(time)
    setNow(Date.now)
  }
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time
      dateTime={time}
      title={new Date(time).toLocaleString(localeOf(language))}
      className={className}
      suppressHydrationWarning
    >
      {formatRelative(time, now, language)}
    </time>
  )
}
