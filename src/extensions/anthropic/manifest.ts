import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'anthropic',
  load: async () => (await import('./extension.ts')).anthropic,
})
