import type { watch } from 'chokidar'
import { createChangeWatcher } from './change-watcher.ts'
import { readCommands, type CommandSet } from './commands.ts'
import type { ContextFiles, FileSet } from './context-files.ts'
import { findBases, type Places } from './context-places.ts'
import { isUnchanged, toHash, type Traces } from './file-reader.ts'
import { readRules, type RuleSet } from './rules.ts'
import { readSkills, type SkillSet } from './skills.ts'
import { findWatchTargets, type WatchTargets } from './watch-targets.ts'

/** All that is read from disk for the prompts of one scope. */
export interface ProjectContext {
  rules: RuleSet
  skills: SkillSet
  commands: CommandSet
  /** What was read of other kinds of files. */
  more: ReadonlyMap<ContextFiles, FileSet>
  /** Changes when any of them does. */
  hash: string
}

export interface ContextSource {
  /** What is on disk; from memory while nothing has changed. */
  current(): Promise<ProjectContext>
  /** Calls the listener when the context has changed; returns its undo. */
  subscribe(listener: (context: ProjectContext) => void): () => void
  /** Stops watching. `current` still answers, by reading the disk. */
  stop(): Promise<void>
}

export interface ContextSourceOptions {
  /** What is read beside rules, skills and commands. Default: nothing. */
  files?: readonly ContextFiles[]
  /** How long changes are collected before listeners are notified. Default 100. */
  debounceMs?: number
  /** How long `current` trusts the watcher's silence. Default 30,000. */
  recheckMs?: number
  /** Called with errors in the background. Default: ignored, because `current` meets them too. */
  onError?: (error: unknown) => void
  watch?: typeof watch
}

interface Known {
  context: ProjectContext
  traces: Traces
  targets: WatchTargets
  /** When it was last compared with the disk. */
  comparedAt: number
}

/**
 * Keeps the context of some places in memory. The watcher starts with the first `current()` and does not keep the
 * process alive. Until it is ready, after it failed, and for what it cannot watch, `current()` compares times and
 * sizes instead. Now and then it does so anyway, because network file systems report nothing.
 */
export function createContextSource(places: Places, options: ContextSourceOptions = {}): ContextSource {
  const { files = [], debounceMs = 100, recheckMs = 30_000, onError = () => {} } = options
  const listeners = new Set<(context: ProjectContext) => void>()
  let known: Known | undefined
  let reading: Promise<ProjectContext> | undefined
  let isDirty = false
  let timer: NodeJS.Timeout | undefined

  const watcher = createChangeWatcher({
    watch: options.watch,
    onReady: () => void compare().catch(onError),
    onChange: noteChange,
    onError,
  })

  function noteChange(): void {
    isDirty = true
    if (listeners.size > 0) timer ??= setTimeout(notifyLater, debounceMs).unref()
  }

  function notifyLater(): void {
    timer = undefined
    void current().catch(onError)
  }

  async function compare(): Promise<void> {
    if (known && !(await isUnchanged(known.traces))) noteChange()
  }

  /** Looks at no more than the watcher leaves open. */
  async function isFresh(now: Known): Promise<boolean> {
    const isTrusted = watcher.isReliable() && performance.now() - now.comparedAt < recheckMs
    if (isTrusted) return now.targets.checked.length === 0 || isUnchanged(now.traces, now.targets.checked)
    now.comparedAt = performance.now()
    return isUnchanged(now.traces)
  }

  async function read(): Promise<ProjectContext> {
    isDirty = false
    const before = known?.context
    const comparedAt = performance.now()
    const { context, traces } = await readContext(places, files)
    const targets = await findWatchTargets(await findFolders(places), traces)
    known = { context, traces, targets, comparedAt }
    await watcher.follow(targets)
    if (before && before.hash !== context.hash) for (const listener of listeners) notify(listener, context)
    return context
  }

  function notify(listener: (context: ProjectContext) => void, context: ProjectContext): void {
    try {
      listener(context)
    } catch (error) {
      onError(error) // the others must be notified all the same
    }
  }

  async function current(): Promise<ProjectContext> {
    // what is being read may be older than the caller's last write
    if (reading) await reading
    if (known && !isDirty && (await isFresh(known))) return known.context
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return {
    current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop() {
      clearTimeout(timer)
      listeners.clear()
      await watcher.stop()
    },
  }
}

async function readContext(
  places: Places,
  files: readonly ContextFiles[],
): Promise<{ context: ProjectContext; traces: Traces }> {
  const [rules, skills, commands, ...others] = await Promise.all([
    readRules(places),
    readSkills(places),
    readCommands(places),
    ...files.map((kind) => kind.read(places)),
  ])
  const sets = [rules, skills, commands, ...others]
  const more = new Map(files.map((kind, index) => [kind, others[index]!]))
  return {
    context: { rules, skills, commands, more, hash: toHash(sets.map((set) => set.hash).join()) },
    traces: {
      stamps: new Map(sets.flatMap((set) => [...set.traces.stamps])),
      folders: new Map(sets.flatMap((set) => [...set.traces.folders])),
    },
  }
}

async function findFolders(places: Places): Promise<string[]> {
  const { root, user, home } = await findBases(places)
  return [...new Set([root, user, home].flatMap((base) => base?.folder ?? []))]
}
