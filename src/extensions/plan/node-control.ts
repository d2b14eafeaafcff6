import { toTurnInput } from '../../core/chat/send-message.ts'
import { conflict, notFound } from '../../core/protocol/error.ts'
import type { DoneNode, MessageNode, NodeChanged, PlanNode } from './protocol/plan-node.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { changePlan, type NodeRef, type PlanCaller } from './change-plan.ts'
import type { PlanDeps } from './plan-service.ts'
import { auditEdit } from './edit-nodes.ts'
import { findNodePlace, toPlanNode } from './plan-record.ts'
import { markStale } from './mark-stale.ts'
import { resumeWaiting } from './node-status.ts'

/** Ends the session of a node; its run continues with what does not wait for it. */
export async function stopNode(
  deps: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
): Promise<PlanNode> {
  const { store } = deps
  const { sessionId } = await requireRunning(store, caller, { planId, nodeId }, 'stopped')
  await auditEdit(store, caller, planId, { action: 'stop', nodes: [nodeId] })
  await deps.background.cancel(caller.scope, sessionId)
  return toPublic(store, planId, await requireNode(store, planId, nodeId))
}

/** Sends a message to the session of a running node, which reads it between two steps. */
export function messageNode(
  store: StoreOperations,
  deps: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { content }: Omit<MessageNode, 'scope'>,
): Promise<PlanNode> {
  return store.transaction(async (tx) => {
    const { sessionId, node } = await requireRunning(tx, caller, { planId, nodeId }, 'told something')
    const open = (await tx.listOpenRuns(sessionId)).find(({ id }) => id === node.runId)
    if (!open) throw conflict(`Task ${nodeId} has just ended.`)
    const payload = toTurnInput({ content }, deps.ids)
    const item = { dedupeKey: payload.message.id, payload }
    const isDelivered =
      open.status === 'queued'
        ? await tx.deliver(sessionId, { kind: 'steer', ...item })
        : await tx.steerRun(open, item)
    if (!isDelivered) throw conflict(`Task ${nodeId} has just ended.`)
    await auditEdit(tx, caller, planId, { action: 'message', nodes: [nodeId] })
    return toPublic(tx, planId, node)
  })
}

/** Marks a node as done by a person: the note is its result. Open nodes below it are skipped. */
export async function markDone(
  store: StoreOperations,
  deps: PlanDeps,
  caller: PlanCaller,
  { planId, nodeId }: NodeRef,
  { note }: Omit<DoneNode, 'scope'>,
): Promise<NodeChanged> {
  const now = deps.clock.now()
  const { plan, answer } = await changePlan(store, caller, planId, { action: 'done', now }, async (edit) => {
    const { tx } = edit
    const [node, ...below] = await tx.listSubtree(planId, nodeId)
    if (!node) throw notFound('node', String(nodeId))
    const states = await tx.listLinks(planId)
    const open = below.filter(({ status }) => status !== 'completed' && status !== 'skipped')
    const together = [nodeId, ...open.map(({ id }) => id)]
    await markStale(tx, planId, states, { changed: [nodeId], together }, async (stale) => {
      for (const one of stale) await edit.put({ ...one, updatedAt: now })
    })
    for (const child of open)
      await edit.put({
        ...child,
        status: 'skipped',
        reason: `Task ${nodeId} was done by a person.`,
        updatedAt: now,
      })
    const done = await edit.put({
      ...node,
      status: 'completed',
      reason: undefined,
      result: { status: 'success', output: note, source: 'person' },
      updatedAt: now,
    })
    await auditEdit(tx, caller, planId, { action: 'done', nodes: together.slice(0, 100) })
    await resumeWaiting(edit, together)
    return toPublic(tx, planId, done)
  })
  return { version: plan.version, node: answer }
}

/** After a person has skipped or done a node: ends the sessions of it and of what is below it, and drops their results. */
export async function stopLeft(
  deps: PlanDeps,
  { scope }: Pick<PlanCaller, 'scope'>,
  { planId, nodeId }: NodeRef,
): Promise<void> {
  for (const { status, sessionId } of await deps.store.listSubtree(planId, nodeId)) {
    if (status === 'running' || sessionId === undefined) continue
    const open = await deps.store.listOpenRuns(sessionId)
    if (open.some(({ kind }) => kind === 'background')) await deps.background.cancel(scope, sessionId)
  }
}

async function requireRunning(
  store: StoreOperations,
  { scope }: PlanCaller,
  { planId, nodeId }: NodeRef,
  what: string,
): Promise<{ sessionId: string; node: NodeRecord }> {
  await store.requirePlan(scope, planId)
  const node = await requireNode(store, planId, nodeId)
  const { status, sessionId } = node
  if (status !== 'running' || sessionId === undefined)
    throw conflict(`Task ${nodeId} is ${status}: only one that is being done can be ${what}.`, { status })
  return { sessionId, node }
}

async function requireNode(store: StoreOperations, planId: string, nodeId: number): Promise<NodeRecord> {
  const node = await store.getNode(planId, nodeId)
  if (!node) throw notFound('node', String(nodeId))
  return node
}

const toPublic = async (store: StoreOperations, planId: string, node: NodeRecord): Promise<PlanNode> =>
  toPlanNode(node, await findNodePlace(store, planId, node))
