import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { StepState } from './step-state.ts'

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellStep(
  tx: StoreOperations,
  { id, scope, sessionId }: Pick<Run, 'id' | 'scope' | 'sessionId'>,
  { path, status }: Pick<StepState, 'path' | 'status'>,
): Promise<void> {
  await tx.recordEvent(scope, { type: 'workflow-step', sessionId, data: { runId: id, path, status } })
}
