import { clsx } from 'clsx'
import type { WindowView } from '../../../src/core/protocol/window.ts'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'

/** How near the window is to each of its limits. */
export function WindowFullness({ view }: { view: WindowView }) {
  const t = useTexts(contextTexts)
  const { effective } = view
  const rows: [label: string, value: number, limit: number][] = [
    [t.chars, view.chars, effective.maxChars],
    [t.messages, view.messages, effective.maxMessages],
    [t.tokensEstimated, view.tokens, effective.maxTokens],
    [t.turnsSince, view.turnsSinceResize, effective.everyNTurns],
  ]
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{t.fullness}</h3>
      {rows.map(([label, value, limit]) => (
        <Meter key={label} label={label} value={value} limit={limit} />
      ))}
    </section>
  )
}

function Meter({ label, value, limit }: { label: string; value: number; limit: number }) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const share = limit > 0 ? Math.min(1, value / limit) : 0
  const text = limit > 0 ? t.ofLimit(count(value), count(limit)) : `${count(value)} · ${t.noLimit}`
  return (
    <div className="flex flex-col gap-0.5">
      <div className="flex justify-between gap-2 text-sm">
        <span>{label}</span>
        <span className="text-muted tabular-nums">{text}</span>
      </div>
      {limit > 0 && (
        <div
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(value, limit)}
          aria-valuetext={text}
          className="h-1.5 overflow-hidden rounded-full bg-hover"
        >
          <div
            className={clsx(
              'h-full rounded-full',
              share >= 0.9 ? 'bg-danger' : share >= 0.75 ? 'bg-warning' : 'bg-accent',
            )}
            style={{ width: `${100 * share}%` }}
          />
        </div>
      )}
    </div>
  )
}
