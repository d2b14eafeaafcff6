import { Link, useParams } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Workflow } from 'lucide-react'
import { useKeptSearch } from '../shell/features-context.tsx'
import type { SessionGroupProps } from '../shell/define-web.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { sessionPlaceTexts } from './texts.ts'
import { SessionStatus } from '../sessions/session-status.tsx'

/** The steps of a run in one line: its page shows each, with its session. */
export function RunSessionsRow({ id: runId, name, sessions, isActive, onPick }: SessionGroupProps) {
  const keepSearch = useKeptSearch()
  const t = useTexts(sessionPlaceTexts)
  const { sessionId } = useParams({ strict: false })
  const [latest] = sessions
  const isRunning = sessions.some(
    ({ bgStatus, chatStatus }) => bgStatus === 'running' || chatStatus === 'chatting',
  )
  // the run asks in its own session; how a step ended says nothing of the run
  const standing = {
    id: latest!.parentId ?? runId,
    kind: 'tool',
    chatStatus: isRunning ? 'chatting' : 'idle',
  } as const
  return (
    <div className="px-2">
      <Link
        to="/workflow-runs/$runId"
        params={{ runId }}
        search={keepSearch()}
        activeOptions={{ includeSearch: false }}
        tabIndex={isActive ? 0 : -1}
        onClick={onPick}
        className={clsx(
          'block rounded-md px-2 py-1 hover:bg-hover focus-visible:outline-offset-[-2px] data-[status=active]:bg-selected',
          sessions.some(({ id }) => id === sessionId) && 'bg-selected',
        )}
      >
        <span className="flex items-center gap-1.5">
          <Workflow role="img" aria-label={t.runRow} className="size-3.5 shrink-0 text-muted" />
          <bdi className="truncate text-sm">{name}</bdi>
        </span>
        <span className="flex h-[22px] items-center gap-1.5 overflow-hidden text-xs text-muted">
          <RelativeTime time={latest!.updatedAt} className="shrink-0 whitespace-nowrap" />
          <span className="shrink-0">{t.sessions(sessions.length)}</span>
          <SessionStatus session={standing} />
        </span>
      </Link>
    </div>
  )
}
