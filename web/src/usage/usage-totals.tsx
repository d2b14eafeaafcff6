import { useTexts } from '../shell/texts.ts'
import { cachedShare, type Figures } from './usage-figures.ts'
import { useFormats } from '../ui/use-formats.ts'
import { usageTexts } from './texts.ts'

/** The figures of the whole range at a glance. */
export function UsageTotals({ totals }: { totals: Figures }) {
  const t = useTexts(usageTexts)
  const { count, share, money } = useFormats()
  const cached = cachedShare(totals)
  const figures = [
    [t.input, count(totals.inputTokens)],
    [t.output, count(totals.outputTokens)],
    [t.cached, cached === undefined ? t.unknown : share(cached)],
    [t.calls, count(totals.calls)],
    [t.cost, totals.cost === undefined ? t.unknown : money(totals.cost)],
  ] as const
  return (
    <dl aria-label={t.totals} className="grid grid-cols-2 gap-2 sm:grid-cols-5">
      {figures.map(([name, value]) => (
        <div key={name} className="rounded-lg border border-line bg-surface px-3 py-2 max-sm:last:col-span-2">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="text-lg font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
