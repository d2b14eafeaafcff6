import { defineManifest } from '../../core/manifest.ts'
import { openAiFacets } from './facets.ts'

export default defineManifest({
  name: 'openai',
  facets: openAiFacets,
  load: async () => (await import('./extension.ts')).openai,
})
