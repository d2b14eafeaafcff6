import type { CallGuard } from '../tools/call-outcome.ts'
import type { Watchers } from './watcher.ts'

/** The same guard, whose calls are reported to watchers. */
export const watchCalls = (watchers: Watchers, guard: CallGuard): CallGuard => ({
  ...guard,
  async admit(call) {
    const admitted = await guard.admit(call)
    if ('refused' in admitted) watchers.tool(call)?.end({ outcome: 'refused' })
    return admitted
  },
  async make(call, work) {
    const watch = watchers.tool(call)
    if (!watch) return work()
    const outcome = await watch.within(work)
    watch.end('value' in outcome ? { outcome: 'ok', value: outcome.value } : { outcome: 'failed' })
    return outcome
  },
})
