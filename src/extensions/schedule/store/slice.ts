import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { scheduleFacets } from '../facets.ts'
import type { CronFire } from '../protocol/cron.ts'
import { cronFireQueries, type CronFireQueries } from './cron-fires.ts'
import { cronQueries, type CronQueries } from './crons.ts'
import { eventHookQueries, type EventHookQueries } from './event-hooks.ts'
import type { ScheduleTables } from './tables.ts'

export const scheduleStore: StoreSlice = {
  name: 'schedule',
  facets: scheduleFacets,
  migrations: 'src/extensions/schedule/store/migrations',
  sharedThrough: 14,
  queries: [cronFireQueries, cronQueries, eventHookQueries],
  restrict: ({ database, reason, hasTable, pauseActive }) => {
    if (!hasTable('crons')) return []
    const crons = pauseActive('crons', 'cron')
    database.exec('update crons set next_fire_at = null')
    database
      .prepare(`update cron_fires set outcome = 'skipped', reason = ? where outcome = 'queued'`)
      .run(reason)
    return [...crons, ...pauseActive('event_hooks', 'event-hook')]
  },
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends CronFireQueries, CronQueries, EventHookQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends ScheduleTables {}
}

declare module '../../../core/store/query-context.ts' {
  interface ExtensionChanges {
    /** A time of a cron was recorded; `times` of them, where several were skipped as one. */
    'cron-fired': { cause: CronFire['cause']; outcome: CronFire['outcome']; times: number }
  }
}
