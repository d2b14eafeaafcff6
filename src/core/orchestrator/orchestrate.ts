/**
 * Executes runs whose work is done by others: by tasks, by other runs, by turns of agents. Each time somebody claims such
 * a run, its kind looks at what is stored, does what can be done now, and the run is parked until something wakes it.
 * Everything that a look goes by is stored: a crash at any line costs nothing but the claim.
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

/** A run in the hands of this process. */
export type ActiveRun = Pick<Execution, 'run' | 'lease' | 'signal'>

/**
 * What one look came to: the end, a wait, that no place is free for what is to be begun, that there is more to do at once,
 * or that the end is stored already, with what the look has decided.
 */
export type Look<End> = { end: End } | Wait | 'full' | 'more' | 'ended'

export interface Wait {
  /** When to look again, whatever happens. */
  wakeAt?: number
  /** The time of the run does not count meanwhile. */
  stopsClock?: boolean
}

/** How a run ends, in words that every kind has. */
export interface Ending {
  status: FinalStatus
  code: string
  message?: string
}

export interface Orchestration<Active, End> {
  store: Pick<Store, 'parkRun'>
  clock: Clock
  /** What looks and the end go by; undefined when what the run is about is gone. */
  load(execution: Execution): Promise<Active | undefined>
  look(active: Active): Promise<Look<End>>
  /** The end of a run that failed, was given up, or was stopped; of the last, the kind has its own words. */
  toEnd(ending: Ending): End
  /** Whether what a look throws ends the run. Default: no, it is a bug or the fault of the server. */
  isRefusal?(error: unknown): error is ParleyError
  /** A look notices by itself that the run is stopped, where it has something to store before that ends it. */
  seesStops?: true
  /** Stops what was begun for the run. */
  stopBelow(active: Active, end: End): Promise<unknown>
  /** Stores the end and all that goes with it, in one transaction. */
  settle(active: Active, end: End): Promise<void>
}

// no place among those that wait: looked at again after this
const fullWaitMs = 1_000

export function orchestrate<Active extends ActiveRun, End>(
  kind: Orchestration<Active, End>,
): Pick<RunKind, 'execute' | 'giveUp'> {
  const finish = async (active: Active, end: End) => {
    // after a crash between the two, both are done again
    await kind.stopBelow(active, end)
    await kind.settle(active, end)
  }
  const lookAt = async (active: Active): Promise<Look<End>> => {
    const stopped = kind.seesStops ? undefined : whyStopped(active.signal, active.run)
    if (stopped) return { end: kind.toEnd({ status: stopped, code: stopped }) }
    try {
      return await kind.look(active)
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
        const look = await lookAt(active)
        if (look === 'ended') return
        if (look === 'more') continue
        if (look !== 'full' && 'end' in look) return finish(active, look.end)
        if (signal.aborted) continue
        const wait: Wait = look === 'full' ? { wakeAt: kind.clock.now() + fullWaitMs } : look
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
