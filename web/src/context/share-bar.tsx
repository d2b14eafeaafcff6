import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'
import { shares, type Share, type Totals } from './prompt-pieces.ts'
import { useNumbers } from '../ui/use-numbers.ts'

/** Told apart by shade and by the words below; never by colour alone. */
const shades: Record<Share, string> = {
  tools: 'bg-[var(--run-queued)]',
  system: 'bg-accent',
  head: 'bg-[var(--run-degraded)]',
  window: 'bg-[var(--run-running)]',
  input: 'bg-[var(--run-completed)]',
}

/** What a prompt is made of, as one bar and in words. */
export function ShareBar({ totals }: { totals: Totals }) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const shown = shares.filter((share) => totals[share] > 0)
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden className="flex h-2.5 gap-px overflow-hidden rounded-full bg-hover">
        {shown.map((share) => (
          <div
            key={share}
            className={clsx('min-w-px', shades[share])}
            style={{ width: `${(100 * totals[share]) / totals.all}%` }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted">
        {shown.map((share) => (
          <li key={share} className="flex items-center gap-1">
            <span aria-hidden className={clsx('size-2 rounded-full', shades[share])} />
            {t.shares[share]} <span className="tabular-nums">{count(totals[share])}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
