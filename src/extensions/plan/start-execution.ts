import { conflict, notFound } from '../../core/protocol/error.ts'
import type { ExecutePlan, RunNode } from './protocol/plan-run.ts'
import { doneStates, type NodeLinks, type NodeStatus } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { NodeRef } from './change-plan.ts'
import type { PlanDeps } from './plan-service.ts'
import { downstreamOf, subtreeOf } from './next-nodes.ts'
import { requireParallel } from './parallel.ts'
import { markStale } from './mark-stale.ts'
import type { PlanRunRequest } from './start-run.ts'

/** Starts a run the way the caller starts runs; returns its id. */
export type StartRun = (request: PlanRunRequest) => Promise<string>

export interface PlanRef {
  scope: string
  planId: string
}

const isDone = ({ status }: NodeLinks) => doneStates.includes(status)
const unfinished: readonly NodeStatus[] = ['partial', 'refused', 'failed', 'blocked']
const over: readonly NodeStatus[] = [...doneStates, ...unfinished]

/** An approval only covers nodes that existed when it was requested. */
interface Agreed {
  lastNode?: number
}

/** Which nodes an execution runs. */
export function chooseNodes(
  states: readonly NodeLinks[],
  { nodeId, rerun = false, lastNode = Infinity }: Pick<ExecutePlan, 'nodeId' | 'rerun'> & Agreed,
): number[] {
  if (nodeId !== undefined) requireNode(states, nodeId)
  if (states.length === 0) throw conflict('The plan has no tasks yet.')
  const within = nodeId === undefined ? undefined : subtreeOf(states, nodeId)
  const chosen = states.filter(
    (state) => state.id <= lastNode && (within?.has(state.id) ?? true) && (rerun || !isDone(state)),
  )
  if (chosen.length === 0) throw conflict('Everything is done already: say "rerun" to have it done again.')
  return chosen.map(({ id }) => id)
}

/** Starts the execution of a plan, or of a node with all below it. */
export async function startExecution(
  tx: StoreOperations,
  deps: PlanDeps,
  { scope, planId }: PlanRef,
  { nodeId, rerun = false, lastNode, ...wish }: Omit<ExecutePlan, 'scope'> & Agreed,
  startRun: StartRun,
): Promise<string> {
  const { plan, states } = await readPlan(tx, deps, { scope, planId }, wish)
  const ids = chooseNodes(states, { nodeId, rerun, lastNode })
  await markStale(tx, planId, states, { changed: ids, together: ids })
  await tx.resetNodes(planId, ids, rerun ? over : unfinished)
  return startRun({
    scope,
    planId,
    title: plan.title,
    input: { type: 'execute', planId, rootId: nodeId, lastNode, ...pick(wish) },
  })
}

type NodeWish = Omit<RunNode, 'scope'> & Agreed

/** The same for one node: all that a run of it may touch, and which of them it repeats. */
function chooseAround(
  states: readonly NodeLinks[],
  nodeId: number,
  { subtree = false, withDependencies = false, cascade = true, rerun = false, lastNode = Infinity }: NodeWish,
  hint = 'withDependencies',
) {
  const node = requireNode(states, nodeId)
  if (node.status === 'running') throw conflict(`Task ${nodeId} is being done already.`)
  const wanted = subtree ? subtreeOf(states, nodeId) : new Set([nodeId])
  const missing = missingFor(states, wanted)
  if (missing.length > 0 && !withDependencies)
    throw conflict(
      `Task ${nodeId} waits for ${missing.map(({ id, status }) => `${id} (${status})`).join(', ')}. Have them done first, or say "${hint}".`,
      { nodes: missing.map(({ id }) => id) },
    )
  addMissing(states, wanted, missing)
  const isThere = (id: number) => id <= lastNode
  const again = rerun && subtree ? [...wanted] : [nodeId]
  // what it had blocked is retried when it is done
  const waiting = cascade ? downstreamOf(states, [nodeId]) : new Set<number>()
  const blocked = states.flatMap(({ id, status }) => (status === 'blocked' && waiting.has(id) ? [id] : []))
  return {
    wanted: [...wanted].filter(isThere),
    again: again.filter(isThere),
    blocked: blocked.filter(isThere),
  }
}

/** Which nodes a run of one node runs. */
export function chooseForNode(
  states: readonly NodeLinks[],
  nodeId: number,
  wish: NodeWish,
  hint?: string,
): number[] {
  const { wanted, again, blocked } = chooseAround(states, nodeId, wish, hint)
  const isAgain = new Set(again)
  const open = new Set(states.flatMap((state) => (isDone(state) ? [] : [state.id])))
  return [...new Set([...wanted.filter((id) => isAgain.has(id) || open.has(id)), ...blocked])]
}

/** Starts one node, also again. What it waits for has to be done, or is done with it. */
export async function startNode(
  tx: StoreOperations,
  deps: PlanDeps,
  { scope, planId, nodeId }: PlanRef & NodeRef,
  wish: NodeWish,
  { startRun, hint }: { startRun: StartRun; hint?: string },
): Promise<string> {
  const { plan, states } = await readPlan(tx, deps, { scope, planId }, wish)
  const { wanted, again, blocked } = chooseAround(states, nodeId, wish, hint)
  await markStale(tx, planId, states, { changed: again, together: [...wanted, ...blocked] })
  await tx.resetNodes(planId, again, over)
  await tx.resetNodes(planId, wanted, unfinished)
  await tx.resetNodes(planId, blocked, ['blocked'])
  return startRun({
    scope,
    planId,
    title: plan.title,
    input: { type: 'execute', planId, nodeIds: [...wanted, ...blocked], ...pick(wish) },
  })
}

async function readPlan(
  tx: StoreOperations,
  { requireModel, slots }: PlanDeps,
  { scope, planId }: PlanRef,
  { model, maxParallel }: Pick<ExecutePlan, 'model' | 'maxParallel'>,
) {
  requireParallel(slots, maxParallel)
  if (model !== undefined) requireModel(model)
  const plan = await tx.lockPlan(scope, planId)
  return { plan, states: await tx.listLinks(planId) }
}

function requireNode(states: readonly NodeLinks[], id: number): NodeLinks {
  const node = states.find((state) => state.id === id)
  if (!node) throw notFound('task', String(id))
  return node
}

/** Adds all that those wait for in turn; visits each node once, however long the chain is. */
function addMissing(states: readonly NodeLinks[], wanted: Set<number>, missing: readonly NodeLinks[]): void {
  const byId = new Map(states.map((state) => [state.id, state]))
  const children = Map.groupBy(states, ({ parentId }) => parentId)
  const open = [...missing]
  while (open.length > 0) {
    const state = open.pop()!
    if (wanted.has(state.id) || isDone(state)) continue
    wanted.add(state.id)
    for (const on of state.dependencies) open.push(byId.get(on)!)
    for (const child of children.get(state.id) ?? []) open.push(child)
  }
}

/** What the wanted nodes wait for, and what is neither done nor wanted. */
function missingFor(states: readonly NodeLinks[], wanted: ReadonlySet<number>): NodeLinks[] {
  const needed = new Set<number>()
  for (const { id, parentId, dependencies } of states) {
    if (wanted.has(id)) for (const on of dependencies) needed.add(on)
    if (wanted.has(parentId)) needed.add(id)
  }
  return states.filter((state) => needed.has(state.id) && !wanted.has(state.id) && !isDone(state))
}

const pick = ({
  onFailure,
  maxParallel,
  maxRetries,
  model,
  maxTokens,
  maxCost,
}: Omit<ExecutePlan, 'scope'>) => ({ onFailure, maxParallel, maxRetries, model, maxTokens, maxCost })
