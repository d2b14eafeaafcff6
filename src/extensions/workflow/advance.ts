/**
 * Takes runs of workflows on: each time somebody claims one, it does what can be done now, and lets go of it until a step
 * ends, a person answers or a time comes. Everything it knows is stored; a crash at any line costs nothing but the claim.
 */
import type { Execution } from '../../core/runs/in-process.ts'
import type { RunKind } from '../../core/runs/run-engine.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import { whyStopped } from '../../core/runs/why-stopped.ts'
import { earliest } from '../../core/shared/earliest.ts'
import { isLeaseLost } from '../../core/store/queries/claims.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { beginStep, type Going } from './begin-step.ts'
import { cancelBelow, cancelRun } from './cancel.ts'
import type { WorkflowDeps } from './deps.ts'
import { look, readProgress } from './look.ts'
import { askQuestion, takeAnswers } from './questions.ts'
import { readDefinition } from './read-definition.ts'
import { settleQueued, settleRun, type RunEnd } from './settle-run.ts'
import type { WorkflowInput } from './start.ts'
import { isOver, type StepState } from './step-state.ts'
import { tellStep } from './tell.ts'
import { walk } from './walk.ts'
import type { Link, Walk, WalkFacts } from './walking.ts'

// no place among those that wait: looked at again after this
const fullWaitMs = 1_000

export function createAdvance(deps: WorkflowDeps): RunKind {
  const { store, clock, limits } = deps

  return {
    async execute({ run, lease, signal }) {
      const { text, args } = run.input as WorkflowInput
      const going: Going = { run, lease, definition: readDefinition(text) }
      for (;;) {
        const end = endedBy(signal, run)
        if (end) return finish(deps, going, end)
        const now = clock.now()
        const stored = await readProgress(store, run.id)
        await takeAnswers(store, stored, going, now)
        const { found, states, begins } = await look(store, going, stored, (known) =>
          tryWalk({ definition: going.definition, args, states: known, now, limits }),
        )
        if (found.changed.size + found.noted.size > 0)
          await store.transaction((tx) => keepChanged(tx, going, found))
        let isFull = false
        let hasMore = false
        for (const { begin, prepared } of begins) {
          // where no place was free for one, there is none for the next
          if (isFull && begin.step.type === 'agent') continue
          const begun = await beginStep(deps, going, begin, prepared)
          if (begun === 'full') isFull = true
          else if (isOver(begun)) hasMore = true
        }
        for (const link of found.links) {
          await doLinked(deps, going, link)
          hasMore = true
        }
        if (found.end) return finish(deps, going, found.end)
        if (hasMore || signal.aborted) continue
        const wakeAt = isFull ? now + fullWaitMs : found.wakeAt
        const stopsClock = going.definition.config?.countsPauses !== true && isPaused(states, found)
        await store.parkRun(lease, {
          wakeAt: earliest(wakeAt, stopsClock ? undefined : run.deadlineAt),
          stopsClock,
        })
        return 'waits'
      }
    },

    async giveUp({ run, lease }, { code, message }) {
      const status = code === 'interrupted' ? 'interrupted' : 'failed'
      await finish(deps, { run, lease }, { status, error: message, failedSteps: [] })
    },

    cancel: (tx, run) => cancelRun(deps, run, tx),
    end: (tx, run) => settleQueued(tx, deps, run),
  }
}

async function keepChanged(
  tx: StoreOperations,
  going: Going,
  { changed, noted, passed }: Walk,
): Promise<void> {
  const { run, lease } = going
  await tx.holdRun(lease)
  const states: StepState[] = []
  for (const state of changed.values())
    states.push(state.status === 'paused' ? await askQuestion(tx, going, state) : state)
  await tx.putWorkflowSteps(run.id, [...states, ...noted.values()])
  await tx.passWorkflowSteps(run.id, passed)
  for (const state of states) await tellStep(tx, run, state)
}

/** What is refused on the way, such as one step too many, is the end of the run. */
function tryWalk(facts: WalkFacts): Walk {
  try {
    return walk(facts)
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status >= 500) throw error
    const end: Walk['end'] = { status: 'failed', error: error.message, failedSteps: [] }
    return { changed: new Map(), begins: [], links: [], noted: new Map(), passed: [], end }
  }
}

/** Why the run may not go on. */
function endedBy(signal: AbortSignal, run: Execution['run']): RunEnd | undefined {
  const status = whyStopped(signal, run)
  if (!status) return undefined
  const error = status === 'timeout' ? 'The whole run took too long.' : 'It was cancelled.'
  return { status, error, failedSteps: [] }
}

async function finish(deps: WorkflowDeps, going: Pick<Going, 'run' | 'lease'>, end: RunEnd): Promise<void> {
  // after a crash between this and the end, both are done again
  await cancelBelow(deps, going.run)
  await deps.store.transaction((tx) => settleRun(tx, deps, going, end))
}

/** Each in a transaction with the count of those done: none is done twice, and one that fails keeps no other back. */
async function doLinked(deps: WorkflowDeps, { run, lease }: Going, { state, actions }: Link): Promise<void> {
  let current = state
  for (const action of actions) {
    const done = { ...current, linked: current.linked + 1 }
    current = await deps.store
      .transaction(async (tx) => {
        await tx.holdRun(lease)
        await tx.putWorkflowSteps(run.id, [done])
        await deps.doLinkedAction(tx, run, action)
        return done
      })
      .catch(async (error: unknown) => {
        if (!(error instanceof ParleyError) || error.status >= 500 || isLeaseLost(error)) throw error
        const linkErrors = [...(done.details.linkErrors ?? []), `${action.type}: ${error.message}`]
        const noted = { ...done, details: { ...done.details, linkErrors } }
        await deps.store.transaction(async (tx) => {
          await tx.holdRun(lease)
          await tx.putWorkflowSteps(run.id, [noted])
        })
        return noted
      })
  }
}

/** Nothing goes on but the wait for a person. */
function isPaused(states: Map<string, StepState>, { begins }: Walk): boolean {
  if (begins.length > 0) return false
  const open = [...states.values()].filter((state) => !isOver(state))
  const isGoing = ({ type, status }: StepState) =>
    status !== 'paused' && (type === 'agent' || type === 'workflow')
  return open.some(({ status }) => status === 'paused') && !open.some(isGoing)
}
