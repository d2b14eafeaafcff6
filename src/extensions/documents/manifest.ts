import { defineManifest } from '../../core/manifest.ts'
import { documentSettings } from './settings.ts'

export default defineManifest({
  name: 'documents',
  settings: documentSettings,
  load: async () => (await import('./extension.ts')).documents,
})
