import { invalidRequest } from '../../core/protocol/error.ts'
import type { ScheduleDeps } from './schedule-service.ts'

/** What crons and event hooks can start other than tasks; extensions register it before anything fires. */
export interface Startables {
  register(startable: Startable): void
  start: ScheduleDeps['startWorkflow']
  cancel: ScheduleDeps['cancelWorkflow']
}

export interface Startable {
  start: ScheduleDeps['startWorkflow']
  cancel: ScheduleDeps['cancelWorkflow']
}

export function createStartables(): Startables {
  let registered: Startable | undefined
  const require = (): Startable => {
    if (!registered)
      throw invalidRequest('Nothing here can be started by name: workflows are not part of this Parley.')
    return registered
  }
  return {
    register(startable) {
      if (registered) throw invalidRequest('Something to be started by name is registered already.')
      registered = startable
    },
    start: async (tx, wanted) => require().start(tx, wanted),
    cancel: async (scope, runId) => require().cancel(scope, runId),
  }
}
