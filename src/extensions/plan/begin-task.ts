import type { TaskRequest } from '../../core/protocol/background.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import { isLeaseLost } from '../../core/store/queries/claims.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Going } from './going.ts'
import type { PlanDeps } from './deps.ts'
import { type Step } from './step.ts'
import { tellStep } from './tell.ts'

export interface TaskWish {
  request: TaskRequest
  title: string
  /** Where the node stands in its plan. */
  plan: string
}

/** That no place is free is a matter of time; what is refused will be refused again. */
export type Begun = { step: Step } | 'full' | { refused: string }

/** Somebody else has changed the node since it was looked at. */
export class Outdated extends Error {}

/** As many nodes of the plan are being done as may be, by this run or by others. */
export class Crowded extends Error {}

/**
 * Has a step done by a background session. What the step is, what `keep` stores with it and its run are stored together,
 * or nothing is: no node is begun twice. The plan is locked first and the scope last, here as everywhere.
 */
export async function beginTask(
  deps: PlanDeps,
  going: Pick<Going, 'run' | 'lease'>,
  step: Step,
  { request, title, plan }: TaskWish,
  { planId, keep }: { planId: string; keep?: (tx: StoreOperations, task: Run) => Promise<void> },
): Promise<Begun> {
  const { store, clock } = deps
  const { run, lease } = going
  try {
    return await store.transaction(async (tx) => {
      await tx.lockPlan(run.scope, planId)
      const { session, run: task } = await deps.background.triggerIn(
        tx,
        run.scope,
        { timeoutMs: deps.limits.nodeTimeoutMs, ...request },
        {
          triggerType: 'plan',
          source: 'plan',
          sourceId: run.id,
          parentSessionId: run.sessionId,
        },
        {
          parentRun: run,
          // the step is where the result goes
          isAwaited: true,
          queues: true,
          title,
          // models write instructions too: naming a file must not pull it into the prompt
          turn: { plan, referencesIn: '' },
        },
      )
      await tx.holdRun(lease)
      const begun: Step = {
        ...step,
        status: 'running',
        attempts: step.attempts + 1,
        result: undefined,
        error: undefined,
        wakeAt: undefined,
        sessionId: session.id,
        taskRunId: task.id,
        startedAt: step.startedAt ?? clock.now(),
      }
      await tx.putPlanSteps(run.id, [begun])
      await keep?.(tx, task)
      await tellStep(tx, run, begun)
      return { step: begun }
    })
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status >= 500 || isLeaseLost(error)) throw error
    if (error.code === 'too_many_requests') return 'full'
    // what was told to stop starts nothing; that is seen at the next look
    const now = await store.getRun(run.scope, run.id)
    if (now?.stopReason !== undefined) return 'full'
    return { refused: error.message }
  }
}
