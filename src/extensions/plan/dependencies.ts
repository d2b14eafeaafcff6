import { invalidRequest } from '../../core/protocol/error.ts'
import { maxDependencies } from './protocol/plan-node.ts'
import type { PlanEdit } from './change-plan.ts'

/**
 * What a node may wait for: nodes of the plan, each once, of which none waits for it in turn. A parent waits for its
 * children, so nothing can wait for what it is a part of.
 */
export async function checkDependencies(
  edit: PlanEdit,
  { id, parentId }: { id: number; parentId: number },
  wanted: readonly number[],
): Promise<number[]> {
  const dependencies = [...new Set(wanted)].sort((a, b) => a - b)
  if (dependencies.length > maxDependencies)
    throw invalidRequest(`A node can wait for ${maxDependencies} others at most, not ${dependencies.length}.`)
  if (dependencies.length === 0) return []
  const shape = await edit.shape()
  const above = new Set<number>([id, ...shape.above(parentId)])
  for (const on of dependencies) {
    if (on === id) throw invalidRequest(`Node ${id} cannot wait for itself.`)
    if (!shape.has(on)) throw invalidRequest(`Node ${id} cannot wait for ${on}: there is no such node.`)
    const way = shape.findWay([on], above)
    if (way)
      throw invalidRequest(
        `Node ${id} cannot wait for ${on}, which waits for it: ${formatPath(way)}. A node also waits for those below it.`,
      )
  }
  return dependencies
}

const shownOfWay = 10

/** A way may lead through the whole plan. */
export const formatPath = (way: readonly (number | string)[]): string =>
  way.length <= 2 * shownOfWay
    ? way.join(' → ')
    : [...way.slice(0, shownOfWay), '…', ...way.slice(-shownOfWay)].join(' → ')
