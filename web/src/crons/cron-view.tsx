import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { cronKeys, cronQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useCronActions } from './cron-actions.ts'
import { CronDialog } from './cron-dialog.tsx'
import { CronFacts } from './cron-facts.tsx'
import { cronsTexts } from './texts.ts'
import { DeleteCron } from './delete-cron.tsx'
import { FireRow } from './fire-row.tsx'
import { FiresPreview } from './fires-preview.tsx'
import type { CronsSearch } from './crons-search.ts'
import { useScheduleWords } from './schedule-words.ts'

/** One cron: what is set, when it fires next, and what became of every time. */
export function CronView({ id }: { id: string }) {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  const [{ form }, setSearch] = useSearchState<CronsSearch>()
  const [isDeleting, setDeleting] = useState(false)
  const toWords = useScheduleWords()
  const toActions = useCronActions()
  const { data: cron, error, refetch } = useQuery(cronQuery(client, id, scope))
  const { data: preview } = useQuery({
    queryKey: [...cronKeys.cron(id), 'preview', cron?.schedule, cron?.timeZone, cron?.nextFireAt],
    queryFn: () =>
      client.crons.preview({ scope, schedule: cron!.schedule, timeZone: cron!.timeZone, count: 5 }),
    enabled: cron?.status === 'active',
  })
  const fires = useInfiniteQuery({
    queryKey: cronKeys.fires(id),
    queryFn: ({ pageParam }) => client.crons.fires(id, { scope, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const goBack = () => setSearch({ cron: undefined, form: undefined })
  const all = fires.data?.pages.flatMap((page) => page.items) ?? []

  return (
    <PageFrame
      title={cron?.name ?? t.title}
      actions={
        <IconButton label={t.backToAll} onClick={goBack} className="order-first">
          <ArrowLeft />
        </IconButton>
      }
    >
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !cron ? (
        <Loading />
      ) : (
        <div className="mx-auto flex max-w-4xl flex-col gap-6 p-4">
          <div className="flex flex-wrap gap-2">
            {toActions(cron, {
              onEdit: () => setSearch({ form: id }),
              onDelete: () => setDeleting(true),
            }).map(({ name, label, icon: Icon, isDangerous, perform }) => (
              <Button key={name} size="small" variant={isDangerous ? 'danger' : 'plain'} onClick={perform}>
                {Icon && <Icon aria-hidden />}
                {label}
              </Button>
            ))}
          </div>
          <CronFacts cron={cron} words={toWords(cron.schedule, cron.timeZone)} />
          {cron.status === 'active' && preview && (
            <section className="flex flex-col gap-2">
              <h2 className="font-semibold">{t.nextFires}</h2>
              <FiresPreview preview={preview} />
            </section>
          )}
          <section className="flex flex-col gap-2">
            <h2 className="font-semibold">{t.ledger}</h2>
            {fires.isPending ? (
              <Loading />
            ) : fires.error ? (
              <Failure error={fires.error} onRetry={() => void fires.refetch()} />
            ) : all.length === 0 ? (
              <Empty>{t.ledgerNone}</Empty>
            ) : (
              <ol aria-label={t.ledger} className="divide-y divide-line rounded-lg border border-line">
                {all.map((fire) => (
                  <FireRow key={fire.fireAt} fire={fire} timeZone={cron.timeZone} />
                ))}
              </ol>
            )}
            {fires.hasNextPage && (
              <Button className="self-center" onClick={() => void fires.fetchNextPage()}>
                {t.more}
              </Button>
            )}
          </section>
        </div>
      )}
      {cron && form === id && <CronDialog cron={cron} onClose={() => setSearch({ form: undefined })} />}
      {cron && isDeleting && <DeleteCron cron={cron} onClose={() => setDeleting(false)} onDeleted={goBack} />}
    </PageFrame>
  )
}
