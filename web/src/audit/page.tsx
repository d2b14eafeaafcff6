import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { AuditQuery } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { toolsQuery } from '../api/catalogue-queries.ts'
import { auditKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { AuditFilter, auditFilters, type AuditFilterName } from './audit-filter.tsx'
import { AuditRow } from './audit-row.tsx'
import { auditTexts } from './texts.ts'
import { toTimeRange } from './day-range.ts'

const pageSize = 50

export function Page() {
  const t = useTexts(auditTexts)
  const client = useClient()
  const scope = useScope()
  const [search, setSearch] = useSearchState<AuditFilterName>()
  const values = Object.fromEntries(auditFilters.map((name) => [name, search[name]])) as typeof search
  const wanted = JSON.stringify(values)
  const asked = useDebounced(wanted, 250)
  const chosen = JSON.parse(asked) as typeof search
  const filter = { ...chosen, ...toTimeRange(chosen) } as AuditQuery
  const { data, error, isPending, refetch, isPlaceholderData, ...pages } = useInfiniteQuery({
    queryKey: auditKeys.audit({ scope, ...filter }),
    queryFn: ({ pageParam }) => client.audit({ scope, ...filter, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const records = data?.pages.flatMap((page) => page.items) ?? []
  const known = {
    action: distinct(records.map((record) => record.action)),
    actor: distinct(records.map((record) => record.actor.id)),
    resource: distinct([...records.map((record) => record.resourceType), ...useToolNames()]),
  }
  const isFiltered = Object.values(values).some((value) => value !== undefined)
  return (
    <PageFrame title={t.title}>
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-4">
        <AuditFilter
          values={values}
          known={known}
          onChange={(patch) => setSearch(patch, { replace: true })}
        />
        {isPending ? (
          <Loading />
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : records.length === 0 ? (
          <Empty>{isFiltered ? t.noneFound : t.none}</Empty>
        ) : (
          <table
            aria-label={t.list}
            className="w-full text-sm [&_td]:px-2 [&_td]:py-1 [&_th]:px-2 [&_th]:py-1.5 [&_th]:font-medium"
          >
            <thead className="border-b border-line text-left text-muted">
              <tr>
                <th scope="col">
                  <span className="sr-only">{t.detail}</span>
                </th>
                <th scope="col">{t.time}</th>
                <th scope="col" className="max-sm:hidden">
                  {t.actor}
                </th>
                <th scope="col">{t.action}</th>
                <th scope="col" className="max-sm:hidden">
                  {t.resource}
                </th>
                <th scope="col">{t.result}</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {records.map((record) => (
                <AuditRow key={record.id} record={record} onSession={(id) => setSearch({ session: id })} />
              ))}
            </tbody>
          </table>
        )}
        {pages.hasNextPage && (
          <Button
            className="self-center"
            disabled={pages.isFetchingNextPage || isPlaceholderData || asked !== wanted}
            onClick={() => void pages.fetchNextPage()}
          >
            {pages.isFetchingNextPage ? t.loadingMore : t.more}
          </Button>
        )}
      </div>
    </PageFrame>
  )
}

function useToolNames(): string[] {
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery(toolsQuery(client, scope))
  return data?.items.map(({ name }) => name) ?? []
}

const distinct = (values: string[]) => [...new Set(values)].sort()
