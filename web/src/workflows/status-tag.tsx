import { useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { runTexts } from './texts.ts'
import { statusIcons, statusStates, type Status } from './step-icons.ts'

/** How a run or a step of it stands. */
export function StatusTag({ status }: { status: Status }) {
  const t = useTexts(runTexts)
  const Icon = statusIcons[status]
  return (
    <Tag state={statusStates[status]} data-status={status}>
      <Icon aria-hidden className={`size-3.5 ${status === 'running' ? 'animate-spin' : ''}`} />
      {t.statuses[status]}
    </Tag>
  )
}
