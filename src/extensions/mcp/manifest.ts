import { defineManifest } from '../../core/manifest.ts'
import { mcpSettings } from './settings.ts'

export default defineManifest({
  name: 'mcp',
  settings: mcpSettings,
  load: async () => (await import('./extension.ts')).mcp,
})
