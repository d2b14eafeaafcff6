import { notFound } from '../../core/protocol/error.ts'
import type {
  OutlineQuery,
  PlanOutline,
  PlanResults,
  PlanResultsQuery,
  PlanTree,
  TreeQuery,
} from './protocol/plan.ts'
import type { PlanNode, TreeNode } from './protocol/plan-node.ts'
import type { NodeRecord, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanCaller } from './change-plan.ts'
import { outlineOf } from './outline.ts'
import { findNodePlace, toPlanNode, toPlans, toTreeNode } from './plan-record.ts'

type Reader = Pick<PlanCaller, 'scope'>

// a plan may be changed all the time while it is worked on
const maxReads = 3

/** What is read of a plan belongs to the returned version, or at worst to a later one. */
export async function readPlan<Answer>(
  store: StoreOperations,
  { scope }: Reader,
  planId: string,
  read: (plan: PlanRecord) => Promise<Answer>,
): Promise<{ plan: PlanRecord; answer: Answer }> {
  for (let attempt = 1; ; attempt++) {
    const plan = await store.requirePlan(scope, planId)
    const answer = await read(plan)
    const { version } = await store.requirePlan(scope, planId)
    if (version === plan.version || attempt === maxReads) return { plan, answer }
  }
}

/** The whole plan, or a node with what is below it, in one read. */
export async function readTree(
  store: StoreOperations,
  reader: Reader,
  planId: string,
  { node: start, maxDepth = Infinity }: Omit<TreeQuery, 'scope'>,
): Promise<PlanTree> {
  const { plan, answer } = await readPlan(store, reader, planId, async () =>
    start === undefined
      ? inTreeOrder(await store.listNodes(planId), 0, 0, maxDepth)
      : readBelow(store, planId, start, maxDepth),
  )
  return { plan: (await toPlans(store, [plan]))[0]!, nodes: answer }
}

async function readBelow(
  store: StoreOperations,
  planId: string,
  start: number,
  maxDepth: number,
): Promise<TreeNode[]> {
  const nodes = await store.listSubtree(planId, start)
  const [top] = nodes
  if (!top) throw notFound('node', String(start))
  const place = await findNodePlace(store, planId, top)
  const below = inTreeOrder(nodes, start, place.depth + 1, maxDepth - 1)
  return [toTreeNode(top, place), ...below]
}

/** Parents before their children, siblings in their order; as deep as the tree is, it needs no deeper stack. */
export function* walkTree(
  nodes: readonly NodeRecord[],
  rootId: number,
): Generator<{ node: NodeRecord; level: number; position: number }> {
  const below = Map.groupBy(nodes, ({ parentId }) => parentId)
  const childrenOf = (id: number, level: number) =>
    (below.get(id) ?? [])
      .toSorted((a, b) => a.sort - b.sort)
      .map((node, position) => ({ node, level, position }))
      .toReversed()
  for (const open = childrenOf(rootId, 0); open.length > 0;) {
    const next = open.pop()!
    yield next
    for (const child of childrenOf(next.node.id, next.level + 1)) open.push(child)
  }
}

function inTreeOrder(
  nodes: readonly NodeRecord[],
  rootId: number,
  depth: number,
  maxDepth: number,
): TreeNode[] {
  const found: TreeNode[] = []
  for (const { node, level, position } of walkTree(nodes, rootId))
    if (level <= maxDepth) found.push(toTreeNode(node, { depth: depth + level, position }))
  return found
}

export async function readOutline(
  store: StoreOperations,
  reader: Reader,
  planId: string,
  bounds: Omit<OutlineQuery, 'scope'>,
): Promise<PlanOutline> {
  const { plan, answer } = await readPlan(store, reader, planId, (known) => outlineOf(store, known, bounds))
  return { version: plan.version, outline: answer }
}

export async function readNode(
  store: StoreOperations,
  { scope }: Reader,
  planId: string,
  nodeId: number,
): Promise<PlanNode> {
  await store.requirePlan(scope, planId)
  const node = await store.getNode(planId, nodeId)
  if (!node) throw notFound('node', String(nodeId))
  return toPlanNode(node, await findNodePlace(store, planId, node))
}

/** Of nodes with an outcome: a result, a failure, or a skip. */
export async function readResults(
  store: StoreOperations,
  reader: Reader,
  planId: string,
  { all = false }: Omit<PlanResultsQuery, 'scope'>,
): Promise<PlanResults> {
  const { answer: nodes } = await readPlan(store, reader, planId, () => store.listNodes(planId))
  const { byStatus = {}, cost } = (await store.countPlans([planId])).get(planId) ?? {}
  const items = [...walkTree(nodes, 0)].map(({ node }) => toResult(node))
  return {
    items: all ? items : items.filter(({ result, status }) => result || status !== 'pending'),
    counts: byStatus,
    ...(cost !== undefined && { cost }),
  }
}

const toResult = ({ id, name, status, reason, result, cost, sessionId }: NodeRecord) => ({
  nodeId: id,
  name,
  status,
  reason,
  result,
  cost,
  sessionId,
})
