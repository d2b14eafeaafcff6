import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { tasksBelow, type Task } from './task-tree.ts'

const pageSize = 200

/**
 * Background sessions, newest first, from the lists of sessions and nothing else; with a session, those below it. The
 * session's own are asked for by themselves, since they may be older than the newest of all.
 */
export function useTasks(sessionId: string | undefined) {
  const client = useClient()
  const scope = useScope()
  const query = { scope, kind: 'background', limit: pageSize } as const
  const { data, ...all } = useInfiniteQuery({
    queryKey: sessionKeys.sessions({ ...query, isTasks: true }),
    queryFn: ({ pageParam }) => client.sessions.list({ ...query, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const { data: own } = useQuery({
    queryKey: sessionKeys.sessions({ ...query, parent: sessionId }),
    queryFn: () => client.sessions.list({ ...query, parent: sessionId }),
    enabled: sessionId !== undefined,
  })
  const tasks = useMemo(() => {
    if (!data) return undefined
    const byId = new Map<string, Task>()
    for (const task of [...data.pages, ...(own ? [own] : [])].flatMap(({ items }) => items))
      byId.set(task.id, task)
    const merged = [...byId.values()]
    return sessionId === undefined ? merged : tasksBelow(merged, sessionId)
  }, [data, own, sessionId])
  return { ...all, tasks }
}
