import type { CronFire } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Tag, type TagState } from '../ui/tag.tsx'
import { cronsTexts } from './texts.ts'

const states: Record<CronFire['outcome'], TagState> = {
  started: 'running',
  skipped: 'degraded',
  queued: 'queued',
  completed: 'completed',
  failed: 'failed',
  timeout: 'failed',
  cancelled: 'cancelled',
  interrupted: 'failed',
}

/** How a fire ended, or that it goes on. */
export function FireTag({ outcome }: Pick<CronFire, 'outcome'>) {
  const t = useTexts(cronsTexts)
  return <Tag state={states[outcome]}>{t.outcomes[outcome]}</Tag>
}
