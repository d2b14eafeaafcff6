import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { planTexts } from './texts.ts'
import { statusColours, statusIcons, statusStates, type PlanStatus } from './status.ts'

interface Props {
  status: PlanStatus
  className?: string
}

/** How something stands, in the room of a letter. */
export function StatusMark({ status, className }: Props) {
  const t = useTexts(planTexts)
  const Icon = statusIcons[status]
  return (
    <Icon
      role="img"
      aria-label={t.statuses[status]}
      className={clsx(
        'size-4 shrink-0',
        statusColours[status],
        status === 'running' && 'animate-spin',
        className,
      )}
    />
  )
}

/** The same with its word. */
export function StatusTag({ status }: Props) {
  const t = useTexts(planTexts)
  const Icon = statusIcons[status]
  return (
    <Tag state={statusStates[status]} data-status={status}>
      <Icon aria-hidden className={clsx('size-3.5', status === 'running' && 'animate-spin')} />
      {t.statuses[status]}
    </Tag>
  )
}
