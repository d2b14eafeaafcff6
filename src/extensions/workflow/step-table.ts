import { settleStep as settle, type StepTable } from '../../core/orchestrator/steps.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import { tryDefinition } from './read-definition.ts'
import type { WorkflowInput } from './start-run.ts'
import { cutOutput, type StepState } from './step-state.ts'

export const stepTable: StepTable<StepState> = {
  put: (tx, runId, steps) => tx.putWorkflowSteps(runId, steps),
  async emit(tx, { id, scope, sessionId }, { path, status }) {
    await tx.recordEvent(scope, { type: 'workflow-step', sessionId, data: { runId: id, path, status } })
  },
  findOfTask: (tx, taskRunId) => tx.findStepOfTask(taskRunId),
}

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
export const settleStepOf = (
  tx: StoreOperations,
  { clock, limits }: SettleDeps,
  scope: string,
  result: TaskResult,
): Promise<void> =>
  settle(tx, stepTable, result.runId, async ({ runId, step }) => {
    const run = await tx.getRun(scope, runId)
    if (!run) return
    const config = tryDefinition((run.input as WorkflowInput).text)?.config
    const maxOutput = config?.maxStepOutputChars ?? limits.maxStepOutputChars
    const state = toState(step, result, maxOutput, clock.now())
    await stepTable.put(tx, runId, [state])
    await stepTable.emit(tx, run, state)
  })

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
