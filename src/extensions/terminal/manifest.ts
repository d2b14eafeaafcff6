import { defineManifest } from '../../core/manifest.ts'
import { terminalFacets } from './facets.ts'
import { terminalSettings } from './settings.ts'

export default defineManifest({
  name: 'terminal',
  facets: terminalFacets,
  settings: terminalSettings,
  load: async () => (await import('./extension.ts')).terminal,
})
