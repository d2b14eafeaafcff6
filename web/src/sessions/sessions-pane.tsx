import { useMemo } from 'react'
import { useContributions } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { UnsearchedNote } from '../ui/unsearched-note.tsx'
import type { SessionFilter } from './session-group.ts'
import { SessionList } from './session-list.tsx'
import { foldGroups, toRows } from './session-rows.ts'
import { sidebarTexts } from './texts.ts'
import { useSessionList } from './use-session-list.ts'

interface Props {
  filter: SessionFilter
  onPick?(): void
}

/** One group of sessions: asked for, and drawn whichever way it went. */
export function SessionsPane({ filter, onPick }: Props) {
  const t = useTexts(sidebarTexts)
  const { sessions, hits, indexing, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useSessionList(filter)
  const groups = useContributions('sessionGroups')
  const isSearched = filter.find !== undefined
  const rows = useMemo(() => {
    const all = toRows(sessions ?? [], hits ?? [], !hasNextPage)
    // whoever searches wants what was found
    return isSearched ? all : foldGroups(all, groups)
  }, [sessions, hits, hasNextPage, isSearched, groups])
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (sessions === undefined) return <Loading />
  if (rows.length === 0 && !hasNextPage)
    return (
      <Empty>
        <p className="text-sm">
          {filter.find ? t.noneFound(filter.find) : filter.archived ? t.noneArchived : t.none[filter.group]}
        </p>
        <UnsearchedNote indexing={indexing} />
      </Empty>
    )
  return (
    <div className="flex h-full flex-col">
      <UnsearchedNote indexing={indexing} className="px-4 pb-1" />
      <div className="min-h-0 flex-1">
        <SessionList
          rows={rows}
          words={filter.find ?? ''}
          hasMore={hasNextPage && !isFetchingNextPage}
          onMore={fetchNextPage}
          onPick={onPick}
        />
      </div>
    </div>
  )
}
