import type { StoreOperations } from '../../core/store/store.ts'
import { headLength, prepare, type ActiveWorkflowRun, type Prepared } from './begin-step.ts'
import { isFinished, type StepState } from './step-state.ts'
import { setHead, Unread, withoutOutput, type Wanted } from './unread-outputs.ts'
import type { Begin, Walk } from './walk-state.ts'

type States = Map<string, StepState>

export interface WalkedRun {
  found: Walk
  /** Including what the walk has added. */
  states: States
  begins: { begin: Begin; prepared: Prepared }[]
}

/** The steps of a run as far as they decide how it continues; outputs of finished ones are not read. */
export async function readProgress(store: StoreOperations, runId: string): Promise<States> {
  const states: States = new Map()
  for (const { step, hasOutput } of await store.listWorkflowProgress(runId))
    states.set(step.path, isFinished(step) ? withoutOutput(step, { hasOutput }) : step)
  return states
}

/** Walks, and reads what the walk lacks, until nothing is missing. That is little: each walk starts few steps. */
export async function walkStored(
  store: StoreOperations,
  active: ActiveWorkflowRun,
  stored: States,
  walk: (states: States) => Walk,
): Promise<WalkedRun> {
  for (let lastWanted: string | undefined; ;) {
    // an aborted walk leaves nothing behind
    const states = new Map(stored)
    try {
      const found = walk(states)
      return {
        found,
        states,
        begins: found.begins.map((begin) => ({ begin, prepared: prepare(active, begin) })),
      }
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      const wanted = JSON.stringify(error.wanted)
      if (wanted === lastWanted)
        throw new Error(`What a run needs of itself is not there: ${wanted}`, { cause: error })
      lastWanted = wanted
      await read(store, active.run.id, stored, error.wanted)
    }
  }
}

async function read(
  store: StoreOperations,
  runId: string,
  states: States,
  { outputs = [], heads = [], below }: Wanted,
): Promise<void> {
  for (const step of await store.readWorkflowSteps(runId, outputs)) states.set(step.path, step)
  for (const { path, head } of await store.readOutputHeads(runId, heads, headLength))
    setHead(states.get(path)!, head)
  if (below !== undefined)
    for (const step of await store.readWorkflowStepsBelow(runId, below)) states.set(step.path, step)
}
