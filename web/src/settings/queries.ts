import type { StaleQueries } from '../api/stale-queries.ts'

export const lockKeys = {
  locks: (filter: object = {}) => ['locks', filter] as const,
}

export const settingsQueries: StaleQueries = {
  // what is gone, or whose session is, holds nothing any more
  locks: { events: ['lock-*', 'document-*', 'todo-*', 'session-deleted'] },
}
