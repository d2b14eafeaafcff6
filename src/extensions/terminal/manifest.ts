import { defineManifest } from '../../core/manifest.ts'
import { terminalSettings } from './settings.ts'

export default defineManifest({
  name: 'terminal',
  settings: terminalSettings,
  load: async () => (await import('./extension.ts')).terminal,
})
