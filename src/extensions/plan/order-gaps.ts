import type { NodeRecord } from './store/plans.ts'
import type { PlanEdit } from './change-plan.ts'

// space for a million before and after, and for 32 halvings between two of them
export const gap = 2 ** 32
/** A place that is further from the middle is not given; numbers stay exact twice as far. */
export const farthest = 2 ** 52

// half of those halvings will do for neighbours that have to move
const enough = 2 ** 16

/**
 * Gives the neighbours of a node other places in the same order, with space between them. As few as will do, so that it costs
 * little however many siblings there are.
 */
export async function makeSpace(edit: PlanEdit, anchor: Pick<NodeRecord, 'id' | 'parentId'>): Promise<void> {
  const { tx, plan } = edit
  const siblings = await tx.listSorts(plan.id, anchor.parentId)
  const at = siblings.findIndex(({ id }) => id === anchor.id)
  for (let reach = 4; ; reach *= 2) {
    const start = Math.max(0, at - reach)
    const window = siblings.slice(start, at + reach)
    const low = siblings[start - 1]?.sort ?? window[0]!.sort - gap
    const high = siblings[at + reach]?.sort ?? window.at(-1)!.sort + gap
    const step = Math.floor((high - low) / (window.length + 1))
    if (window.length === siblings.length) return spreadOut(edit, anchor.parentId)
    if (step < enough) continue
    return edit.resort(
      window,
      window.map((_, index) => low + (index + 1) * step),
    )
  }
}

/** The same for all children of a parent, from the middle on. */
export async function spreadOut(edit: PlanEdit, parentId: number): Promise<void> {
  const siblings = await edit.tx.listSorts(edit.plan.id, parentId)
  await edit.resort(
    siblings,
    siblings.map((_, index) => index * gap),
  )
}
