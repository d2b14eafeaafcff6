import type { OutlineNode, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'

export interface OutlineBounds {
  /** How many levels below the top are shown; default 4. */
  maxDepth?: number
  /** Default 60. */
  maxNodes?: number
}

const maxInstruction = 90

/**
 * The plan in lines, as models and people read it, with how much it leaves out. Costs as much as it shows, and where it
 * leaves something out, counting the rest.
 */
export async function outlineOf(
  store: StoreOperations,
  plan: PlanRecord,
  { maxDepth = 4, maxNodes = 60 }: OutlineBounds = {},
): Promise<string> {
  const head = [`Plan ${plan.id}: ${plan.title}`]
  if (plan.description !== '') head.push(`Description: ${oneLine(plan.description)}`)
  const lines: (OutlineNode & { depth: number })[] = []
  let shown = 0
  let hasMore = false
  const show = async (parentId: number, depth: number): Promise<void> => {
    // one more than is shown, to detect that something is left out
    const children = await store.listOutline(plan.id, parentId, maxNodes - shown + 1)
    for (const node of children) {
      if (shown === maxNodes) {
        hasMore = true
        return
      }
      shown++
      lines.push({ ...node, depth })
      if (node.hasChildren && depth < maxDepth) await show(node.id, depth + 1)
    }
  }
  await show(0, 0)
  if (shown === 0) return [...head, '(plan has no tasks yet)'].join('\n')
  const deepest = lines.flatMap(({ id, depth, hasChildren }) =>
    hasChildren && depth === maxDepth ? [id] : [],
  )
  const below = await store.countChildNodes(plan.id, deepest)
  const rendered = lines.map((node) => {
    const text = lineOf(node, node.depth)
    return below.has(node.id) ? `${text} (${below.get(node.id)} below it, not shown)` : text
  })
  if (!hasMore && below.size === 0) return [...head, ...rendered].join('\n')
  const counts = Object.values(await store.countNodes(plan.id))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const where = hasMore ? `after ${maxNodes} nodes` : `below level ${maxDepth + 1}`
  return [
    ...head,
    ...rendered,
    `... truncated ${where}: ${total - shown} of ${total} are not shown ...`,
  ].join('\n')
}

export function lineOf(
  { id, name, instruction, status, dependencies, stale }: Omit<OutlineNode, 'hasChildren'>,
  depth: number,
): string {
  const fields = [
    `${'  '.repeat(depth)}- [${id}]`,
    name.trim() === '' ? `Task ${id}` : oneLine(name),
    status !== 'pending' && `(${status})`,
    stale && `(stale because of ${stale.join(', ')})`,
    dependencies.length > 0 && `(after ${dependencies.join(', ')})`,
  ]
  const words = shorten(oneLine(instruction))
  return `${fields.filter(Boolean).join(' ')}${words === '' ? '' : ` :: ${words}`}`
}

const shorten = (text: string) =>
  text.length <= maxInstruction ? text : `${text.slice(0, maxInstruction).toWellFormed()}…`

/** The plans of a scope that were changed last, in lines, as models read them. */
export async function listPlanLines(
  store: StoreOperations,
  scope: string,
  limit: number,
): Promise<{ lines: string[]; hasMore: boolean }> {
  const { items, nextCursor } = await store.listPlans(scope, { limit })
  const counts = await store.countPlans(items.map(({ id }) => id))
  const lines = items.map(({ id, title }) => {
    const byStatus = counts.get(id)?.byStatus ?? {}
    const nodes = Object.values(byStatus).reduce((sum, count) => sum + count, 0)
    return `- ${id} ${title} (tasks: ${nodes})`
  })
  return { lines, hasMore: nextCursor !== null }
}

/** For names and lines of an outline: collapses white space and control characters. */
export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
