import type { TaskResult } from '../../core/protocol/background.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** When the session of a node ends: what it came to and the run that waits for it, in the transaction of the end. */
export async function settlePlanTask(
  tx: StoreOperations,
  { bgMeta }: Session,
  result: TaskResult,
): Promise<void> {
  if (bgMeta?.source === 'plan') await settleStep(tx, result.runId, result)
}

/** Hands a result to the step that a run was begun for; the run of that step decides what it means. */
export async function settleStep(tx: StoreOperations, taskRunId: string, result: unknown): Promise<void> {
  const found = await tx.findPlanStepOfTask(taskRunId)
  // another try has taken its place
  if (found?.step.status !== 'running') return
  // the run before its steps, as everywhere; what is over stays as it ended
  if (!(await tx.wakeRun(found.runId))) return
  // what was noted in it meanwhile stays
  const now = await tx.findPlanStepOfTask(taskRunId)
  if (now) await tx.putPlanSteps(now.runId, [{ ...now.step, result }])
}
