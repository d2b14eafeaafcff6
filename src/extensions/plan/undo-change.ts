import { isDeepStrictEqual } from 'node:util'
import { conflict, invalidRequest, notFound, type ParleyError } from '../../core/protocol/error.ts'
import type { NodeChange, NodeRecord, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { changePlan, idOf, type PlanCaller, type PlanEdit } from './change-plan.ts'
import { maxNodes } from './nodes.ts'
import { maxDepth } from './node-position.ts'
import { gap, spreadOut } from './order-gaps.ts'

/** A node that is to be as it was, and as it is now. */
interface Restored {
  current?: NodeRecord
  restored: NodeRecord
  stoodAfter?: number
}

type Refuse = (why: string, nodeId: number) => ParleyError

/**
 * Undoes a version, as a change of its own. Refused where something that it changed was changed again, and where what
 * was done since would be inconsistent with the old state.
 */
export function undoChange(
  store: StoreOperations,
  caller: PlanCaller,
  planId: string,
  version: number,
  now: number,
): Promise<{ plan: PlanRecord; answer: NodeChange[] }> {
  const refuse: Refuse = (why, nodeId) =>
    conflict(`Version ${version} cannot be taken back: ${why}.`, { nodeId })
  return changePlan(store, caller, planId, { action: 'undo', undoes: version, now }, async (edit) => {
    const change = await edit.tx.getPlanChange(planId, version)
    if (!change) throw notFound('version', String(version))
    if (change.changes.length === 0) throw invalidRequest(`Version ${version} changed no node.`)
    await takeBack(edit, change.changes, refuse)
    return change.changes
  })
}

async function takeBack(edit: PlanEdit, changes: readonly NodeChange[], refuse: Refuse): Promise<void> {
  const { tx, plan } = edit
  const current = await tx.getNodes(plan.id, changes.map(idOf))
  for (const change of changes) requireSame(current.get(idOf(change)), change, refuse)
  const added = changes.flatMap(({ before, after }) => (after && !before ? [current.get(after.id)!] : []))
  const restored = changes.flatMap(({ before, stoodAfter }): Restored[] =>
    before ? [{ current: current.get(before.id), restored: before, stoodAfter }] : [],
  )
  await requireFits(edit, added, restored, refuse)
  await edit.removeAll(added)
  await putBack(edit, restored)
  await requireWhole(edit, restored, refuse)
}

/** Where it stands among its siblings does not count: others may have needed room. */
function requireSame(current: NodeRecord | undefined, change: NodeChange, refuse: Refuse): void {
  const toFacts = (node: NodeRecord | undefined) =>
    node && (JSON.parse(JSON.stringify({ ...node, sort: 0 })) as unknown)
  const id = idOf(change)
  if (!isDeepStrictEqual(toFacts(current), toFacts(change.after)))
    throw refuse(`node ${id} was changed since`, id)
}

/** No node is left without its parent, and no dependency is missing. */
async function requireFits(
  edit: PlanEdit,
  added: readonly NodeRecord[],
  restored: readonly Restored[],
  refuse: Refuse,
): Promise<void> {
  const shape = await edit.shape()
  const gone = new Set(added.map(({ id }) => id))
  const back = new Map(restored.map((node) => [node.restored.id, node.restored]))
  const isThere = (id: number) => back.has(id) || (shape.has(id) && !gone.has(id))
  for (const { id } of added) {
    const child = shape
      .childrenOf(id)
      .find((below) => !gone.has(below) && (back.get(below)?.parentId ?? id) === id)
    if (child !== undefined) throw refuse(`node ${child} was put below ${id} since`, child)
  }
  for (const dependent of await edit.tx.listDependents(edit.plan.id, ...gone))
    if (!gone.has(dependent) && !back.has(dependent))
      throw refuse(`node ${dependent} waits for what it added`, dependent)
  for (const { id, parentId, dependencies } of back.values()) {
    if (parentId !== 0 && !isThere(parentId))
      throw refuse(`node ${parentId}, below which ${id} was, is no more`, id)
    const missing = dependencies.find((on) => !isThere(on))
    if (missing !== undefined) throw refuse(`node ${missing}, for which ${id} waited, is no more`, id)
  }
  const count = shape.size - gone.size + restored.filter((node) => !node.current).length
  if (count > maxNodes) throw refuse(`the plan would have ${count} nodes, ${maxNodes} is the most`, 0)
}

/** Those that come back with their parent, or never left it, know their place; the others are put where they stood. */
async function putBack(edit: PlanEdit, nodes: readonly Restored[]): Promise<void> {
  const away = new Set(nodes.flatMap(({ current, restored }) => (current ? [] : [restored.id])))
  const knowsPlace = ({ restored, stoodAfter }: Restored) =>
    stoodAfter === undefined || away.has(restored.parentId)
  await edit.restoreAll(
    nodes.filter(knowsPlace).map(({ current, restored, stoodAfter }) => ({
      current,
      // others may have needed room
      restored: stoodAfter === undefined && current ? { ...restored, sort: current.sort } : restored,
    })),
  )
  const displaced = nodes.filter((node) => !knowsPlace(node))
  const rows = Map.groupBy(displaced, ({ restored, stoodAfter }) => `${restored.parentId} ${stoodAfter}`)
  for (const row of rows.values()) await putBehind(edit, row)
  await edit.tx.setDependencies(
    edit.plan.id,
    nodes.map(({ restored }) => restored),
  )
}

/** Nodes that stood behind the same one, in their order. */
async function putBehind(edit: PlanEdit, row: readonly Restored[]): Promise<void> {
  const nodes = row.toSorted((a, b) => a.restored.sort - b.restored.sort)
  const [{ restored: first, stoodAfter = 0 }] = nodes as [Restored]
  const sorts = await findSorts(edit, first, stoodAfter, nodes.length)
  await edit.restoreAll(
    nodes.map(({ current, restored }, index) => ({
      current,
      restored: { ...restored, sort: sorts[index]! },
    })),
  )
}

async function findSorts(
  edit: PlanEdit,
  first: NodeRecord,
  stoodAfter: number,
  count: number,
): Promise<number[]> {
  const { low, high } = await findGap(edit, first, stoodAfter)
  const start = low ?? (high === undefined ? -gap : high - (count + 1) * gap)
  const step = high === undefined ? gap : Math.floor((high - start) / (count + 1))
  if (step >= 1) return Array.from({ length: count }, (_, index) => start + (index + 1) * step)
  await spreadOut(edit, first.parentId)
  return findSorts(edit, first, stoodAfter, count)
}

/** Right behind the one that it stood behind; when that is elsewhere by now, where its old sort leads to. */
async function findGap(
  { tx, plan }: PlanEdit,
  { parentId, sort }: NodeRecord,
  stoodAfter: number,
): Promise<{ low?: number; high?: number }> {
  if (stoodAfter === 0) return { high: (await tx.getSortEnds(plan.id, parentId)).first }
  const anchor = await tx.getNode(plan.id, stoodAfter)
  const low =
    anchor?.parentId === parentId ? anchor.sort : (await tx.getSortAround(plan.id, parentId, sort)).before
  if (low === undefined) return { high: (await tx.getSortEnds(plan.id, parentId)).first }
  return { low, high: (await tx.getSortAround(plan.id, parentId, low)).after }
}

async function requireWhole(edit: PlanEdit, nodes: readonly Restored[], refuse: Refuse): Promise<void> {
  const shape = await edit.shape()
  const circle = shape.findCircle()
  if (circle !== undefined) throw refuse(`node ${circle} would wait for itself then`, circle)
  for (const { restored } of nodes)
    if (shape.above(restored.id).length + shape.heightOf(restored.id) > maxDepth)
      throw refuse(`the plan would be more than ${maxDepth} levels deep`, restored.id)
}
