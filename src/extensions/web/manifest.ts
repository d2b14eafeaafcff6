import { defineManifest } from '../../core/manifest.ts'
import { webSettings } from './settings.ts'

export default defineManifest({
  name: 'web',
  settings: webSettings,
  load: async () => (await import('./extension.ts')).web,
})
