import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ListTodo, Unlink } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { sessionKeys } from '../../api/session-queries.ts'
import { planKeys } from '../queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { planTexts, sessionPlanTexts } from '../texts.ts'
import { Progress } from '../progress.tsx'

interface Props {
  session: Session
  onClose(): void
}

/** Which plan a session works on: one of those there are, or none. */
export function BindPlan({ session, onClose }: Props) {
  const t = useTexts(sessionPlanTexts)
  const { search, clear } = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const [words, setWords] = useState('')
  const { data, error, isPending, refetch } = useQuery({
    queryKey: planKeys.plans({ scope, pick: words }),
    queryFn: () => client.plans.list({ scope, q: words || undefined, limit: 50 }),
    placeholderData: keepPreviousData,
  })
  const binding = useBinding(session, onClose)
  return (
    <Dialog
      title={t.bindTitle}
      onClose={onClose}
      actions={
        session.planId !== undefined && (
          <Button disabled={binding.isPending} onClick={() => binding.mutate(null)}>
            <Unlink aria-hidden />
            {t.unbind}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <SearchBox label={search} clearLabel={clear} value={words} onChange={setWords} />
        {binding.error && (
          <p role="alert" className="text-sm text-danger">
            {binding.error.message}
          </p>
        )}
        {isPending ? (
          <Loading />
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : data.items.length === 0 ? (
          <Empty>
            <p className="text-sm">{t.noneToBind}</p>
          </Empty>
        ) : (
          <ul aria-label={t.bindTitle} className="flex flex-col gap-1">
            {data.items.map(({ id, title, counts }) => (
              <li key={id}>
                <button
                  type="button"
                  disabled={binding.isPending}
                  aria-current={id === session.planId || undefined}
                  onClick={() => binding.mutate(id)}
                  className="flex w-full items-center gap-2 rounded-md border border-line bg-page px-3 py-1.5 text-start hover:bg-hover aria-[current]:bg-selected"
                >
                  <ListTodo aria-hidden className="size-4 shrink-0 text-muted" />
                  <bdi className="min-w-0 flex-1 truncate">{title}</bdi>
                  <Progress counts={counts} />
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

export function useBinding(session: Session, onDone?: () => void) {
  const t = useTexts(sessionPlanTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  return useMutation({
    mutationFn: (planId: string | null) => client.sessions.update(session.id, { scope, planId }),
    onSuccess(changed) {
      queries.setQueryData(sessionKeys.session(session.id), changed)
      announce(changed.planId === undefined ? t.unbound : t.bound)
      onDone?.()
    },
  })
}
