import type { Logger } from 'pino'
import type { Watcher } from '../core/watch/watcher.ts'

/** Log lines that an operator wants to find although nothing in Parley broke. They contain no conversation. */
export const logWork = (logger: Logger): Watcher => ({
  request: ({ requestId, method }) => {
    const began = performance.now()
    return {
      end: ({ route, status }) =>
        logger.debug({ requestId, method, route, status, ms: since(began) }, 'answered'),
    }
  },
  run: ({ run: { id: runId, sessionId, scope, kind, attempt }, lease }) => {
    const began = performance.now()
    const claimed = { runId, sessionId, scope, kind, claim: lease.fence }
    // a run that waited or was released counts no attempt
    if (attempt > 1) logger.info({ ...claimed, attempt }, 'took over a run whose process is gone')
    else if (lease.fence > 1) logger.debug(claimed, 'resuming a run')
    return {
      end({ status, code }) {
        const level = status === 'failed' || status === 'interrupted' ? 'info' : 'debug'
        logger[level](
          { runId, sessionId, scope, kind, status, code, ms: since(began) },
          'a run has ended here',
        )
      },
    }
  },
  step: ({ model }) => ({
    end({ fault }) {
      if (fault !== undefined && fault !== 'stopped') logger.warn({ model, fault }, 'a model did not answer')
    },
  }),
})

const since = (began: number) => Math.round(performance.now() - began)
