import type { Candidate } from './store/plan-progress.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanDeps } from './plan-service.ts'
import type { ActivePlanRun } from './active-run.ts'

type Execution = ActivePlanRun<'execute'>

const maxPage = 500

/**
 * The next nodes that a run can start, up to its free slots. Checks only those for which it is not stored what
 * they wait for, that is those affected by a change; what it finds is stored for the next pass.
 */
export async function findReady(
  { store }: PlanDeps,
  { run, input: { planId, ...wish } }: Execution,
  room: number,
): Promise<number[]> {
  const isWanted = wantedBy(store, planId, wish)
  const ready: number[] = []
  let after: Candidate | undefined
  for (let limit = room; ready.length < room; limit = Math.min(limit * 4, maxPage)) {
    const page = await store.listCandidates(planId, { after, limit })
    const waiting = page.flatMap(({ id, waitsFor }) => (waitsFor === undefined ? [] : [id]))
    if (waiting.length > 0)
      await store.transaction(async (tx) => {
        // what they wait for may be done at this moment
        if (await tx.lockPlanIfThere(run.scope, planId)) await tx.noteWaits(planId, waiting)
      })
    for (const node of page) if (node.waitsFor === undefined && (await isWanted(node))) ready.push(node.id)
    if (page.length < limit) break
    after = page.at(-1)
  }
  return ready.slice(0, Math.max(0, room))
}

/** Whether a pending node waits for one that another run is doing; that run wakes this one at its end. */
export async function waitsForOthers(
  { store }: PlanDeps,
  { input: { planId, ...wish } }: Execution,
): Promise<boolean> {
  const isWanted = wantedBy(store, planId, wish)
  for (const node of await store.listWaitingForRunning(planId)) if (await isWanted(node)) return true
  return false
}

/** Whether a run includes a node. */
function wantedBy(
  store: StoreOperations,
  planId: string,
  { nodeIds, rootId, lastNode = Infinity }: Pick<Execution['input'], 'nodeIds' | 'rootId' | 'lastNode'>,
): (node: Pick<NodeRecord, 'id' | 'parentId'>) => Promise<boolean> | boolean {
  if (nodeIds) {
    const wanted = new Set(nodeIds)
    return ({ id }) => wanted.has(id)
  }
  if (rootId === undefined) return ({ id }) => id <= lastNode
  // many have the same parent
  const isBelow = new Map<number, boolean>([[0, false]])
  return async ({ id, parentId }) => {
    if (id > lastNode) return false
    if (!isBelow.has(parentId))
      isBelow.set(parentId, (await store.listAbove(planId, parentId)).includes(rootId))
    return id === rootId || isBelow.get(parentId)!
  }
}
