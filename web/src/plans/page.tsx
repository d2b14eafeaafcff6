import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useClient } from '../api/api.tsx'
import { planKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { SearchedList } from '../ui/searched-list.tsx'
import { DeletePlan } from './delete-plan.tsx'
import { NewPlan } from './new-plan.tsx'
import { PlanRow } from './plan-row.tsx'
import { planTexts } from './texts.ts'

const pageSize = 50

/** All plans of the scope. In the URL: the words that are searched, and `form=new` while one is made. */
export function Page() {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const [{ q, form }, setSearch] = useSearchState<'q' | 'form'>()
  const [deleted, setDeleted] = useState<Plan>()
  const query = useInfiniteQuery({
    queryKey: planKeys.plans({ scope, q }),
    queryFn: ({ pageParam }) =>
      client.plans.list({ scope, q: q || undefined, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const plans = query.data?.pages.flatMap(({ items }) => items) ?? []
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
      <SearchedList
        texts={t}
        words={q}
        query={query}
        rows={plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} onDelete={() => setDeleted(plan)} />
        ))}
        onSearch={(words) => setSearch({ q: words }, { replace: true })}
        onAdd={() => setSearch({ form: 'new' })}
      />
      {form === 'new' && <NewPlan onClose={() => setSearch({ form: undefined })} />}
      {deleted && <DeletePlan plan={deleted} onClose={() => setDeleted(undefined)} />}
    </PageFrame>
  )
}
