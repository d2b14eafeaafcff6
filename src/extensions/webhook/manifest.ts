import { defineManifest } from '../../core/manifest.ts'
import { webhookSettings } from './settings.ts'

export default defineManifest({
  name: 'webhook',
  settings: webhookSettings,
  commands: [{ name: 'webhooks', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).webhook,
})
