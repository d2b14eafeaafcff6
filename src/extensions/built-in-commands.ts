import type { CommandGroup } from '../core/command-line/command-group.ts'
import type { PlanTurn } from './plan/protocol/plan-run.ts'

/** The commands of the capabilities that come with Parley, in the order in which help lists them. */
export const builtInCommands: readonly CommandGroup[] = [
  {
    name: 'workflows',
    load: () => import('./workflow/cli/commands.ts'),
  },
  {
    name: 'knowledge',
    load: () => import('./knowledge/cli/commands.ts'),
  },
  {
    name: 'plans',
    load: () => import('./plan/cli/commands.ts'),
    afterTurn: {
      'data-plan': async (api, data, listener) => {
        const { printActions } = await import('./plan/cli/progress.ts')
        await printActions(api, data as PlanTurn, listener)
      },
    },
  },
  {
    name: 'rooms',
    load: () => import('./room/cli/commands.ts'),
  },
  {
    name: 'cron',
    load: () => import('./schedule/cli/commands.ts'),
  },
  {
    name: 'webhooks',
    load: () => import('./webhook/cli/commands.ts'),
  },
]
