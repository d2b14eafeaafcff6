import { defineExtension } from '../../core/extension.ts'
import { createCronControl } from './cron-control.ts'
import { countCronFires } from './cron-metrics.ts'
import { createCronTool } from './cron-tool.ts'
import type { ScheduleDeps } from './schedule-service.ts'
import { cronOperations, eventHookOperations } from './operations.ts'
import { createScheduler } from './scheduler.ts'
import { settleFire } from './settle-fire.ts'
import { createStartables, type Startables } from './startables.ts'
import { scheduleStore } from './store/slice.ts'

export interface ScheduleService extends ScheduleDeps {
  /** What crons and event hooks can start other than tasks. */
  startables: Startables
}

/** Crons and event hooks: starting work at a time, or when an event occurs. */
export const schedule = defineExtension<ScheduleService>({
  name: 'schedule',
  store: scheduleStore,
  references: {
    schedule: ['schedule', '日程'],
    cron: ['cron', '定时', '定时任务'],
  },
  toolNames: ['cron'],
  pacedTriggers: ['cron'],
  create({ store, tasks, clock, requireModel, knownModels, logger }) {
    const startables = createStartables()
    const service: ScheduleService = {
      store,
      background: tasks,
      startables,
      startWorkflow: (tx, wanted) => startables.start(tx, wanted),
      cancelWorkflow: (scope, runId) => startables.cancel(scope, runId),
      clock,
      requireModel,
      prices: knownModels,
    }
    const scheduler = createScheduler({ ...service, logger })
    return {
      service,
      operations: {
        crons: { operations: cronOperations, deps: service },
        eventHooks: { operations: eventHookOperations, deps: service },
      },
      tools: [createCronTool(createCronControl(service))],
      on: { taskSettled: (tx, session, result) => settleFire({ clock }, tx, session, result) },
      metrics: [countCronFires(store)],
      start: () => scheduler.start(),
      stop: () => scheduler.stop(),
    }
  },
})
