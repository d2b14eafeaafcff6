import type { Cron } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Tag, type TagState } from '../ui/tag.tsx'
import { cronsTexts } from './texts.ts'

const states: Record<Cron['status'], TagState> = {
  active: 'completed',
  paused: 'degraded',
  completed: 'plain',
}

export function StatusTag({ status }: Pick<Cron, 'status'>) {
  const t = useTexts(cronsTexts)
  return <Tag state={states[status]}>{t.statuses[status]}</Tag>
}
