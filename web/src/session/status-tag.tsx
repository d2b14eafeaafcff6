import { useTexts, type WordsOf } from '../shell/texts.ts'
import { Tag, type TagState } from '../ui/tag.tsx'
import { sessionTexts } from './texts.ts'

type Status = keyof WordsOf<typeof sessionTexts>['status']

const states: Record<Status, TagState> = {
  pending: 'queued',
  started: 'queued',
  running: 'running',
  completed: 'completed',
  success: 'completed',
  partial: 'degraded',
  failed: 'failed',
  timeout: 'failed',
  interrupted: 'failed',
  cancelled: 'cancelled',
  unknown: 'plain',
}

interface Props {
  status: string
  isDegraded?: boolean
}

/** How a background session stands. */
export function StatusTag({ status, isDegraded = false }: Props) {
  const t = useTexts(sessionTexts)
  const known = Object.hasOwn(states, status) ? (status as Status) : 'unknown'
  return (
    <Tag state={isDegraded && states[known] === 'completed' ? 'degraded' : states[known]} data-status={known}>
      {t.status[known]}
    </Tag>
  )
}
