import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'knowledge',
  commands: [{ name: 'knowledge', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).knowledge,
})
