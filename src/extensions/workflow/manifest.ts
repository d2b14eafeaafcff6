import { defineManifest } from '../../core/manifest.ts'
import { workflowFacets } from './facets.ts'
import { workflowSettings } from './settings.ts'

export default defineManifest({
  name: 'workflow',
  facets: workflowFacets,
  settings: workflowSettings,
  commands: [{ name: 'workflows', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).workflow,
})
