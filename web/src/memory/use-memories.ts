import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ListedMemory } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { memoryKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import type { MemoryFilter } from './memory-query.ts'

const pageSize = 50
// those of the newest answers of a session; the server gives no more at once
const mostMade = 200

/** What is remembered, page by page. */
export function useMemories(filter: MemoryFilter) {
  const client = useClient()
  const scope = useScope()
  return useInfiniteQuery({
    queryKey: memoryKeys.memories({ scope, ...filter }),
    queryFn: ({ pageParam }) =>
      client.memories.list({ scope, ...filter, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

/** How many memories the turn of an answer left. Asked once for all answers of a session. */
export function useMadeCount(sessionId: string | undefined, messageId: string): number {
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: memoryKeys.memories({ scope, madeIn: sessionId }),
    queryFn: async () => {
      const { items } = await client.memories.list({ scope, session: sessionId, limit: mostMade })
      return countByMessage(items)
    },
    select: (counts) => counts.get(messageId) ?? 0,
    enabled: sessionId !== undefined,
    // events say when it has changed; scrolling by alone asks nothing
    staleTime: Infinity,
  })
  return data ?? 0
}

function countByMessage(memories: readonly ListedMemory[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { source } of memories)
    if (source.messageId !== undefined) counts.set(source.messageId, (counts.get(source.messageId) ?? 0) + 1)
  return counts
}

/** What the turn of an answer was given and what it left, deleted ones included. */
export function useMessageMemories(messageId: string) {
  const client = useClient()
  const scope = useScope()
  return useQuery({
    queryKey: memoryKeys.memories({ scope, message: messageId }),
    queryFn: () => client.memories.list({ scope, message: messageId }),
  })
}
