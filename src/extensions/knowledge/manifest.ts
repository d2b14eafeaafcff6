import { defineManifest } from '../../core/manifest.ts'
import { knowledgeFacets } from './facets.ts'

export default defineManifest({
  name: 'knowledge',
  facets: knowledgeFacets,
  commands: [{ name: 'knowledge', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).knowledge,
})
