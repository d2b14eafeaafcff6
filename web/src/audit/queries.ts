import type { StaleQueries } from '../api/stale-queries.ts'

export const auditKeys = {
  audit: (filter: object = {}) => ['audit', filter] as const,
}

export const auditQueries: StaleQueries = {
  audit: { events: ['*'] },
}
