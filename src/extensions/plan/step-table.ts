import { settleStep as settle, type StepTable } from '../../core/orchestrator/steps.ts'
import type { TaskResult } from '../../core/protocol/background.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Step } from './plan-step.ts'

export const stepTable: StepTable<Step> = {
  put: (tx, runId, steps) => tx.putPlanSteps(runId, steps),
  async emit(tx, { id, scope, sessionId }, { number, status, nodeId }) {
    await tx.recordEvent(scope, { type: 'plan-step', sessionId, data: { runId: id, number, status, nodeId } })
  },
  findOfTask: (tx, taskRunId) =>
    tx.findPlanStepOfTask(taskRunId) as Promise<{ runId: string; step: Step } | undefined>,
}

/** Last in its transaction, as every event. */
export async function emitNode(
  tx: StoreOperations,
  scope: string,
  planId: string,
  { id, status, sessionId }: Pick<NodeRecord, 'id' | 'status' | 'sessionId'>,
): Promise<void> {
  await tx.recordEvent(scope, { type: 'plan-node', sessionId, data: { planId, nodeId: id, status } })
}

/** When the session of a node ends: what it came to and the run that waits for it, in the transaction of the end. */
export async function settlePlanTask(
  tx: StoreOperations,
  { bgMeta }: Session,
  result: TaskResult,
): Promise<void> {
  if (bgMeta?.source === 'plan') await settleStep(tx, result.runId, result)
}

/** Stores a result with the step that a run was started for; the run of that step interprets it. */
export const settleStep = (tx: StoreOperations, taskRunId: string, result: unknown): Promise<void> =>
  settle(tx, stepTable, taskRunId, async () => {
    // what was noted in it meanwhile stays
    const now = await stepTable.findOfTask(tx, taskRunId)
    if (now) await stepTable.put(tx, now.runId, [{ ...now.step, result }])
  })
