import { defineManifest } from '../../core/manifest.ts'
import { documentFacets } from './facets.ts'
import { documentSettings } from './settings.ts'

export default defineManifest({
  name: 'documents',
  facets: documentFacets,
  settings: documentSettings,
  load: async () => (await import('./extension.ts')).documents,
})
