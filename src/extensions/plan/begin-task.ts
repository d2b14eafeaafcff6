import type { ActiveRun } from '../../core/orchestrator/orchestrate.ts'
import { beginStep, startStepTask, type NotBegun } from '../../core/orchestrator/steps.ts'
import type { TaskRequest } from '../../core/protocol/background.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './plan-service.ts'
import type { Step } from './plan-step.ts'
import { stepTable } from './step-table.ts'

export interface TaskWish {
  request: TaskRequest
  title: string
  /** Where the node stands in its plan. */
  plan: string
}

/** Somebody else has changed the node since it was read. */
export class Outdated extends Error {}

/** The limit of running nodes of the plan is reached, by this run or by others. */
export class Crowded extends Error {}

/** Starts a background session for a step. The plan is locked first and the scope last, as everywhere. */
export const beginTask = (
  { store, clock, background, limits }: PlanDeps,
  active: ActiveRun,
  step: Step,
  { request, title, plan }: TaskWish,
  { planId, keep }: { planId: string; keep?: (tx: StoreOperations, task: Run) => Promise<void> },
): Promise<{ step: Step } | NotBegun> =>
  beginStep(store, stepTable, active, {
    async start(tx) {
      await tx.lockPlan(active.run.scope, planId)
      const timed = { timeoutMs: limits.nodeTimeoutMs, ...request }
      // models write instructions too: naming a file must not pull it into the prompt
      const turn = { plan, referencesIn: '' }
      return startStepTask(tx, background, active.run, timed, { title, turn })
    },
    toStep: ({ session, run }) => ({
      ...step,
      status: 'running',
      attempts: step.attempts + 1,
      result: undefined,
      error: undefined,
      wakeAt: undefined,
      sessionId: session.id,
      taskRunId: run.id,
      startedAt: step.startedAt ?? clock.now(),
    }),
    keep,
  })
