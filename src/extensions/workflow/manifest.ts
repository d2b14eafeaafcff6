import { defineManifest } from '../../core/manifest.ts'
import { workflowSettings } from './settings.ts'

export default defineManifest({
  name: 'workflow',
  settings: workflowSettings,
  commands: [{ name: 'workflows', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).workflow,
})
