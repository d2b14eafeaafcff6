import { conflict, notFound } from '../../core/protocol/error.ts'
import type { DecomposePlan } from './protocol/plan-run.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './plan-service.ts'
import type { PlanRef, StartRun } from './start-execution.ts'

/** Starts the decomposition of a plan or a node into smaller ones. */
export async function startDecomposition(
  tx: StoreOperations,
  deps: PlanDeps,
  { scope, planId }: PlanRef,
  { nodeId, ...wish }: Omit<DecomposePlan, 'scope'>,
  { startRun, hint = 'allowExistingChildren' }: { startRun: StartRun; hint?: string },
): Promise<string> {
  if (wish.model !== undefined) deps.requireModel(wish.model)
  const plan = await tx.lockPlan(scope, planId)
  const node = nodeId === undefined ? undefined : await tx.getNode(planId, nodeId)
  if (nodeId !== undefined && !node) throw notFound('task', String(nodeId))
  const children = await tx.listChildren(planId, nodeId ?? 0, { limit: 1 })
  if (children.length > 0 && !wish.allowExistingChildren)
    throw conflict(
      `${node ? `Task ${node.id}` : 'The plan'} has tasks below it already: say "${hint}" to add to them.`,
    )
  return startRun({
    scope,
    planId,
    title: plan.title,
    input: { type: 'decompose', planId, ...wish },
    steps: [
      {
        number: 1,
        type: 'expand',
        nodeId,
        status: 'pending',
        attempts: 0,
        details: { title: node?.name ?? plan.title, depth: 0 },
      },
    ],
  })
}
