import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'agents',
  load: async () => (await import('./extension.ts')).agents,
})
