import { defineManifest } from '../../core/manifest.ts'
import { memoryFacets } from './facets.ts'
import { memorySettings } from './settings.ts'

export default defineManifest({
  name: 'memory',
  facets: memoryFacets,
  settings: memorySettings,
  load: async () => (await import('./extension.ts')).memory,
})
