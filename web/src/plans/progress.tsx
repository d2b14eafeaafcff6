import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { planTexts } from './texts.ts'
import { doneOf, nodeStatuses, totalOf, type Counts } from './status.ts'

interface Props {
  counts: Counts
  className?: string
}

const fills = {
  completed: 'bg-[var(--run-completed)]',
  skipped: 'bg-muted',
  running: 'bg-[var(--run-running)]',
  partial: 'bg-[var(--run-degraded)]',
  refused: 'bg-[var(--run-failed)]',
  failed: 'bg-[var(--run-failed)]',
  blocked: 'bg-[var(--run-degraded)]',
  pending: '',
}

/** How far a plan is: a bar, with the figures beside it. */
export function Progress({ counts, className }: Props) {
  const t = useTexts(planTexts)
  const total = totalOf(counts)
  const words = nodeStatuses
    .flatMap((status) => (counts[status] ? [`${t.statuses[status]} ${counts[status]}`] : []))
    .join(', ')
  return (
    <div className={clsx('flex min-w-0 items-center gap-2 text-xs text-muted', className)} title={words}>
      <div
        role="img"
        aria-label={words || t.noNodes}
        className="flex h-1.5 w-32 shrink overflow-hidden rounded-full bg-line"
      >
        {nodeStatuses.map(
          (status) =>
            counts[status] &&
            status !== 'pending' && (
              <span
                key={status}
                className={fills[status]}
                style={{ width: `${(counts[status] / total) * 100}%` }}
              />
            ),
        )}
      </div>
      <span className="shrink-0 tabular-nums">
        {total === 0 ? t.noNodes : t.doneOf(doneOf(counts), total)}
      </span>
    </div>
  )
}
