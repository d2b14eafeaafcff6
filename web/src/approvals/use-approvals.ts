import { useQuery } from '@tanstack/react-query'
import type { Approval, ApprovalPage } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'

// more than anybody answers at one sitting
const most = 100

/** What waits for an answer, newest first: in the scope, or of a session and its tasks. */
export function usePending(session?: string) {
  const client = useClient()
  const scope = useScope()
  return useQuery<ApprovalPage>({
    queryKey: keys.approvals({ scope, session }),
    queryFn: () => client.approvals.list({ scope, session, limit: most }),
  })
}

/** Not asked for while there is no id. */
export function useApproval(id: string | undefined) {
  const client = useClient()
  const scope = useScope()
  return useQuery<Approval>({
    queryKey: keys.approval(id ?? ''),
    queryFn: () => client.approvals.get(id!, { scope }),
    enabled: id !== undefined,
  })
}
