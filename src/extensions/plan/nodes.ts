import { isDeepStrictEqual } from 'node:util'
import { conflict, invalidRequest } from '../../core/protocol/error.ts'
import { maxDependencies } from './protocol/plan-node.ts'
import type { NodeFacts, NodeRecord } from './store/plans.ts'
import { requireChecks } from './acceptance-checks.ts'
import { type PlanEdit, mergeMetadata } from './change-plan.ts'
import { checkDependencies, formatPath } from './dependencies.ts'
import { findPlace, maxDepth, type Place } from './node-position.ts'

/** The most nodes of one plan. */
export const maxNodes = 20_000

export type NewNode = Pick<NodeFacts, 'name'> & Partial<NodeFacts> & { dependencies?: readonly number[] }

export async function addNode(
  edit: PlanEdit,
  { dependencies = [], ...facts }: NewNode,
  place: Place,
  now: number,
): Promise<NodeRecord> {
  requireChecks(facts.acceptance)
  await requireRoomFor(edit, 1)
  const { parentId, sort } = await findPlace(edit, place)
  await requireLevels(edit, parentId, 1)
  const id = edit.nextId()
  return edit.add({
    instruction: '',
    status: 'pending',
    metadata: {},
    ...facts,
    id,
    parentId,
    sort,
    dependencies: await checkDependencies(edit, { id, parentId }, dependencies),
    createdAt: now,
    updatedAt: now,
  })
}

/** What is not named stays. */
export async function updateNode(
  edit: PlanEdit,
  id: number,
  { dependencies, metadata, ...patch }: Partial<NewNode>,
  now: number,
): Promise<NodeRecord> {
  requireChecks(patch.acceptance)
  const before = await edit.require(id)
  const node: NodeRecord = {
    ...before,
    ...patch,
    ...(metadata && { metadata: mergeMetadata(before.metadata, metadata) }),
    ...(dependencies && { dependencies: await checkDependencies(edit, before, dependencies) }),
  }
  return isDeepStrictEqual(node, before) ? before : edit.put({ ...node, updatedAt: now })
}

export async function moveNode(edit: PlanEdit, id: number, place: Place, now: number): Promise<NodeRecord> {
  await edit.require(id)
  const { parentId, sort } = await findPlace(edit, place, id)
  await requireNotBelow(edit, id, parentId)
  // making room may have given it another place
  return edit.put({ ...(await edit.require(id)), parentId, sort, updatedAt: now })
}

/** A node cannot go below itself, nor below what it or a part of it waits for. */
async function requireNotBelow(edit: PlanEdit, id: number, parentId: number): Promise<void> {
  if (parentId === 0) return
  const shape = await edit.shape()
  const above = shape.above(parentId)
  if (above.includes(id))
    throw invalidRequest(`Node ${id} cannot go below itself or one of its own descendants.`)
  await requireLevels(edit, parentId, shape.heightOf(id) + 1)
  const way = shape.findWay([id], new Set(above))
  if (way)
    throw invalidRequest(
      `Node ${id} cannot go below ${parentId}: it, or a part of it, waits for ${way.at(-1)}: ${formatPath(way)}.`,
    )
}

/** With all below it; nodes that depend on one of them get its dependencies instead. */
export async function deleteNode(edit: PlanEdit, id: number, now: number): Promise<NodeRecord[]> {
  const { tx, plan } = edit
  await edit.require(id)
  const subtree = await tx.listSubtree(plan.id, id)
  const running = subtree.find(({ status }) => status === 'running')
  if (running)
    throw conflict(`Node ${running.id} is running; stop it before it is deleted.`, { nodeId: running.id })
  const gone = new Set(subtree.map((node) => node.id))
  const inherited = inheritedFrom(subtree)
  for (const dependent of await tx.listDependents(plan.id, ...gone)) {
    if (gone.has(dependent)) continue
    const waiting = await edit.require(dependent)
    const all = waiting.dependencies.flatMap((on) => (gone.has(on) ? inherited(on) : [on]))
    const dependencies = [...new Set(all)].sort((a, b) => a - b)
    if (dependencies.length > maxDependencies)
      throw conflict(
        `Without node ${id}, node ${dependent} would wait for ${dependencies.length} others; ${maxDependencies} is the most. Change what it waits for first.`,
        { nodeId: dependent },
      )
    await edit.put({ ...waiting, dependencies, updatedAt: now })
  }
  await edit.removeAll(subtree)
  return subtree
}

/** What each of these nodes waits for outside of them, directly or through one another. Waiting goes in no circle. */
function inheritedFrom(nodes: readonly NodeRecord[]): (id: number) => number[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const children = Map.groupBy(nodes, ({ parentId }) => parentId)
  return (start) => {
    const seen = new Set<number>()
    for (const open = [start]; open.length > 0;) {
      const id = open.pop()!
      if (seen.has(id)) continue
      seen.add(id)
      const node = byId.get(id)
      if (node) open.push(...node.dependencies, ...(children.get(id) ?? []).map((child) => child.id))
    }
    return [...seen].filter((id) => !byId.has(id))
  }
}

export async function requireRoomFor(edit: PlanEdit, added: number): Promise<void> {
  // numbers only grow, so there are never more nodes than the last of them says
  if (edit.plan.lastNode + added <= maxNodes) return
  const count = await countAll(edit)
  if (count + added > maxNodes)
    throw invalidRequest(
      `A plan has ${maxNodes} nodes at most; it has ${count}, and ${added} are to be added.`,
    )
}

/** Levels that are to come below a parent. */
export async function requireLevels(edit: PlanEdit, parentId: number, levels: number): Promise<void> {
  const above = parentId === 0 ? [] : await edit.tx.listAbove(edit.plan.id, parentId)
  if (above.length + levels > maxDepth)
    throw invalidRequest(
      `A plan is ${maxDepth} levels deep at most; here it would be ${above.length + levels}.`,
    )
}

const countAll = async ({ tx, plan }: PlanEdit): Promise<number> =>
  Object.values(await tx.countNodes(plan.id)).reduce((sum, count) => sum + count, 0)
