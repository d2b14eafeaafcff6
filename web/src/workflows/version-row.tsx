import { clsx } from 'clsx'
import { Undo2 } from 'lucide-react'
import type { WorkflowVersion } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { Tag } from '../ui/tag.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  version: WorkflowVersion
  isCurrent: boolean
  /** It is what is shown beside the list. */
  isOpen: boolean
  onView(): void
  onDiff(): void
  onRollback(): void
}

export function VersionRow({ version, isCurrent, isOpen, onView, onDiff, onRollback }: Props) {
  const t = useTexts(workflowTexts)
  const { version: number, cause, author, sessionId, createdAt } = version
  return (
    <li aria-current={isOpen || undefined} className={clsx('px-3 py-2', isOpen && 'bg-selected')}>
      <div className="flex flex-wrap items-center gap-x-2 text-sm">
        <span className="font-medium">{t.version(number)}</span>
        {isCurrent && <Tag state="completed">{t.current}</Tag>}
        <span className="flex-1" />
        <RelativeTime time={createdAt} className="text-muted" />
      </div>
      <p className="text-sm text-muted">
        {t.causes[cause]} <bdi>{t.by(author)}</bdi>{' '}
        {sessionId !== undefined && <SessionLink sessionId={sessionId}>{t.bySession}</SessionLink>}
      </p>
      <div className="mt-1 flex flex-wrap gap-1">
        <Button size="small" variant="ghost" aria-label={t.viewOf(number)} onClick={onView}>
          {t.view}
        </Button>
        <Button size="small" variant="ghost" aria-label={t.diffOf(number)} onClick={onDiff}>
          {t.diff}
        </Button>
        {!isCurrent && (
          <Button size="small" variant="ghost" onClick={onRollback}>
            <Undo2 aria-hidden />
            {t.rollback}
          </Button>
        )}
      </div>
    </li>
  )
}
