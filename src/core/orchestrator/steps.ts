import type { BgMetaInput, TaskRequest } from '../protocol/background.ts'
import type { BgMetaFacets } from '../protocol/facets.ts'
import { ParleyError } from '../protocol/error.ts'
import type { Session } from '../protocol/session.ts'
import { isLeaseLost } from '../store/queries/claims.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { BackgroundManager } from '../tasks/background-manager.ts'
import type { TriggerOptions } from '../tasks/start-task.ts'
import type { ActiveRun } from './orchestrate.ts'

type Owned = Pick<ActiveRun, 'run' | 'lease'>

/** Where the steps of a kind of run are stored. */
export interface StepTable<Step extends { status: string }> {
  put(tx: StoreOperations, runId: string, steps: readonly Step[]): Promise<void>
  /** Notifies those who follow the scope. Last in its transaction: others wait for the row of the scope. */
  emit(tx: StoreOperations, run: Run, step: Step): Promise<void>
  /** The step that a run was begun for. */
  findOfTask(tx: StoreOperations, taskRunId: string): Promise<{ runId: string; step: Step } | undefined>
}

/** Refused for good: that the run has another owner, or that the server failed, is not. */
export const isRefused = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && error.status < 500 && !isLeaseLost(error)

export const putSteps = <Step extends { status: string }>(
  store: StoreOperations,
  table: StepTable<Step>,
  { run, lease }: Owned,
  steps: readonly Step[],
): Promise<void> =>
  store.transaction(async (tx) => {
    await tx.holdRun(lease)
    await table.put(tx, run.id, steps)
    for (const step of steps) await table.emit(tx, run, step)
  })

/** What does a step: a task, or a run of the same kind. */
export interface StepTask {
  session: Session
  run: Run
}

/** That no place is free is a matter of time; what is refused will be refused again. */
export type NotBegun = 'full' | { refused: string }

/**
 * Has a step done. Its row, what does it and what `keep` stores are stored together, or nothing is: no step is begun twice.
 * `start` locks what comes before runs.
 */
export async function beginStep<Step extends { status: string }>(
  store: Store,
  table: StepTable<Step>,
  { run, lease }: Owned,
  {
    start,
    toStep,
    keep,
  }: {
    start(tx: StoreOperations): Promise<StepTask>
    toStep(task: StepTask): Step
    keep?(tx: StoreOperations, task: Run): Promise<void>
  },
): Promise<{ step: Step } | NotBegun> {
  try {
    return await store.transaction(async (tx) => {
      const task = await start(tx)
      await tx.holdRun(lease)
      const step = toStep(task)
      await table.put(tx, run.id, [step])
      await keep?.(tx, task.run)
      await table.emit(tx, run, step)
      return { step }
    })
  } catch (error) {
    return readRefusal(store, run, error)
  }
}

/** What an error means for the step that was to be begun. */
export async function readRefusal(store: Store, { scope, id }: Run, error: unknown): Promise<NotBegun> {
  if (!isRefused(error)) throw error
  if (error.code === 'too_many_requests') return 'full'
  // a run that is being stopped starts nothing; the next pass notices that
  const now = await store.getRun(scope, id)
  return now?.stopReason === undefined ? { refused: error.message } : 'full'
}

/** Starts the session that does a step; its result goes to the row of the step. */
export function startStepTask(
  tx: StoreOperations,
  background: Pick<BackgroundManager, 'triggerIn'>,
  run: Run,
  request: TaskRequest,
  { meta: facets, ...options }: { meta?: BgMetaFacets } & TriggerOptions,
): Promise<StepTask> {
  const source = run.kind as BgMetaInput['triggerType']
  const place = { triggerType: source, source, sourceId: run.id, parentSessionId: run.sessionId }
  const meta = { ...facets, ...place }
  return background.triggerIn(tx, run.scope, request, meta, {
    parentRun: run,
    isAwaited: true,
    queues: true,
    ...options,
  })
}

/** When what does a step ends, in that transaction: `takeIn` stores what came of it, and the run that waits is woken. */
export async function settleStep<Step extends { status: string }>(
  tx: StoreOperations,
  table: StepTable<Step>,
  taskRunId: string,
  takeIn: (found: { runId: string; step: Step }) => Promise<void>,
): Promise<void> {
  const found = await table.findOfTask(tx, taskRunId)
  // another attempt has taken its place
  if (found?.step.status !== 'running') return
  // the run before its steps and before events, as everywhere; what has finished stays as it ended
  if (await tx.wakeRun(found.runId)) await takeIn(found)
}
