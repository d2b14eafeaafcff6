import type { FSWatcher, watch } from 'chokidar'
import type { WatchTargets } from './watch-targets.ts'

export interface ChangeWatcher {
  /** Whether every change to what it watches is reported: not while starting, not after a failure. */
  isReliable(): boolean
  /** Watches these from now on. */
  follow(targets: WatchTargets): Promise<void>
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
 * Notifies that something it watches has changed, but not what. After an error it gives up: a watcher that
 * has missed one change is worse than none, and its user has another way to find out.
 */
export function createChangeWatcher(options: ChangeWatcherOptions): ChangeWatcher {
  let targets: WatchTargets | undefined
  let watcher: FSWatcher | undefined
  let isReady = false
  let isStopped = false

  const close = async () => {
    const old = watcher
    watcher = undefined
    isReady = false
    await old?.close()
  }
  const fail = (error: unknown) => {
    isStopped = true
    options.onError(error)
    void close()
  }
  const start = async () => {
    // only what sends prompts watches files
    const begin = options.watch ?? (await import('chokidar')).watch
    // stopped, or called again, while it was loaded
    if (isStopped || watcher !== undefined) return
    const mine = begin(targets!.folders, {
      persistent: false,
      ignoreInitial: true,
      ignorePermissionErrors: true,
      followSymlinks: false, // what links lead to is among them by its real path
      backend: 'native', // the other one subscribes to the whole tree on some systems
      ignored: (path) => !targets!.isWatched(path),
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
      const isSame = watcher !== undefined && targets?.key === next.key
      targets = next
      if (isStopped || isSame) return
      await close()
      if (isStopped || next.folders.length === 0) return
      // not waited for: until it is ready, nobody relies on it
      void start().catch(fail)
    },
    async stop() {
      isStopped = true
      await close()
    },
  }
}
