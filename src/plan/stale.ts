import { doneStates, type NodeLinks, type NodeRecord } from '../store/queries/plans.ts'
import type { StoreOperations } from '../store/store.ts'
import { downstreamOf } from './next-nodes.ts'

/**
 * When a result is replaced, what was made from it is stale, and what was made from that: it is marked and stays as it is
 * until somebody has it done again. The mark is part of the result, so a new one has none, and names what the node waits
 * for that has changed or is stale itself.
 */
export async function markStale(
  tx: StoreOperations,
  planId: string,
  states: readonly NodeLinks[],
  /** Whose results are replaced, and what is done with them in one go. */
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
  const marked = [...outdated].filter((id) => statuses.get(id) === 'completed' && !done.has(id))
  if (marked.length === 0) return
  const inputs = inputsOf(states)
  const nodes = await tx.getNodes(planId, marked)
  await put(
    [...nodes.values()].flatMap((node) => {
      const { result } = node
      // one that nobody did was made from nothing
      if (!result) return []
      const because = inputs(node).filter((id) => outdated.has(id))
      const stale = [...new Set([...(result.stale ?? []), ...because])].sort((a, b) => a - b)
      return [{ ...node, result: { ...result, stale } }]
    }),
  )
}

function inputsOf(states: readonly NodeLinks[]): (node: NodeRecord) => number[] {
  const children = Map.groupBy(states, ({ parentId }) => parentId)
  return ({ id, dependencies }) => [...dependencies, ...(children.get(id) ?? []).map((child) => child.id)]
}
