import { invalidRequest } from '../../core/protocol/error.ts'
import type { PlaceWish } from './protocol/plan-node.ts'
import type { NodeRecord } from './store/plans.ts'
import type { PlanEdit } from './change-plan.ts'
import { farthest, gap, makeSpace, spreadOut } from './order-gaps.ts'

/** Where a node goes: among the children of a parent, or beside another node. */
export type Place =
  | { parentId: number; position?: number | 'first_child' | 'last_child' }
  | { before: number }
  | { after: number }

/** The levels of a plan. */
export const maxDepth = 100

/** Resolves the hints about a place; contradictory ones are refused. */
export async function readPlace(
  edit: PlanEdit,
  { parentId, position, before, after }: PlaceWish,
  { otherwise = 0, parentName = 'parentId' }: { otherwise?: number; parentName?: string } = {},
): Promise<Place> {
  const anchorId = after ?? before
  if (anchorId === undefined) return { parentId: parentId ?? otherwise, position }
  if (position !== undefined)
    throw invalidRequest('Say "position" or a node to stand "before" or "after", not both.')
  const anchor = await edit.require(anchorId)
  if (parentId !== undefined && parentId !== anchor.parentId)
    throw invalidRequest(
      `Node ${anchorId} is ${below(anchor.parentId)}, not ${below(parentId)}: leave "${parentName}" out, or name another node.`,
    )
  if (after !== undefined && before !== undefined) await requireBetween(edit, anchor, before)
  return after === undefined ? { before: anchorId } : { after }
}

async function requireBetween(edit: PlanEdit, first: NodeRecord, beforeId: number): Promise<void> {
  if (beforeId === first.id)
    throw invalidRequest(`A node cannot go before and after the same node ${beforeId}.`)
  const second = await edit.require(beforeId)
  if (second.parentId !== first.parentId)
    throw invalidRequest(
      `Nodes ${first.id} and ${beforeId} have different parents, so nothing can stand between them.`,
    )
  if (second.sort < first.sort)
    throw invalidRequest(
      `Node ${first.id} stands behind ${beforeId}, so nothing can stand after the one and before the other.`,
    )
}

const below = (parentId: number) => (parentId === 0 ? 'at the top' : `below ${parentId}`)

/** The parent and the sort of a place; makes room when there is none. */
export async function findPlace(
  edit: PlanEdit,
  place: Place,
  movedId?: number,
): Promise<{ parentId: number; sort: number }> {
  const found = await searchPlace(edit, place, movedId)
  if (Math.abs(found.sort) <= farthest) return found
  await spreadOut(edit, found.parentId)
  return searchPlace(edit, place, movedId)
}

async function searchPlace(
  edit: PlanEdit,
  place: Place,
  movedId: number | undefined,
): Promise<{ parentId: number; sort: number }> {
  if ('parentId' in place) {
    if (place.parentId !== 0) await edit.require(place.parentId)
    return { parentId: place.parentId, sort: await sortAmong(edit, place.parentId, place.position, movedId) }
  }
  const anchor = await edit.require('before' in place ? place.before : place.after)
  if (anchor.id === movedId) throw invalidRequest('A node cannot stand before or after itself.')
  return { parentId: anchor.parentId, sort: await sortBeside(edit, anchor, 'before' in place) }
}

async function sortAmong(
  edit: PlanEdit,
  parentId: number,
  position: number | 'first_child' | 'last_child' = 'last_child',
  movedId: number | undefined,
): Promise<number> {
  const { tx, plan } = edit
  const { first, last } = await tx.getSortEnds(plan.id, parentId)
  if (first === undefined || last === undefined) return 0
  if (position === 'last_child') return last + gap
  if (position === 'first_child' || position === 0) return first - gap
  const siblings = (await tx.listChildren(plan.id, parentId, { limit: position + 2 })).filter(
    ({ id }) => id !== movedId,
  )
  const next = siblings[position]
  return next ? sortBeside(edit, next, true) : last + gap
}

async function sortBeside(edit: PlanEdit, anchor: NodeRecord, isBefore: boolean): Promise<number> {
  const { tx, plan } = edit
  const around = await tx.getSortAround(plan.id, anchor.parentId, anchor.sort)
  const other = isBefore ? around.before : around.after
  if (other === undefined) return anchor.sort + (isBefore ? -gap : gap)
  const middle = Math.floor((anchor.sort + other) / 2)
  if (middle !== anchor.sort && middle !== other) return middle
  await makeSpace(edit, anchor)
  return sortBeside(edit, await edit.require(anchor.id), isBefore)
}
