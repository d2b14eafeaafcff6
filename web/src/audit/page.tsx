import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../app/search-state.ts'
import { useTexts } from '../app/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useDebounced } from '../ui/use-debounced.ts'
import { AuditFilter, type AuditFilterName } from './audit-filter.tsx'
import { AuditRow } from './audit-row.tsx'
import { auditTexts } from './audit-texts.ts'

const pageSize = 50

export function Page() {
  const t = useTexts(auditTexts)
  const client = useClient()
  const scope = useScope()
  const [{ session, action, actor }, setSearch] = useSearchState<AuditFilterName>()
  const wanted = JSON.stringify({ session, action, actor })
  const asked = useDebounced(wanted, 250)
  const filter = JSON.parse(asked) as { session?: string; action?: string; actor?: string }
  const { data, error, isPending, refetch, isPlaceholderData, ...pages } = useInfiniteQuery({
    queryKey: keys.audit({ scope, ...filter }),
    queryFn: ({ pageParam }) => client.audit({ scope, ...filter, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const records = data?.pages.flatMap((page) => page.items) ?? []
  const known = {
    action: distinct(records.map((record) => record.action)),
    actor: distinct(records.map((record) => record.actor.id)),
  }
  const isFiltered = [session, action, actor].some((value) => value !== undefined)
  return (
    <PageFrame title={t.title}>
      <div className="mx-auto flex max-w-5xl flex-col gap-4 p-4">
        <AuditFilter
          values={{ session, action, actor }}
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

const distinct = (values: string[]) => [...new Set(values)].sort()
