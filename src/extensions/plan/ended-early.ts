import type { TaskResult } from '../../core/protocol/background.ts'
import type { NodeRecord } from './store/plans.ts'
import type { ActivePlanRun } from './active-run.ts'
import type { PlanDeps } from './plan-service.ts'
import { budgetWords, isOutOfBudget } from './run-budget.ts'
import type { Step } from './plan-step.ts'
import { emitNode, stepTable } from './step-table.ts'
import { wakeOthers } from './unblock.ts'

/** Why a node was not done although nothing is wrong with it: it is not a failure, and not tried again. */
export async function findEarlyEnd(
  { store }: PlanDeps,
  { run }: ActivePlanRun<'execute'>,
  { taskRunId }: Step,
  node: NodeRecord | undefined,
  { status }: TaskResult,
): Promise<Step['details']['endedBy']> {
  const isOurs = node?.status === 'running' && node.runId === taskRunId
  if (status === 'cancelled' && !isOurs) return 'person'
  return (await isOutOfBudget(store, run, taskRunId)) ? 'budget' : undefined
}

const words = { budget: budgetWords, person: 'A person has decided otherwise meanwhile.' }

/** The node waits as it did before, unless a person has made something else of it. */
export async function endEarly(
  { store, clock }: PlanDeps,
  { run, lease, input }: ActivePlanRun<'execute'>,
  step: Step,
  endedBy: NonNullable<Step['details']['endedBy']>,
): Promise<void> {
  const { planId } = input
  const now = clock.now()
  const ended: Step = {
    ...step,
    status: 'cancelled',
    result: undefined,
    message: words[endedBy],
    details: { ...step.details, endedBy },
    finishedAt: now,
  }
  await store.transaction(async (tx) => {
    const isThere = await tx.lockPlanIfThere(run.scope, planId)
    await tx.holdRun(lease)
    await tx.putPlanSteps(run.id, [ended])
    const node = isThere ? await tx.getNode(planId, step.nodeId!) : undefined
    if (node?.status === 'running' && node.runId === step.taskRunId) {
      const { cost } = step.details
      const waiting: NodeRecord = { ...node, status: 'pending', reason: words[endedBy], cost, updatedAt: now }
      await tx.putNodeState(planId, waiting)
      await wakeOthers(tx, planId, run.id)
      await emitNode(tx, run.scope, planId, waiting)
    }
    await stepTable.emit(tx, run, ended)
  })
}
