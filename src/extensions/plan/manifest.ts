import { defineManifest } from '../../core/manifest.ts'
import type { PlanTurn } from './protocol/plan-run.ts'
import { planSettings } from './settings.ts'

export default defineManifest({
  name: 'plan',
  settings: planSettings,
  commands: [
    {
      name: 'plans',
      load: () => import('./cli/commands.ts'),
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
