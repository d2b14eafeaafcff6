import { ShieldQuestion } from 'lucide-react'
import { Suspense } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { useTexts } from '../shell/texts.ts'
import { SessionLink } from '../ui/session-link.tsx'
import { Loading } from '../ui/states.tsx'
import { approvalsTexts } from './texts.ts'
import { useAnnounceAsks } from './use-announce-asks.ts'
import { usePending } from './use-approvals.ts'
import { useSessionTitle } from '../api/use-session-title.ts'

/** What tasks of the session ask for, above the box: their own conversations may be open nowhere. */
export function TaskAsks({ sessionId }: { sessionId: string }) {
  const t = useTexts(approvalsTexts)
  const { data } = usePending(sessionId)
  useAnnounceAsks(data?.items)
  const asks = data?.items.filter((approval) => approval.sessionId !== sessionId) ?? []
  if (asks.length === 0) return null
  return (
    <section
      aria-label={t.taskAsksList}
      className="mb-1.5 max-h-[40vh] divide-y divide-line overflow-y-auto rounded-lg border border-warning/50 bg-surface"
    >
      {asks.map((approval) => (
        <TaskAsk key={approval.id} approval={approval} />
      ))}
    </section>
  )
}

const loadAsk = async () => (await import('./ask.tsx')).Ask

function TaskAsk({ approval }: { approval: Approval }) {
  const t = useTexts(approvalsTexts)
  const title = useSessionTitle(approval.sessionId)
  return (
    <div className="flex flex-col gap-1.5 px-3 py-2">
      <p className="flex items-center gap-1.5 text-sm font-medium">
        <ShieldQuestion aria-hidden className="size-4 shrink-0 text-warning" />
        <SessionLink sessionId={approval.sessionId} className="min-w-0 truncate">
          <bdi>{t.taskAsks(title)}</bdi>
        </SessionLink>
      </p>
      <Suspense fallback={<Loading />}>
        <LazyView load={loadAsk} approval={approval} />
      </Suspense>
    </div>
  )
}
