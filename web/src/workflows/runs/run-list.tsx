import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { workflowRunStatuses } from '../run-statuses.ts'
import { useClient } from '../../api/api.tsx'
import { workflowKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useSearchState } from '../../shell/search-state.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunRow } from './run-row.tsx'
import { runTexts } from '../texts.ts'

/** Runs, newest first: all of the scope, or those of one workflow. In the URL: `workflow` and `status`. */
export function RunList({ workflowId }: { workflowId?: string }) {
  const t = useTexts(runTexts)
  const client = useClient()
  const scope = useScope()
  const [search, setSearch] = useSearchState<'workflow' | 'status'>()
  const workflow = workflowId ?? search.workflow
  const status = workflowRunStatuses.find((name) => name === search.status)
  const filter = { scope, workflow, status }
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: workflowKeys.runs(filter),
    queryFn: ({ pageParam }) => client.workflows.runs({ ...filter, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const runs = data?.pages.flatMap(({ items }) => items) ?? []
  const isFiltered = status !== undefined || (workflowId === undefined && workflow !== undefined)
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-3 p-4">
      <RunFilters
        hasWorkflow={workflowId === undefined}
        workflow={search.workflow}
        status={status}
        onChange={(patch) => setSearch(patch, { replace: true })}
      />
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : runs.length === 0 ? (
        <Empty>{isFiltered ? t.noneFound : t.none}</Empty>
      ) : (
        <ol aria-label={t.title} className="divide-y divide-line rounded-lg border border-line">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button className="self-center" onClick={() => void fetchNextPage()}>
          {t.more}
        </Button>
      )}
    </div>
  )
}
