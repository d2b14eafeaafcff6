import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { EventHook } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { cronKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import type { MenuItem } from '../ui/menu.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { cronsTexts } from './texts.ts'
import { HookDialog } from './hook-dialog.tsx'
import { HookRow } from './hook-row.tsx'
import type { CronsSearch } from './crons-search.ts'

export function HookList() {
  const t = useTexts(cronsTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const [{ form }, setSearch] = useSearchState<CronsSearch>()
  const [deleted, setDeleted] = useState<EventHook>()
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: cronKeys.eventHooks({ scope }),
    queryFn: ({ pageParam }) => client.eventHooks.list({ scope, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  })
  const hooks = data?.pages.flatMap((page) => page.items) ?? []
  const change = useMutation({
    mutationFn: (perform: () => Promise<unknown>) => perform(),
    onError: (failure) => toast({ title: t.notDone, description: failure.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['event-hooks'] }),
  })
  const toActions = ({ id, status, ...hook }: EventHook): MenuItem[] => [
    {
      name: 'status',
      label: status === 'active' ? t.pause : t.resume,
      icon: status === 'active' ? Pause : Play,
      perform: () =>
        change.mutate(() =>
          client.eventHooks.update(id, { scope, status: status === 'active' ? 'paused' : 'active' }),
        ),
    },
    { name: 'edit', label: t.edit, icon: Pencil, perform: () => setSearch({ form: id }) },
    {
      name: 'delete',
      label: t.remove,
      icon: Trash2,
      isDangerous: true,
      perform: () => setDeleted({ id, status, ...hook }),
    },
  ]
  const edited = hooks.find(({ id }) => id === form)

  return (
    <>
      {isPending ? (
        <Loading />
      ) : error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : hooks.length === 0 ? (
        <Empty>
          <p className="max-w-prose">{t.noHooks}</p>
          <Button onClick={() => setSearch({ form: 'new' })}>{t.addHook}</Button>
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {hooks.map((hook) => (
            <HookRow key={hook.id} hook={hook} actions={toActions(hook)} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="flex justify-center p-3">
          <Button onClick={() => void fetchNextPage()}>{t.more}</Button>
        </div>
      )}
      {(form === 'new' || edited) && (
        <HookDialog key={form} hook={edited} onClose={() => setSearch({ form: undefined })} />
      )}
      {deleted && (
        <ConfirmDialog
          title={t.deleteTitle(deleted.name)}
          label={t.remove}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => {
            change.mutate(() => client.eventHooks.delete(deleted.id, { scope }))
            setDeleted(undefined)
          }}
        >
          {t.deleteHookWords}
        </ConfirmDialog>
      )}
    </>
  )
}
