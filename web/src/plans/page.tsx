import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Plan } from '../../../src/protocol/plan.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../app/search-state.ts'
import { useTexts } from '../app/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { DeletePlan } from './delete-plan.tsx'
import { NewPlan } from './new-plan.tsx'
import { PlanRow } from './plan-row.tsx'
import { planTexts } from './plan-texts.ts'

const pageSize = 50

/** All plans of the scope. In the URL: the words that are searched, and `form=new` while one is made. */
export function Page() {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const [{ q, form }, setSearch] = useSearchState<'q' | 'form'>()
  const [deleted, setDeleted] = useState<Plan>()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: keys.plans({ scope, q }),
    queryFn: ({ pageParam }) =>
      client.plans.list({ scope, q: q || undefined, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const plans = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <PageFrame
      title={t.title}
      actions={
        <Button variant="primary" size="small" onClick={() => setSearch({ form: 'new' })}>
          <Plus aria-hidden />
          {t.add}
        </Button>
      }
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-3 p-4">
        <SearchBox
          label={t.search}
          clearLabel={t.clear}
          value={q ?? ''}
          onChange={(words) => setSearch({ q: words || undefined }, { replace: true })}
        />
        {isPending ? (
          <Loading />
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : plans.length === 0 ? (
          <Empty>
            <p className="max-w-prose">{q ? t.noneFound : t.none}</p>
            {!q && <Button onClick={() => setSearch({ form: 'new' })}>{t.add}</Button>}
          </Empty>
        ) : (
          <ul aria-label={t.title} className="divide-y divide-line rounded-lg border border-line">
            {plans.map((plan) => (
              <PlanRow key={plan.id} plan={plan} onDelete={() => setDeleted(plan)} />
            ))}
          </ul>
        )}
        {hasNextPage && (
          <Button className="self-center" onClick={() => void fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </div>
      {form === 'new' && <NewPlan onClose={() => setSearch({ form: undefined })} />}
      {deleted && <DeletePlan plan={deleted} onClose={() => setDeleted(undefined)} />}
    </PageFrame>
  )
}
