import { useQuery } from '@tanstack/react-query'
import type { ApprovalPage } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { approvalKeys, approvalQuery } from './queries.ts'
import { useScope } from '../api/scope.ts'

// more than anybody answers at one sitting
const most = 100

/** What waits for an answer, newest first: in the scope, or of a session and its tasks. */
export function usePending(session?: string) {
  const client = useClient()
  const scope = useScope()
  return useQuery<ApprovalPage>({
    queryKey: approvalKeys.approvals({ scope, session }),
    queryFn: () => client.approvals.list({ scope, session, limit: most }),
  })
}

/** Whether something of a session, or of a task of it, waits for an answer. */
export function useIsAsking(session: string): boolean {
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: approvalKeys.approvals({ scope }),
    queryFn: () => client.approvals.list({ scope, limit: most }),
    // each row of a list asks this; events say when it is to be looked at again
    staleTime: Infinity,
    select: ({ items }: ApprovalPage) =>
      items.some(({ sessionId, parentSessionId }) => sessionId === session || parentSessionId === session),
  })
  return data ?? false
}

/** Not asked for while there is no id. */
export function useApproval(id: string | undefined) {
  const client = useClient()
  const scope = useScope()
  return useQuery(approvalQuery(client, id, scope))
}
