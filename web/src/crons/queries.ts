import type { StaleQueries } from '../api/stale-queries.ts'

export const cronKeys = {
  crons: (filter: object = {}) => ['crons', filter] as const,
  cron: (id: string) => ['crons', id] as const,
  fires: (cronId: string, filter: object = {}) => ['fires', cronId, filter] as const,
  eventHooks: (filter: object = {}) => ['event-hooks', filter] as const,
}

// what a schedule started changes how it stands when it ends
const events = ['cron-*', 'bg:*']

export const cronQueries: StaleQueries = {
  crons: { events },
  fires: { events },
  'event-hooks': { events: ['event-hook*'] },
}
