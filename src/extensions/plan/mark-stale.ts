import { doneStates, type NodeLinks, type NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { downstreamOf } from './next-nodes.ts'
import type { Step } from './plan-step.ts'

/**
 * When a result is replaced, what was made from it is stale, and what was made from that: it is marked and stays as it is
 * until it is done again on request. The mark is part of the result, so a new one has none, and names what the node waits
 * for that has changed or is stale itself.
 */
export async function markStale(
  tx: StoreOperations,
  planId: string,
  states: readonly NodeLinks[],
  /** Whose results are replaced, and what is done together with them. */
  { changed, together }: { changed: readonly number[]; together: readonly number[] },
  put: (nodes: NodeRecord[]) => Promise<void> = async (nodes) => {
    for (const node of nodes) await tx.putNodeState(planId, node)
  },
): Promise<void> {
  const statuses = new Map(states.map(({ id, status }) => [id, status]))
  // to have been skipped was something to go by as well
  const causes = changed.filter((id) => doneStates.includes(statuses.get(id)!))
  if (causes.length === 0) return
  const outdated = new Set([...causes, ...downstreamOf(states, causes)])
  const done = new Set(together)
  const inputs = inputsOf(states)
  const add = (stale: readonly number[] = [], node: NodeRecord) =>
    [...new Set([...stale, ...inputs(node).filter((id) => outdated.has(id))])].sort((a, b) => a - b)
  const running = [...outdated].filter((id) => statuses.get(id) === 'running')
  for (const node of (await tx.getNodes(planId, running)).values()) await noteInStep(tx, node, add)
  const marked = [...outdated].filter((id) => statuses.get(id) === 'completed' && !done.has(id))
  if (marked.length === 0) return
  const nodes = await tx.getNodes(planId, marked)
  await put(
    [...nodes.values()].flatMap((node) => {
      const { result } = node
      // one that nobody did was made from nothing
      return result ? [{ ...node, result: { ...result, stale: add(result.stale, node) } }] : []
    }),
  )
}

/** One that is being done was begun with what there was: the mark waits in its step for the result. */
async function noteInStep(
  tx: StoreOperations,
  node: NodeRecord,
  add: (stale: readonly number[] | undefined, node: NodeRecord) => number[],
): Promise<void> {
  const find = async () => (node.runId === undefined ? undefined : tx.findPlanStepOfTask(node.runId))
  const { runId } = (await find()) ?? {}
  if (runId === undefined || !(await tx.wakeRun(runId))) return
  // as it is now that nobody else changes it
  const { step } = (await find()) ?? {}
  if (!step) return
  const stale = add((step.details as Step['details']).stale, node)
  await tx.putPlanSteps(runId, [{ ...step, details: { ...step.details, stale } }])
}

function inputsOf(states: readonly NodeLinks[]): (node: NodeRecord) => number[] {
  const children = Map.groupBy(states, ({ parentId }) => parentId)
  return ({ id, dependencies }) => [...dependencies, ...(children.get(id) ?? []).map((child) => child.id)]
}
