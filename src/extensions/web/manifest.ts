import { defineManifest } from '../../core/manifest.ts'
import { webFacets } from './facets.ts'
import { webSettings } from './settings.ts'

export default defineManifest({
  name: 'web',
  facets: webFacets,
  settings: webSettings,
  load: async () => (await import('./extension.ts')).web,
})
