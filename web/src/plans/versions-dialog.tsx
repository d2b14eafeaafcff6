import { useInfiniteQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { PlanVersion } from '../../../src/extensions/plan/protocol/plan.ts'
import { useClient } from '../api/api.tsx'
import { planKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { planTexts } from './texts.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'

interface Props {
  planId: string
  deeds: PlanDeeds
  onClose(): void
}

/** Every change of the tree, each of which can be taken back. */
export function VersionsDialog({ planId, deeds, onClose }: Props) {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const [isBusy, setBusy] = useState(false)
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: planKeys.versions(planId),
    queryFn: ({ pageParam }) => client.plans.versions(planId, { scope, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    staleTime: 0,
  })
  const versions = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Dialog title={t.versions} onClose={onClose}>
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : versions.length === 0 ? (
        <Empty>{t.noVersions}</Empty>
      ) : (
        <ol aria-label={t.versions} className="divide-y divide-line">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              version={version}
              isBusy={isBusy}
              onUndo={() => {
                setBusy(true)
                void deeds.undo(version.version).finally(() => setBusy(false))
              }}
            />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div className="flex justify-center pt-2">
          <Button onClick={() => void fetchNextPage()}>{t.more}</Button>
        </div>
      )}
    </Dialog>
  )
}

// the rest is said as a number
const mostNamed = 5

function VersionRow({ version, isBusy, onUndo }: { version: PlanVersion; isBusy: boolean; onUndo(): void }) {
  const t = useTexts(planTexts)
  const { version: number, action, author, sessionId, undoes, nodes, createdAt } = version
  return (
    <li className="flex items-start gap-2 py-2" data-version={number}>
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <span className="font-medium">{t.version(number)}</span>{' '}
          <span>
            {undoes === undefined
              ? (t.versionActions[action as keyof typeof t.versionActions] ?? action)
              : t.undid(undoes)}
          </span>
        </p>
        <ul className="text-muted">
          {nodes.slice(0, mostNamed).map(({ id, name, change }) => (
            <li key={id} className="truncate">
              {t.nodeChanges[change]} <bdi>{name}</bdi> #{id}
            </li>
          ))}
          {nodes.length > mostNamed && <li>{t.moreNodes(nodes.length - mostNamed)}</li>}
        </ul>
        <p className="text-xs text-muted">
          <bdi>{t.by(author)}</bdi> · <RelativeTime time={createdAt} />
          {sessionId !== undefined && (
            <>
              {' · '}
              <SessionLink sessionId={sessionId}>{t.bySession}</SessionLink>
            </>
          )}
        </p>
      </div>
      <Button size="small" disabled={isBusy} aria-label={t.undoVersion(number)} onClick={onUndo}>
        <Undo2 aria-hidden />
        {t.undo}
      </Button>
    </li>
  )
}
