import { AsyncLocalStorage } from 'node:async_hooks'
import type { Watcher } from '../core/watch/watcher.ts'

/** Adds the ids of the current request or run to each line of the log. */
export interface LogTrail {
  watcher: Watcher
  /** For `mixin` of pino; a line's own fields take precedence. */
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
