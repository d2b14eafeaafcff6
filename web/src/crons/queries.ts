import { queryOptions } from '@tanstack/react-query'
import type { ParleyClient } from '../../../src/client/index.ts'
import type { StaleQueries } from '../api/stale-queries.ts'

export const cronKeys = {
  crons: (filter: object = {}) => ['crons', filter] as const,
  cron: (id: string) => ['crons', id] as const,
  fires: (cronId: string, filter: object = {}) => ['fires', cronId, filter] as const,
  eventHooks: (filter: object = {}) => ['event-hooks', filter] as const,
}

export const cronQuery = ({ crons }: Pick<ParleyClient, 'crons'>, id: string, scope: string | undefined) =>
  queryOptions({ queryKey: cronKeys.cron(id), queryFn: () => crons.get(id, { scope }) })

// what a schedule started changes how it stands when it ends
const events = ['cron-*', 'bg:*']

export const cronQueries: StaleQueries = {
  crons: { events },
  fires: { events },
  'event-hooks': { events: ['event-hook*'] },
}
