import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'openai',
  load: async () => (await import('./extension.ts')).openai,
})
