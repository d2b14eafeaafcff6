import type { StaleQueries } from '../api/stale-queries.ts'

export const approvalKeys = {
  approvals: (filter: object = {}) => ['approvals', filter] as const,
  approval: (id: string) => ['approvals', id] as const,
}

export const approvalQueries: StaleQueries = {
  approvals: { events: ['approval-*'] },
}
