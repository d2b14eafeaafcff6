import { watch, type FSWatcher } from 'chokidar'
import type { WatchPlan } from './watch-plan.ts'

export interface ChangeWatcher {
  /** Whether every change to what the plan watches is reported: not while starting, not after a failure. */
  isReliable(): boolean
  /** Watches by this plan from now on. */
  follow(plan: WatchPlan): Promise<void>
  stop(): Promise<void>
}

export interface ChangeWatcherOptions {
  watch?: typeof watch
  /** From here on changes are reported; earlier ones were not. */
  onReady(): void
  onChange(): void
  onError(error: unknown): void
}

/**
 * Tells when something that a plan names has changed, but not what. After an error it gives up: a watcher that
 * has missed one change is worse than none, and its user has another way to find out.
 */
export function createChangeWatcher(options: ChangeWatcherOptions): ChangeWatcher {
  let plan: WatchPlan | undefined
  let watcher: FSWatcher | undefined
  let isReady = false
  let isOver = false

  const close = async () => {
    const old = watcher
    watcher = undefined
    isReady = false
    await old?.close()
  }
  const fail = (error: unknown) => {
    isOver = true
    options.onError(error)
    void close()
  }
  const start = () => {
    const mine = (options.watch ?? watch)(plan!.folders, {
      persistent: false,
      ignoreInitial: true,
      ignorePermissionErrors: true,
      followSymlinks: false, // what links lead to is in the plan by its real path
      backend: 'native', // the other one subscribes to the whole tree on some systems
      ignored: (path) => !plan!.isWatched(path),
    })
    watcher = mine
    mine.on('all', () => watcher === mine && options.onChange())
    mine.on('error', (error) => watcher === mine && fail(error))
    mine.on('ready', () => {
      if (watcher !== mine) return
      isReady = true
      options.onReady()
    })
  }

  return {
    isReliable: () => isReady,
    async follow(next) {
      const isSame = watcher !== undefined && plan?.key === next.key
      plan = next
      if (isOver || isSame) return
      await close()
      if (isOver || next.folders.length === 0) return
      try {
        start()
      } catch (error) {
        fail(error)
      }
    },
    async stop() {
      isOver = true
      await close()
    },
  }
}
