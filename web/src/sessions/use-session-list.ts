import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useClient } from '../api/api.tsx'
import { sessionKeys, untilSearched } from '../api/session-queries.ts'
import { toListQuery, type SessionFilter } from './session-group.ts'

/** The sessions of a group, page by page, and with words to find also the messages that hold them. */
export function useSessionList(filter: SessionFilter) {
  const client = useClient()
  const query = toListQuery(filter)
  const { data, ...list } = useInfiniteQuery({
    queryKey: sessionKeys.sessions({ ...query, isList: true }),
    queryFn: ({ pageParam }) => client.sessions.list({ ...query, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) => untilSearched(state.data?.pages.find(({ indexing }) => indexing)),
  })
  const sessions = useMemo(() => data?.pages.flatMap(({ items }) => items), [data])
  const { data: found } = useQuery({
    queryKey: sessionKeys.sessions({ scope: filter.scope, hits: filter.find }),
    queryFn: () => client.search({ scope: filter.scope, q: filter.find!, limit: 50 }),
    enabled: filter.find !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => untilSearched(state.data),
  })
  const isSearch = filter.find !== undefined
  return {
    ...list,
    sessions,
    hits: isSearch ? found?.items : undefined,
    indexing: isSearch
      ? (found?.indexing ?? data?.pages.find(({ indexing }) => indexing)?.indexing)
      : undefined,
  }
}
