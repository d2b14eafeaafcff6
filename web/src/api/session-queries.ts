import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient, SearchPage } from '../../../src/client/index.ts'
import type { StaleQueries } from './stale-queries.ts'

/** Names of what is asked of sessions; all that belongs to one is below it. */
export const sessionKeys = {
  sessions: (filter: object = {}) => ['sessions', filter] as const,
  session: (id: string) => ['session', id] as const,
  messages: (id: string) => ['session', id, 'messages'] as const,
  inbox: (id: string) => ['session', id, 'inbox'] as const,
  queue: (id: string) => ['session', id, 'queue'] as const,
  variants: (id: string) => ['session', id, 'variants'] as const,
  usage: (id: string) => ['session', id, 'usage'] as const,
  result: (id: string) => ['session', id, 'result'] as const,
  runs: (id: string) => ['session', id, 'runs'] as const,
  checkpoints: (id: string) => ['session', id, 'checkpoints'] as const,
}

// somebody looks at it: the index gets on by thousands of messages meanwhile
const searchAgainMs = 2_000

/** For `refetchInterval` of a search: once more, as long as there is something that it did not see. */
export const untilSearched = (found: Pick<SearchPage, 'indexing'> | undefined) =>
  found?.indexing !== undefined && searchAgainMs

/** One session. Without an id it is not asked for. */
export const sessionQuery = (
  { sessions }: Pick<ParleyClient, 'sessions'>,
  id: string | undefined,
  scope: string | undefined,
) =>
  queryOptions({
    queryKey: sessionKeys.session(id ?? ''),
    queryFn: () => sessions.get(id!, { scope }),
    enabled: id !== undefined,
  })

export const sessionUsageQuery = (
  { sessions }: Pick<ParleyClient, 'sessions'>,
  id: string,
  scope: string | undefined,
) => queryOptions({ queryKey: sessionKeys.usage(id), queryFn: () => sessions.usage(id, { scope }) })

export const sessionQueries: StaleQueries = {
  session: {
    events: ['*'],
    key: ({ sessionId }) => (sessionId === undefined ? undefined : ['session', sessionId]),
  },
  sessions: { events: ['session-*', 'run-*', 'bg:*'] },
}
