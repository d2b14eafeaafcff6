import type { Run } from '../store/queries/run-row.ts'
import type { Lease } from '../store/queries/claims.ts'
import type { Store } from '../store/store.ts'
import type { RunEnd, Watchers } from './watcher.ts'

type AroundRun = <T>(begun: { run: Run; lease: Lease }, work: () => Promise<T>) => Promise<T>

/** Put around the execution of runs. How one ended is what was committed of it, not what its work answers. */
export function watchRuns(watchers: Watchers, store: Pick<Store, 'subscribe'>): AroundRun {
  const endings = new Map<string, RunEnd | undefined>()
  store.subscribe((change) => {
    if (change.type === 'run-ended' && endings.has(change.runId)) endings.set(change.runId, change)
  })
  return async ({ run, lease }, work) => {
    const watch = watchers.run({ run, lease })
    if (!watch) return work()
    endings.set(run.id, undefined)
    let otherwise: RunEnd = { status: 'released' }
    try {
      const result = await watch.within(work)
      if (result === 'waits') otherwise = { status: 'waiting' }
      return result
    } finally {
      // also there, whoever took it up
      watch.within(() => watch.end(endings.get(run.id) ?? otherwise))
      endings.delete(run.id)
    }
  }
}
