import { defineManifest } from '../../core/manifest.ts'
import { roomFacets } from './facets.ts'
import { roomSettings } from './settings.ts'

export default defineManifest({
  name: 'room',
  facets: roomFacets,
  settings: roomSettings,
  commands: [{ name: 'rooms', load: () => import('./cli/commands.ts') }],
  load: async () => (await import('./extension.ts')).room,
})
