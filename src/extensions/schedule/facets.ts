/** What crons and event hooks add to records of the core. */
import { defineFacets } from '../../core/protocol/facets.ts'

export const scheduleFacets = defineFacets({
  groups: { list: { schedule: true } },
  triggers: ['cron', 'event_hook'],
})

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    schedule: true
  }
  interface TriggerFacets {
    cron: true
    event_hook: true
  }
}
