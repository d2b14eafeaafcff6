import type { StaleQueries } from '../api/stale-queries.ts'

export const usageKeys = {
  usage: (range: object = {}) => ['usage', range] as const,
}

export const usageQueries: StaleQueries = {
  usage: { events: ['session-*', 'run-*', 'bg:*'] },
}
