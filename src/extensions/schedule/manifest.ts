import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'schedule',
  commands: [{ name: 'cron', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).schedule,
})
