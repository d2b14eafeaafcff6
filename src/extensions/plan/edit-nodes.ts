import { invalidRequest } from '../../core/protocol/error.ts'
import type { PlanChanged } from './protocol/plan.ts'
import type { CreateNode, MoveNode, NodeChanged, UpdateNode } from './protocol/plan-node.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { changePlan, idOf, type NodeRef, type PlanCaller, type PlanEdit } from './change-plan.ts'
import { addNode, deleteNode, moveNode, updateNode } from './nodes.ts'
import { findNodePlace, toPlanNode } from './plan-record.ts'
import { readPlace } from './node-position.ts'

export interface EditDeps {
  clock: Clock
}

export function addPlanNode(
  store: StoreOperations,
  deps: EditDeps,
  caller: PlanCaller,
  planId: string,
  { name, parentId, position, before, after, baseVersion, ...facts }: Omit<CreateNode, 'scope'>,
): Promise<NodeChanged> {
  return editNode(store, deps, caller, { planId, action: 'add', baseVersion }, async (edit, now) => {
    const place = await readPlace(edit, { parentId, position, before, after })
    return addNode(edit, { name, ...toFacts(facts) }, place, now)
  })
}

export function updatePlanNode(
  store: StoreOperations,
  deps: EditDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { baseVersion, ...patch }: Omit<UpdateNode, 'scope'>,
): Promise<NodeChanged> {
  return editNode(store, deps, caller, { planId, action: 'update', baseVersion }, (edit, now) =>
    updateNode(edit, nodeId, toFacts(patch), now),
  )
}

export function movePlanNode(
  store: StoreOperations,
  deps: EditDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { baseVersion, ...wish }: Omit<MoveNode, 'scope'>,
): Promise<NodeChanged> {
  if (Object.values(wish).every((value) => value === undefined))
    throw invalidRequest('Say where the node goes: "parentId", "position", "before" or "after".')
  return editNode(store, deps, caller, { planId, action: 'move', baseVersion }, async (edit, now) => {
    const { parentId } = await edit.require(nodeId)
    return moveNode(edit, nodeId, await readPlace(edit, wish, { otherwise: parentId }), now)
  })
}

export async function deletePlanNode(
  store: StoreOperations,
  deps: EditDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { baseVersion }: { baseVersion?: number },
): Promise<PlanChanged> {
  const { plan, answer } = await editTree(
    store,
    deps,
    caller,
    { planId, action: 'delete', baseVersion },
    (edit, now) => deleteNode(edit, nodeId, now),
  )
  return { version: plan.version, nodeIds: answer.map(({ id }) => id) }
}

/** The audit lists the first nodes of a large change. */
export const shownNodes = 100

interface Edited {
  planId: string
  action: string
  baseVersion?: number
}

async function editNode(
  store: StoreOperations,
  deps: EditDeps,
  caller: PlanCaller,
  edited: Edited,
  work: (edit: PlanEdit, now: number) => Promise<NodeRecord>,
): Promise<NodeChanged> {
  const { plan, answer } = await editTree(store, deps, caller, edited, async (edit, now) => {
    const node = await work(edit, now)
    return toPlanNode(node, await findNodePlace(edit.tx, edited.planId, node))
  })
  return { version: plan.version, node: answer }
}

/** A requested change, with its audit record. */
export function editTree<Answer>(
  store: StoreOperations,
  { clock }: EditDeps,
  caller: PlanCaller,
  { planId, action, baseVersion }: Edited,
  work: (edit: PlanEdit, now: number) => Promise<Answer>,
) {
  const now = clock.now()
  return changePlan(store, caller, planId, { action, baseVersion, now }, async (edit) => {
    const answer = await work(edit, now)
    if (!edit.isEmpty)
      await auditEdit(edit.tx, caller, planId, { action, nodes: edit.changes.slice(0, shownNodes).map(idOf) })
    return answer
  })
}

export const auditEdit = (
  tx: StoreOperations,
  { scope, actor, sessionId }: PlanCaller,
  planId: string,
  detail: Record<string, unknown>,
) =>
  tx.recordAudit(scope, {
    actor,
    action: 'update',
    resourceType: 'plan',
    resourceId: planId,
    sessionId,
    detail,
  })

/** Fields that are not sent stay; null and an empty list remove a value. */
function toFacts<Given extends Partial<Omit<UpdateNode, 'scope' | 'baseVersion'>>>({
  context,
  acceptance,
  ...given
}: Given) {
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Omit<
      Given,
      'context' | 'acceptance'
    >),
    ...(context !== undefined && { context: context ?? undefined }),
    ...(acceptance && { acceptance: acceptance.length > 0 ? acceptance : undefined }),
  }
}
