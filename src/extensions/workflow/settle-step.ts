import type { TaskResult } from '../../core/protocol/background.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './deps.ts'
import { tryDefinition } from './read-definition.ts'
import type { WorkflowInput } from './start.ts'
import type { StepState } from './step-state.ts'
import { tellStep } from './tell.ts'
import { cutOutput } from './step-state.ts'

type SettleDeps = Pick<WorkflowDeps, 'clock' | 'limits'>

/** When the session of a step ends: its result and the run that waits for it, in the transaction of the end. */
export async function settleStep(
  tx: StoreOperations,
  deps: SettleDeps,
  { scope, bgMeta }: Session,
  result: TaskResult,
): Promise<void> {
  if (bgMeta?.source === 'workflow') await settleStepOf(tx, deps, scope, result)
}

/** The step that the run of the result was begun for. */
export async function settleStepOf(
  tx: StoreOperations,
  { clock, limits }: SettleDeps,
  scope: string,
  result: TaskResult,
): Promise<void> {
  const found = await tx.findStepOfTask(result.runId)
  // another attempt has taken its place
  if (found?.step.status !== 'running') return
  // before the event, as everywhere: whoever begins a step holds the run first; what is over stays as it ended
  if (!(await tx.wakeRun(found.runId))) return
  const run = await tx.getRun(scope, found.runId)
  if (!run) return
  const config = tryDefinition((run.input as WorkflowInput).text)?.config
  const maxOutput = config?.maxStepOutputChars ?? limits.maxStepOutputChars
  const state = toState(found.step, result, maxOutput, clock.now())
  await tx.putWorkflowSteps(found.runId, [state])
  await tellStep(tx, run, state)
}

function toState(
  step: StepState,
  { status, output, structuredData, artifacts, degraded, error }: TaskResult,
  maxOutput: number,
  now: number,
): StepState {
  const isDone = status === 'success' || status === 'partial'
  return {
    ...step,
    status: isDone ? 'completed' : status === 'timeout' || status === 'cancelled' ? status : 'failed',
    output: cutOutput(output, maxOutput),
    data: structuredData,
    details: { ...step.details, ...(artifacts && { artifacts }), ...(degraded && { degraded }) },
    error: isDone ? undefined : (error ?? (output || `It ended as ${status}.`)),
    finishedAt: now,
  }
}
