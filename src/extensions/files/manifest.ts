import { defineManifest } from '../../core/manifest.ts'
import { fileFacets } from './facets.ts'

export default defineManifest({
  name: 'files',
  facets: fileFacets,
  load: async () => (await import('./extension.ts')).files,
})
