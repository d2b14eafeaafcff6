import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/api.tsx'
import { planRunQuery } from '../queries.ts'
import { useScope } from '../../api/scope.ts'

/** A run with its steps, as it is now; undefined asks for none. */
export function usePlanRun(runId: string | undefined) {
  const client = useClient()
  const scope = useScope()
  return useQuery({
    ...planRunQuery(client, runId, scope),
    staleTime: 0,
  })
}
