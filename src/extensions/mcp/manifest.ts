import { defineManifest } from '../../core/manifest.ts'
import { mcpFacets } from './facets.ts'
import { mcpSettings } from './settings.ts'

export default defineManifest({
  name: 'mcp',
  facets: mcpFacets,
  settings: mcpSettings,
  load: async () => (await import('./extension.ts')).mcp,
})
