import { conflict, invalidRequest } from '../../core/protocol/error.ts'
import type { PlanChanged } from './protocol/plan.ts'
import type { ResetNode, SkipNode } from './protocol/plan-node.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { changePlan, type NodeRef, type PlanCaller, type PlanEdit } from './change-plan.ts'
import type { PlanDeps } from './plan-service.ts'
import { markStale } from './mark-stale.ts'
import { isUndone } from './plan-step.ts'
import { unblock, wakeOthers } from './unblock.ts'

/** Skips a node: it counts as done for those that wait for it. A running one is stopped by `stopLeft`. */
export async function skipNode(
  store: StoreOperations,
  { clock }: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { subtree = true, reason }: Omit<SkipNode, 'scope'>,
): Promise<PlanChanged> {
  const now = clock.now()
  const { plan, answer } = await changePlan(store, caller, planId, { action: 'skip', now }, (edit) =>
    skipNodes(edit, nodeId, { subtree, reason, mayBeRunning: true }, now),
  )
  return { version: plan.version, nodeIds: answer }
}

export async function skipNodes(
  edit: PlanEdit,
  nodeId: number,
  { subtree, reason, mayBeRunning }: { subtree: boolean; reason?: string; mayBeRunning?: boolean },
  now: number,
): Promise<number[]> {
  const open = (await nodesAt(edit, nodeId, subtree, mayBeRunning)).filter(
    ({ status }) => status !== 'completed',
  )
  if (open.length === 0) throw conflict(`Task ${nodeId} is completed: reset it first.`)
  for (const node of open) await edit.put({ ...node, status: 'skipped', reason, updatedAt: now })
  const ids = open.map(({ id }) => id)
  await resumeWaiting(edit, ids)
  return ids
}

/** Resets a node to pending and drops its result. */
export async function resetNode(
  store: StoreOperations,
  { clock }: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { subtree = true }: Omit<ResetNode, 'scope'>,
): Promise<PlanChanged> {
  const now = clock.now()
  const { plan, answer } = await changePlan(store, caller, planId, { action: 'reset', now }, async (edit) => {
    const changed = (await nodesAt(edit, nodeId, subtree)).filter(isTouched)
    const ids = changed.map(({ id }) => id)
    const states = await edit.tx.listLinks(planId)
    await markStale(edit.tx, planId, states, { changed: ids, together: ids }, async (stale) => {
      for (const node of stale) await edit.put({ ...node, updatedAt: now })
    })
    for (const {
      reason: _,
      result: _result,
      cost: _cost,
      sessionId: _session,
      runId: _run,
      ...node
    } of changed)
      await edit.put({ ...node, status: 'pending', updatedAt: now })
    return ids
  })
  return { version: plan.version, nodeIds: answer }
}

/** A pending node may have earlier attempts, as when its run was cancelled. */
const isTouched = ({ status, reason, result }: NodeRecord) =>
  status !== 'pending' || reason !== undefined || result !== undefined

/** A person accepts the node, regardless of its checks and its model. */
export async function acceptNode(
  store: StoreOperations,
  { clock }: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
): Promise<NodeRecord> {
  const now = clock.now()
  const { answer } = await changePlan(store, caller, planId, { action: 'accept', now }, async (edit) => {
    const node = await edit.require(nodeId)
    if (!isUndone(node))
      throw conflict(
        `Task ${nodeId} is ${node.status}: only one that is partial, refused or failed can be accepted.`,
      )
    if (!node.result || node.result.output.trim() === '')
      throw invalidRequest(`Task ${nodeId} came to nothing that could be accepted: skip it instead.`)
    const accepted: NodeRecord = {
      ...node,
      status: 'completed',
      reason: undefined,
      result: { ...node.result, accepted: true },
      updatedAt: now,
    }
    await edit.put(accepted)
    await resumeWaiting(edit, [nodeId])
    return accepted
  })
  return answer
}

async function nodesAt(
  edit: PlanEdit,
  nodeId: number,
  subtree: boolean,
  mayBeRunning = false,
): Promise<NodeRecord[]> {
  const node = await edit.require(nodeId)
  const nodes = subtree ? await edit.tx.listSubtree(edit.plan.id, nodeId) : [node]
  const running = mayBeRunning ? undefined : nodes.find(({ status }) => status === 'running')
  if (running) throw conflict(`Task ${running.id} is being done: stop it first.`)
  return nodes
}

export async function resumeWaiting({ tx, plan }: PlanEdit, nodeIds: readonly number[]): Promise<void> {
  await wakeOthers(tx, plan.id)
  await unblock(tx, plan.scope, plan.id, nodeIds)
}
