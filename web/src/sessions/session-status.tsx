import { CircleQuestionMark, LoaderCircle } from 'lucide-react'
import type { Session } from '../../../src/client/index.ts'
import { useTexts, type WordsOf } from '../shell/texts.ts'
import { useIsAsking } from '../approvals/use-approvals.ts'
import { Tag, type TagState } from '../ui/tag.tsx'
import { sidebarTexts } from './texts.ts'

type Standing = Pick<Session, 'id' | 'kind' | 'chatStatus' | 'bgStatus' | 'bgDegraded' | 'damaged'>
export type StatusName = keyof WordsOf<typeof sidebarTexts>['statuses']

/** How a session stands, where that is worth a word. */
export function statusOf({
  chatStatus,
  bgStatus,
  bgDegraded,
}: Pick<Standing, 'chatStatus' | 'bgStatus' | 'bgDegraded'>): StatusName | undefined {
  if (bgStatus === 'completed' && bgDegraded) return 'degraded'
  // a task that is over can be talked to like any session
  if (chatStatus === 'chatting') return 'running'
  return bgStatus
}

const colours: Record<StatusName, TagState> = {
  pending: 'queued',
  running: 'running',
  completed: 'completed',
  degraded: 'degraded',
  failed: 'failed',
  timeout: 'failed',
  interrupted: 'failed',
  cancelled: 'cancelled',
}

export function SessionStatus({ session }: { session: Standing }) {
  const t = useTexts(sidebarTexts)
  const status = statusOf(session)
  const isAsking = useIsAsking(session.id)
  if (session.damaged) return <Tag state="failed">{t.damaged}</Tag>
  if (isAsking)
    return (
      <Tag state="degraded">
        <CircleQuestionMark aria-hidden className="size-3" />
        {t.asks}
      </Tag>
    )
  if (status === undefined) return null
  return (
    <Tag state={colours[status]}>
      {status === 'running' && <LoaderCircle aria-hidden className="size-3 animate-spin" />}
      {t.statuses[status]}
    </Tag>
  )
}
