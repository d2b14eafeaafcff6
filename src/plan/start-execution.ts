import { conflict, notFound } from '../protocol/error.ts'
import type { ExecutePlan, RunNode } from '../protocol/plan-run.ts'
import type { NodeLinks, NodeStatus } from '../store/queries/plans.ts'
import type { StoreOperations } from '../store/store.ts'
import type { PlanDeps } from './deps.ts'
import { downstreamOf, subtreeOf } from './next-nodes.ts'
import type { PlanRunRequest } from './start-run.ts'

/** Starts the run as whoever wants it starts runs; answers its id. */
export type StartRun = (request: PlanRunRequest) => Promise<string>

const isDone = ({ status }: NodeLinks) => status === 'completed' || status === 'skipped'
const unfinished: readonly NodeStatus[] = ['failed', 'blocked']
const over: readonly NodeStatus[] = ['completed', 'failed', 'skipped', 'blocked']

/** Has a plan done, or a node with all below it. */
export async function startExecution(
  tx: StoreOperations,
  deps: PlanDeps,
  scope: string,
  planId: string,
  { nodeId, rerun = false, ...wish }: Omit<ExecutePlan, 'scope'>,
  startRun: StartRun,
): Promise<string> {
  const { plan, states } = await readPlan(tx, deps, scope, planId, wish.model)
  if (nodeId !== undefined) requireNode(states, nodeId)
  if (states.length === 0) throw conflict('The plan has no tasks yet.')
  const ids = nodeId === undefined ? states.map(({ id }) => id) : [...subtreeOf(states, nodeId)]
  const wanted = new Set(ids)
  if (!rerun && states.every((state) => !wanted.has(state.id) || isDone(state)))
    throw conflict('Everything is done already: say "rerun" to have it done again.')
  await tx.resetNodes(planId, ids, rerun ? over : unfinished)
  return startRun({
    scope,
    planId,
    title: plan.title,
    input: { type: 'execute', planId, rootId: nodeId, ...pick(wish) },
  })
}

/** Has one node done, also once more. What it waits for has to be done, or is done with it. */
export async function startNode(
  tx: StoreOperations,
  deps: PlanDeps,
  scope: string,
  planId: string,
  nodeId: number,
  {
    subtree = false,
    withDependencies = false,
    cascade = true,
    rerun = false,
    ...wish
  }: Omit<RunNode, 'scope'>,
  startRun: StartRun,
): Promise<string> {
  const { plan, states } = await readPlan(tx, deps, scope, planId, wish.model)
  const node = requireNode(states, nodeId)
  if (node.status === 'running') throw conflict(`Task ${nodeId} is being done already.`)
  const wanted = subtree ? subtreeOf(states, nodeId) : new Set([nodeId])
  const missing = missingFor(states, wanted)
  if (missing.length > 0 && !withDependencies)
    throw conflict(
      `Task ${nodeId} waits for ${missing.map(({ id, status }) => `${id} (${status})`).join(', ')}. Have them done first, or say "withDependencies".`,
      { nodes: missing.map(({ id }) => id) },
    )
  addMissing(states, wanted, missing)
  const again = rerun && subtree ? [...wanted] : [nodeId]
  await tx.resetNodes(planId, again, over)
  await tx.resetNodes(planId, [...wanted], unfinished)
  // what it had blocked is tried again when it is done
  const waiting = cascade ? downstreamOf(states, [nodeId]) : new Set<number>()
  const blocked = states.flatMap(({ id, status }) => (status === 'blocked' && waiting.has(id) ? [id] : []))
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
  { requireModel }: PlanDeps,
  scope: string,
  planId: string,
  model: string | undefined,
) {
  if (model !== undefined) requireModel(model)
  const plan = await tx.lockPlan(scope, planId)
  return { plan, states: await tx.listLinks(planId) }
}

function requireNode(states: readonly NodeLinks[], id: number): NodeLinks {
  const node = states.find((state) => state.id === id)
  if (!node) throw notFound('task', String(id))
  return node
}

/** With all that those wait for in turn; each node is looked at once, however long the chain is. */
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

const pick = ({ onFailure, maxParallel, maxRetries, model }: Omit<ExecutePlan, 'scope'>) => ({
  onFailure,
  maxParallel,
  maxRetries,
  model,
})
