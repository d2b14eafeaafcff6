import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Approval } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { approvalKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { ApprovalRow } from './approval-row.tsx'
import { approvalsTexts } from './texts.ts'
import { useAnnounceAsks } from './use-announce-asks.ts'

const statuses = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const
const pageSize = 50

/** Everything that waits for an answer, wherever it was asked. In the URL: `status`. */
export function Page() {
  const t = useTexts(approvalsTexts)
  const [search, setSearch] = useSearchState<'status'>()
  const status = statuses.find((name) => name === search.status) ?? 'pending'
  return (
    <PageFrame title={t.title}>
      <div className="mx-auto flex max-w-3xl flex-col gap-3 p-4">
        <div role="group" aria-label={t.status} className="flex flex-wrap gap-1">
          {statuses.map((name) => (
            <Button
              key={name}
              size="small"
              variant="ghost"
              aria-pressed={name === status}
              className={name === status ? 'bg-selected!' : 'text-muted'}
              onClick={() => setSearch({ status: name === 'pending' ? undefined : name })}
            >
              {t.statuses[name]}
            </Button>
          ))}
        </div>
        <Asks key={status} status={status} />
      </div>
    </PageFrame>
  )
}

function Asks({ status }: { status: Approval['status'] }) {
  const t = useTexts(approvalsTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: approvalKeys.approvals({ scope, status, isPaged: true }),
    queryFn: ({ pageParam }) => client.approvals.list({ scope, status, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const items = data?.pages.flatMap((page) => page.items)
  useAnnounceAsks(status === 'pending' ? items : undefined)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!items) return <Loading />
  if (items.length === 0) return <Nothing>{status === 'pending' ? t.none : t.noneDecided}</Nothing>
  return (
    <>
      <ul aria-label={t.statuses[status]} className="flex flex-col gap-3">
        {items.map((approval) => (
          <ApprovalRow key={approval.id} approval={approval} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  const t = useTexts(approvalsTexts)
  return (
    <Empty>
      <p>{children}</p>
      <p className="text-sm">{t.noneHint}</p>
    </Empty>
  )
}
