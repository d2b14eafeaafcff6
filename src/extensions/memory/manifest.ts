import { defineManifest } from '../../core/manifest.ts'
import { memorySettings } from './settings.ts'

export default defineManifest({
  name: 'memory',
  settings: memorySettings,
  load: async () => (await import('./extension.ts')).memory,
})
