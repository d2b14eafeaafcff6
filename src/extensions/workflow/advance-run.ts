/** What a workflow run does each time a node claims it; waiting, waking and ending are common to all orchestrations. */
import type { ActiveRun, Advanced } from '../../core/orchestrator/orchestrate.ts'
import { createSteppedRuns, type SteppedRuns } from '../../core/orchestrator/stepped-runs.ts'
import { isRefused } from '../../core/orchestrator/steps.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { beginStep, type ActiveWorkflowRun } from './begin-step.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import { walkStored, readProgress } from './walk-stored-run.ts'
import { askQuestion, takeAnswers } from './questions.ts'
import { onRunEnd, toOutcome, type RunEnd } from './settle-run.ts'
import type { WorkflowInput } from './start-run.ts'
import { isFinished, type StepState } from './step-state.ts'
import { stepTable } from './step-table.ts'
import { walk } from './walk.ts'
import type { Link, Walk } from './walk-state.ts'

export const createAdvance = (deps: WorkflowDeps): SteppedRuns =>
  createSteppedRuns<ActiveRun, RunEnd>({
    name: 'workflow',
    store: deps.store,
    clock: deps.clock,
    background: deps.background,
    load: async (execution) => execution,
    advance: (active) => advance(deps, active),
    toEnd: ({ status, message }) => ({
      status,
      error: message ?? (status === 'timeout' ? 'The whole run took too long.' : 'It was cancelled.'),
      failedSteps: [],
    }),
    // such as one step too many
    isRefusal: isRefused,
    toOutcome,
    onEnd: (tx, run, end) => onRunEnd(tx, deps, run, end),
  })

/** Walks from what is stored, begins what comes next, and does what is linked with steps that are completed. */
async function advance(deps: WorkflowDeps, { run, lease, signal }: ActiveRun): Promise<Advanced<RunEnd>> {
  const { store, clock, limits } = deps
  const { text, args } = run.input as WorkflowInput
  const active: ActiveWorkflowRun = { run, lease, signal, definition: deps.definitions.read(text) }
  const now = clock.now()
  const stored = await readProgress(store, run.id)
  await takeAnswers(store, stored, active, now)
  const { found, states, begins } = await walkStored(store, active, stored, (known) =>
    walk({ definition: active.definition, args, states: known, now, limits }),
  )
  if (found.changed.size + found.noted.size > 0)
    await store.transaction((tx) => keepChanged(tx, active, found))
  let isFull = false
  let hasMore = false
  for (const { begin, prepared } of begins) {
    // when there is no free slot for one, there is none for the next
    if (isFull && begin.step.type === 'agent') continue
    const begun = await beginStep(deps, active, begin, prepared)
    if (begun === 'full') isFull = true
    else if (isFinished(begun)) hasMore = true
  }
  for (const link of found.links) {
    await doLinked(deps, active, link)
    hasMore = true
  }
  if (found.end) return { end: found.end }
  if (hasMore) return 'more'
  if (isFull) return 'full'
  const stopsClock = active.definition.config?.countsPauses !== true && isPaused(states, found)
  return { wakeAt: found.wakeAt, stopsClock }
}

async function keepChanged(
  tx: StoreOperations,
  active: ActiveWorkflowRun,
  { changed, noted, passed }: Walk,
): Promise<void> {
  const { run, lease } = active
  await tx.holdRun(lease)
  const states: StepState[] = []
  for (const state of changed.values())
    states.push(state.status === 'paused' ? await askQuestion(tx, active, state) : state)
  await tx.putWorkflowSteps(run.id, [...states, ...noted.values()])
  await tx.passWorkflowSteps(run.id, passed)
  for (const state of states) await stepTable.emit(tx, run, state)
}

/** Each in a transaction with the count of those done: none is done twice, and a failure does not block the others. */
async function doLinked(
  deps: WorkflowDeps,
  { run, lease }: ActiveWorkflowRun,
  { state, actions }: Link,
): Promise<void> {
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
        if (!isRefused(error)) throw error
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

/** Nothing is running; the run only waits for a person. */
function isPaused(states: Map<string, StepState>, { begins }: Walk): boolean {
  if (begins.length > 0) return false
  const open = [...states.values()].filter((state) => !isFinished(state))
  const isRunning = ({ type, status }: StepState) =>
    status !== 'paused' && (type === 'agent' || type === 'workflow')
  return open.some(({ status }) => status === 'paused') && !open.some(isRunning)
}
