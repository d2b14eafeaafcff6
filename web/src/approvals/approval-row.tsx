import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { Tag, type TagState } from '../ui/tag.tsx'
import { approvalsTexts } from './texts.ts'
import { Ask } from './ask.tsx'
import { AskFacts } from './ask-facts.tsx'
import { useAskView } from './use-ask-view.ts'
import { useSessionTitle } from '../api/use-session-title.ts'

const states: Record<Approval['status'], TagState> = {
  pending: 'queued',
  approved: 'completed',
  denied: 'failed',
  expired: 'degraded',
  cancelled: 'cancelled',
}

/** An ask, where it comes from, and how it stands. */
export function ApprovalRow({ approval }: { approval: Approval }) {
  const t = useTexts(approvalsTexts)
  const { sessionId, parentSessionId, status, createdAt, decidedAt, decidedBy, message } = approval
  const title = useSessionTitle(sessionId)
  const { view, showAll } = useAskView(approval)
  return (
    <li className="rounded-lg border border-line bg-surface p-3" data-approval={approval.id}>
      <div className="mb-1.5 flex min-w-0 flex-wrap items-center gap-x-2 text-sm">
        <SessionLink sessionId={sessionId} className="min-w-0 truncate font-medium">
          <bdi>{title}</bdi>
        </SessionLink>
        {parentSessionId !== undefined && <Tag>{t.task}</Tag>}
        <span className="flex-1" />
        {status !== 'pending' && <Tag state={states[status]}>{t.statuses[status]}</Tag>}
        <RelativeTime time={decidedAt ?? createdAt} className="text-xs text-muted" />
      </div>
      {status === 'pending' ? (
        <Ask approval={approval} />
      ) : (
        <>
          <AskFacts approval={approval} view={view} onShowAll={showAll} />
          {(decidedBy || message) && (
            <p className="mt-1.5 text-sm">
              {decidedBy && <bdi className="text-muted">{t.decidedBy(decidedBy)} </bdi>}
              {message && <bdi>{t.said(message)}</bdi>}
            </p>
          )}
        </>
      )}
    </li>
  )
}
