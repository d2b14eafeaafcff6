import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Plus, UsersRound } from 'lucide-react'
import { useClient } from '../api/api.tsx'
import { sessionKeys, untilSearched } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { UnsearchedNote } from '../ui/unsearched-note.tsx'
import { useGoTo } from '../shell/use-go-to.ts'
import { NewRoom } from './forms/new-room.tsx'
import { useThreads } from './forms/thread-field.tsx'
import { roomListTexts } from './texts.ts'
import { groupRooms } from './list/room-groups.ts'
import { RoomList } from './list/room-list.tsx'

const pageSize = 50

/** All rooms of the scope, by thread. In the URL: what is searched, which thread, the archive, and `form=new`. */
export function Page() {
  const t = useTexts(roomListTexts)
  const goTo = useGoTo()
  const [{ q, thread, archive, form }, setSearch] = useSearchState<'q' | 'thread' | 'archive' | 'form'>()
  const isArchived = archive === 'only'
  const { data: threads = [] } = useThreads(isArchived ? 'all' : 'false')
  const { rooms, indexing, error, isPending, refetch, hasNextPage, fetchNextPage } = useRooms({
    q,
    thread,
    isArchived,
  })
  const isNarrowed = q !== undefined || thread !== undefined || isArchived
  const shown = isArchived ? threads.filter(({ archivedAt }) => archivedAt !== undefined) : threads
  const groups = groupRooms(rooms, [...threads], { withEmpty: !isNarrowed }).concat(
    isArchived && !q && !thread
      ? shown
          .filter(({ slug }) => !rooms.some((room) => room.thread === slug))
          .map((one) => ({ slug: one.slug, thread: one, rooms: [] }))
      : [],
  )
  return (
    <PageFrame
      title={t.title}
      actions={
        <>
          <Button size="small" onClick={() => goTo('/agents')}>
            <UsersRound aria-hidden />
            <span className="max-sm:sr-only">{t.agents}</span>
          </Button>
          <Button variant="primary" size="small" onClick={() => setSearch({ form: 'new' })}>
            <Plus aria-hidden />
            {t.add}
          </Button>
        </>
      }
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-3 p-4">
        <div className="flex flex-wrap items-center gap-2">
          <SearchBox
            label={t.search}
            clearLabel={t.clear}
            value={q ?? ''}
            className="min-w-48 flex-1"
            onChange={(words) => setSearch({ q: words || undefined }, { replace: true })}
          />
          <select
            aria-label={t.thread}
            value={thread ?? ''}
            onChange={({ target }) => setSearch({ thread: target.value || undefined })}
            className="h-8 max-w-48 rounded-md border border-line bg-page px-2 text-sm"
          >
            <option value="">{t.allThreads}</option>
            {threads.map(({ slug, title }) => (
              <option key={slug} value={slug}>
                {title || slug}
              </option>
            ))}
          </select>
          <Button
            size="small"
            aria-pressed={isArchived}
            className={isArchived ? 'bg-selected!' : undefined}
            onClick={() => setSearch({ archive: isArchived ? undefined : 'only' })}
          >
            {t.archived}
          </Button>
        </div>
        <UnsearchedNote indexing={indexing} />
        {isPending ? (
          <Loading />
        ) : error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : groups.length === 0 ? (
          <Empty>
            <p className="max-w-prose">{q || thread ? t.noneFound : isArchived ? t.noneArchived : t.none}</p>
            {!isNarrowed && <Button onClick={() => setSearch({ form: 'new' })}>{t.add}</Button>}
          </Empty>
        ) : (
          <RoomList groups={groups} onAdd={(slug) => setSearch({ thread: slug, form: 'new' })} />
        )}
        {hasNextPage && (
          <Button className="self-center" onClick={() => void fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </div>
      {form === 'new' && <NewRoom thread={thread} onClose={() => setSearch({ form: undefined })} />}
    </PageFrame>
  )
}

function useRooms({ q, thread, isArchived }: { q?: string; thread?: string; isArchived: boolean }) {
  const { sessions } = useClient()
  const scope = useScope()
  const query = {
    scope,
    kind: 'interactive',
    mode: '*',
    thread,
    q: q || undefined,
    archived: isArchived ? 'true' : 'false',
    limit: pageSize,
  } as const
  const { data, ...list } = useInfiniteQuery({
    queryKey: sessionKeys.sessions({ ...query, isRooms: true }),
    queryFn: ({ pageParam }) => sessions.list({ ...query, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilSearched(state.data?.pages.find(({ indexing }) => indexing)),
  })
  return {
    ...list,
    rooms: data?.pages.flatMap(({ items }) => items) ?? [],
    indexing: data?.pages.find(({ indexing }) => indexing)?.indexing,
  }
}
