import type { PlanDeps } from './plan-service.ts'
import type { ActivePlanRun } from './active-run.ts'
import type { Step } from './plan-step.ts'
import { emitNode } from './step-table.ts'

// others get to work on the plan in between
const maxAtOnce = 200

/**
 * Stores why nodes cannot be done before something else changes. Those that wait for others among them come first:
 * after a crash the same reasons are found for the rest. False when the run was stopped meanwhile.
 */
export async function blockNodes(
  { store, clock }: PlanDeps,
  { run, lease, input: { planId }, signal }: ActivePlanRun<'execute'>,
  blocked: ReadonlyMap<number, string>,
): Promise<boolean> {
  const last = await store.getLastPlanStep(run.id)
  const nodes = [...blocked]
    .map(([id, reason], index) => ({ id, reason, number: last + 1 + index }))
    .toReversed()
  for (let start = 0; start < nodes.length; start += maxAtOnce) {
    if (signal.aborted) return false
    const some = nodes.slice(start, start + maxAtOnce)
    const known = new Map(some.map((node) => [node.id, node]))
    await store.transaction(async (tx) => {
      if (!(await tx.lockPlanIfThere(run.scope, planId))) return
      await tx.holdRun(lease)
      const now = clock.now()
      const changed = await tx.blockNodes(planId, some, now)
      const steps = changed.map(({ id, name }): Step => ({
        number: known.get(id)!.number,
        type: 'node',
        nodeId: id,
        status: 'skipped',
        attempts: 0,
        details: { title: name },
        message: known.get(id)!.reason,
        finishedAt: now,
      }))
      await tx.putPlanSteps(run.id, steps)
      for (const node of changed) await emitNode(tx, run.scope, planId, { ...node, status: 'blocked' })
    })
  }
  return true
}
