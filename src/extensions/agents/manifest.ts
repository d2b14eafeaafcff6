import { defineManifest } from '../../core/manifest.ts'
import { agentFacets } from './facets.ts'

export default defineManifest({
  name: 'agents',
  facets: agentFacets,
  load: async () => (await import('./extension.ts')).agents,
})
