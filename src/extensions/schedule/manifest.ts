import { defineManifest } from '../../core/manifest.ts'
import { scheduleFacets } from './facets.ts'

export default defineManifest({
  name: 'schedule',
  facets: scheduleFacets,
  commands: [{ name: 'cron', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).schedule,
})
