import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Message, Part } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useOpenSession } from './use-open-session.ts'
import { findAlternatives, originOf, type Alternatives } from './variants.ts'

export interface Variants {
  /** What else was said at a message, by its id. */
  alternatives: ReadonlyMap<string, Alternatives>
  /** Says something else in place of a message, in a variant that it opens; what was there stays. */
  sayInstead(message: Message, parts: readonly Part[]): Promise<void>
}

export function useVariants(sessionId: string, messages: readonly Message[]): Variants {
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const open = useOpenSession()
  const { data } = useQuery({
    queryKey: sessionKeys.variants(sessionId),
    queryFn: () => client.sessions.variants(sessionId, { scope }),
  })
  const items = useMemo(() => data?.items ?? [], [data])
  const alternatives = useMemo(
    () => findAlternatives(sessionId, items, messages),
    [sessionId, items, messages],
  )
  const sayInstead = useCallback(
    async (message: Message, parts: readonly Part[]) => {
      const origin = originOf(message, sessionId, items, messages)
      const { id } = await client.sessions.fork(origin.sessionId, {
        scope,
        messageId: origin.messageId,
        before: true,
        variant: true,
      })
      await client.sessions.send(id, { scope, messages: [{ role: 'user', parts }] })
      // each of the family has one more
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === 'variants' })
      open(id)
    },
    [client, scope, queries, open, sessionId, items, messages],
  )
  return useMemo(() => ({ alternatives, sayInstead }), [alternatives, sayInstead])
}
