import type { StoreOperations } from '../../core/store/store.ts'
import { headLength, prepare, type ActiveWorkflowRun, type Prepared } from './begin-step.ts'
import { isFinished, type StepState } from './step-state.ts'
import { setHead, Unread, withoutOutput, type Wanted } from './unread-outputs.ts'
import type { Begin, Walk } from './walk-state.ts'

type States = Map<string, StepState>

export interface WalkedRun {
  found: Walk
  /** With what the walk found out. */
  states: States
  begins: { begin: Begin; prepared: Prepared }[]
}

/** The steps of a run as far as they decide how it goes on; what those that are over came to is not read. */
export async function readProgress(store: StoreOperations, runId: string): Promise<States> {
  const states: States = new Map()
  for (const { step, hasOutput } of await store.listWorkflowProgress(runId))
    states.set(step.path, isFinished(step) ? withoutOutput(step, { hasOutput }) : step)
  return states
}

/** Walks until nothing is missing that has to be read, which is little: each look begins little. */
export async function walkStored(
  store: StoreOperations,
  active: ActiveWorkflowRun,
  stored: States,
  walk: (states: States) => Walk,
): Promise<WalkedRun> {
  for (let lastWanted: string | undefined; ;) {
    // what a walk that broke off has found out is found out again
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
