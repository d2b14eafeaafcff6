import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { Cron } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { cronKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useCronActions } from './cron-actions.ts'
import { CronDialog } from './cron-dialog.tsx'
import { CronRow } from './cron-row.tsx'
import { cronsTexts } from './texts.ts'
import { DeleteCron } from './delete-cron.tsx'
import type { CronsSearch } from './crons-search.ts'
import { useScheduleWords } from './schedule-words.ts'

const pageSize = 50

export function CronList() {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  const [{ form }, setSearch] = useSearchState<CronsSearch>()
  const [deleted, setDeleted] = useState<Cron>()
  const toWords = useScheduleWords()
  const toActions = useCronActions()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: cronKeys.crons({ scope }),
    queryFn: ({ pageParam }) => client.crons.list({ scope, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const crons = data?.pages.flatMap((page) => page.items) ?? []
  const lastFires = useQueries({
    queries: crons.map(({ id }) => ({
      queryKey: cronKeys.fires(id, { limit: 1 }),
      queryFn: () => client.crons.fires(id, { scope, limit: 1 }),
    })),
  })
  const edited = crons.find(({ id }) => id === form)
  const closeForm = () => setSearch({ form: undefined })

  return (
    <>
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : crons.length === 0 ? (
        <Empty>
          <p className="max-w-prose">{t.none}</p>
          <Button onClick={() => setSearch({ form: 'new' })}>{t.add}</Button>
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {crons.map((cron, index) => (
            <CronRow
              key={cron.id}
              cron={cron}
              words={toWords(cron.schedule, cron.timeZone)}
              lastFire={lastFires[index]?.data?.items[0]}
              actions={toActions(cron, {
                onEdit: () => setSearch({ form: cron.id }),
                onDelete: () => setDeleted(cron),
              })}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center p-3">
          <Button onClick={() => void fetchNextPage()}>{t.more}</Button>
        </div>
      )}
      {(form === 'new' || edited) && <CronDialog key={form} cron={edited} onClose={closeForm} />}
      {deleted && <DeleteCron cron={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  )
}
