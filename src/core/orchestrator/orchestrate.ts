/**
 * Executes runs whose work is done by others: by tasks, by other runs, by turns of agents. Each time somebody claims such
 * a run, its kind reads what is stored, does what can be done now, and the run is parked until something wakes it.
 * Everything that a pass depends on is stored: a crash at any line costs nothing but the claim.
 *
 * What there is to do is decided by the kind of run, and nothing here names one.
 */
import type { ParleyError } from '../protocol/error.ts'
import type { Execution } from '../runs/dispatcher.ts'
import type { RunKind } from '../runs/run-engine.ts'
import { whyStopped } from '../runs/stop-reasons.ts'
import { type Clock, earliest } from '../shared/clock.ts'
import type { FinalStatus } from '../store/queries/run-row.ts'
import type { Store } from '../store/store.ts'

/** A run that this process executes. */
export type ActiveRun = Pick<Execution, 'run' | 'lease' | 'signal'>

/**
 * The result of one pass: the end, a wait, that no slot is free for what is to begin, that there is more to do at once,
 * or that the end is stored already, with what the pass has decided.
 */
export type Advanced<End> = { end: End } | Wait | 'full' | 'more' | 'ended'

export interface Wait {
  /** When to make the next pass, whatever happens. */
  wakeAt?: number
  /** The time of the run does not count meanwhile. */
  stopsClock?: boolean
}

/** How a run ends, in terms that every kind has. */
export interface Ending {
  status: FinalStatus
  code: string
  message?: string
}

export interface Orchestration<Active, End> {
  store: Pick<Store, 'parkRun'>
  clock: Clock
  /** What passes and the end depend on; undefined when the subject of the run is gone. */
  load(execution: Execution): Promise<Active | undefined>
  advance(active: Active): Promise<Advanced<End>>
  /** The end of a run that failed, was given up, or was stopped; for the last, the kind has its own texts. */
  toEnd(ending: Ending): End
  /** Whether what a pass throws ends the run. Default: no, it is a bug or the fault of the server. */
  isRefusal?(error: unknown): error is ParleyError
  /** A pass notices by itself that the run is stopped, where it has something to store before that ends it. */
  seesStops?: true
  /** Stops what was begun for the run. */
  stopBelow(active: Active, end: End): Promise<unknown>
  /** Stores the end and all that goes with it, in one transaction. */
  settle(active: Active, end: End): Promise<void>
}

// no free slot: tried again after this
const fullWaitMs = 1_000

export function orchestrate<Active extends ActiveRun, End>(
  kind: Orchestration<Active, End>,
): Pick<RunKind, 'execute' | 'giveUp'> {
  const finish = async (active: Active, end: End) => {
    // after a crash between the two, both are done again
    await kind.stopBelow(active, end)
    await kind.settle(active, end)
  }
  const advance = async (active: Active): Promise<Advanced<End>> => {
    const stopped = kind.seesStops ? undefined : whyStopped(active.signal, active.run)
    if (stopped) return { end: kind.toEnd({ status: stopped, code: stopped }) }
    try {
      return await kind.advance(active)
    } catch (error) {
      if (!kind.isRefusal?.(error)) throw error
      return { end: kind.toEnd({ status: 'failed', code: error.code, message: error.message }) }
    }
  }
  return {
    async execute(execution) {
      const active = await kind.load(execution)
      if (!active) return
      const { run, lease, signal } = active
      for (;;) {
        const advanced = await advance(active)
        if (advanced === 'ended') return
        if (advanced === 'more') continue
        if (advanced !== 'full' && 'end' in advanced) return finish(active, advanced.end)
        if (signal.aborted) continue
        const wait: Wait = advanced === 'full' ? { wakeAt: kind.clock.now() + fullWaitMs } : advanced
        await kind.store.parkRun(lease, {
          ...wait,
          wakeAt: earliest(wait.wakeAt, wait.stopsClock ? undefined : run.deadlineAt),
        })
        return 'waits'
      }
    },

    async giveUp(execution, { code, message }) {
      const active = await kind.load(execution)
      const status = code === 'interrupted' ? 'interrupted' : 'failed'
      if (active) await finish(active, kind.toEnd({ status, code, message }))
    },
  }
}
