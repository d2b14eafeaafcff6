import { AsyncLocalStorage } from 'node:async_hooks'
import type { Watcher } from '../core/watch/watcher.ts'

/** Puts the ids of the request or run that a line of the log belongs to into the line. */
export interface LogTrail {
  watcher: Watcher
  /** For `mixin` of pino; what a line says itself goes before it. */
  ids(): object
}

export function createLogTrail(): LogTrail {
  const trail = new AsyncLocalStorage<object>()
  const none = {}
  return {
    ids: () => ({ ...(trail.getStore() ?? none) }),
    watcher: {
      request: ({ requestId }) => enter({ requestId }),
      run: ({ run: { id: runId, sessionId, scope } }) => enter({ runId, sessionId, scope }),
    },
  }

  function enter(ids: object) {
    return { within: <T>(work: () => T): T => trail.run(ids, work), end() {} }
  }
}
