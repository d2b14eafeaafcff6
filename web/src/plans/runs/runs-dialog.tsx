import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { PlanRunSummary } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { useClient } from '../../api/api.tsx'
import { planKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Elapsed } from '../../ui/elapsed.tsx'
import { StatusTag } from '../status-mark.tsx'
import { RunReport } from './run-report.tsx'
import { RunSteps } from './run-steps.tsx'
import { planRunTexts } from '../texts.ts'
import { usePlanRun } from './use-plan-run.ts'

interface Props {
  planId: string
  onClose(): void
}

/** All that was ever done with a plan. */
export function RunsDialog({ planId, onClose }: Props) {
  const t = useTexts(planRunTexts)
  const client = useClient()
  const scope = useScope()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: planKeys.runs({ scope, plan: planId }),
    queryFn: ({ pageParam }) => client.plans.runs({ scope, plan: planId, limit: 20, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const runs = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Dialog wide title={t.runs} onClose={onClose}>
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : runs.length === 0 ? (
        <Empty>{t.noRuns}</Empty>
      ) : (
        <ul aria-label={t.runs} className="divide-y divide-line">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center pt-2">
          <Button onClick={() => void fetchNextPage()}>{t.more}</Button>
        </div>
      )}
    </Dialog>
  )
}

function RunRow({ run }: { run: PlanRunSummary }) {
  const t = useTexts(planRunTexts)
  const [, setSearch] = useSearchState<'node' | 'form'>()
  const [isOpen, setOpen] = useState(false)
  const { data } = usePlanRun(isOpen ? run.id : undefined)
  return (
    <li className="py-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Button
          size="small"
          variant="ghost"
          className="px-1!"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={isOpen ? 'rotate-90' : ''} />
          {t.types[run.type]}
        </Button>
        <StatusTag status={run.status} />
        <Elapsed startedAt={run.startedAt} finishedAt={run.finishedAt} />
        <RelativeTime time={run.createdAt} className="ms-auto text-xs text-muted" />
      </div>
      {run.error && (
        <p className="ps-6 text-sm wrap-anywhere text-danger">
          <bdi>{run.error}</bdi>
        </p>
      )}
      {isOpen &&
        (data ? (
          <>
            <RunReport run={data} />
            <RunSteps
              run={data}
              onGoTo={(id) => setSearch({ node: String(id), form: undefined })}
              className="max-h-72"
            />
          </>
        ) : (
          <Loading />
        ))}
    </li>
  )
}
