import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
import type { StaleQueries } from '../api/stale-queries.ts'

export const approvalKeys = {
  approvals: (filter: object = {}) => ['approvals', filter] as const,
  approval: (id: string) => ['approvals', id] as const,
}

/** Without an id it is not asked for. */
export const approvalQuery = (
  { approvals }: Pick<ParleyClient, 'approvals'>,
  id: string | undefined,
  scope: string | undefined,
) =>
  queryOptions({
    queryKey: approvalKeys.approval(id ?? ''),
    queryFn: () => approvals.get(id!, { scope }),
    enabled: id !== undefined,
  })

export const approvalQueries: StaleQueries = {
  approvals: { events: ['approval-*'] },
}
