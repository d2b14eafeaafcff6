import { defineManifest } from '../../core/manifest.ts'
import { planFacets } from './facets.ts'
import type { PlanTurn } from './protocol/plan-run.ts'
import { previewTexts } from './protocol/preview-texts.ts'
import { planSettings } from './settings.ts'

export default defineManifest({
  name: 'plan',
  facets: planFacets,
  settings: planSettings,
  commands: [
    {
      name: 'plans',
      load: () => import('./cli/commands.ts'),
      previews: { planRun: previewTexts },
      afterTurn: {
        'data-plan': async (api, data, listener) => {
          const { printActions } = await import('./cli/progress.ts')
          await printActions(api, data as PlanTurn, listener)
        },
      },
    },
  ],
  load: async () => (await import('./extension.ts')).plan,
})
