import { defineManifest } from '../../core/manifest.ts'

export default defineManifest({
  name: 'files',
  load: async () => (await import('./extension.ts')).files,
})
