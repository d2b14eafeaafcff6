import { toTimestamp } from '../../core/protocol/names.ts'
import type { Plan } from './protocol/plan.ts'
import type { PlanNode, TreeNode } from './protocol/plan-node.ts'
import type { NodeRecord, PlanCounts, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** Plans as they cross the wire, in the given order. */
export async function toPlans(store: StoreOperations, records: readonly PlanRecord[]): Promise<Plan[]> {
  const ids = records.map(({ id }) => id)
  const counts = await store.countPlans(ids)
  const runs = await store.listOpenPlanRuns(...ids)
  const activeRuns = new Map(runs.map(({ planId, runId }) => [planId, runId]))
  return records.map((record) => toPlan(record, counts.get(record.id), activeRuns.get(record.id)))
}

function toPlan(
  { lastNode: _, createdAt, updatedAt, ...record }: PlanRecord,
  { byStatus, cost }: PlanCounts = { byStatus: {} },
  activeRunId: string | undefined,
): Plan {
  return {
    ...record,
    nodeCount: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
    counts: byStatus,
    ...(cost !== undefined && { cost }),
    ...(activeRunId !== undefined && { activeRunId }),
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  }
}

/** Where a node stands. */
export interface NodePlace {
  depth: number
  position: number
}

export function toTreeNode(node: NodeRecord, { depth, position }: NodePlace): TreeNode {
  const { sort: _sort, context: _context, result, createdAt, updatedAt, ...facts } = node
  const tokens = (result?.inputTokens ?? 0) + (result?.outputTokens ?? 0)
  return {
    ...facts,
    depth,
    position,
    hasResult: result !== undefined,
    ...(result?.stale && { stale: result.stale }),
    ...(tokens > 0 && { tokens }),
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(updatedAt),
  }
}

export const toPlanNode = (node: NodeRecord, place: NodePlace): PlanNode => ({
  ...toTreeNode(node, place),
  ...(node.context && { context: node.context }),
  ...(node.result && { result: node.result }),
})

export async function findNodePlace(
  store: StoreOperations,
  planId: string,
  node: Pick<NodeRecord, 'parentId' | 'sort'>,
): Promise<NodePlace> {
  const above = node.parentId === 0 ? [] : await store.listAbove(planId, node.parentId)
  return {
    depth: above.length,
    position: await store.countChildrenBefore(planId, node.parentId, node.sort),
  }
}
