import type { NodeRecord, PlanRecord } from '../store/queries/plans.ts'
import type { StoreOperations } from '../store/store.ts'
import { oneLine } from './one-line.ts'

export interface OutlineBounds {
  /** How many levels below the top are shown; default 4. */
  maxDepth?: number
  /** Default 60. */
  maxNodes?: number
}

const maxInstruction = 90

/** The plan in lines, as models and people read it. Costs as much as it shows, however large the plan is. */
export async function outlineOf(
  store: StoreOperations,
  plan: PlanRecord,
  { maxDepth = 4, maxNodes = 60 }: OutlineBounds = {},
): Promise<string> {
  const lines = [`Plan ${plan.id}: ${plan.title}`]
  if (plan.description !== '') lines.push(`Description: ${oneLine(plan.description)}`)
  let shown = 0
  let hasMore = false
  const show = async (parentId: number, depth: number): Promise<void> => {
    // one more than there is room for tells whether something is left out
    const children = await store.listChildren(plan.id, parentId, { limit: maxNodes - shown + 1 })
    for (const node of children) {
      if (shown === maxNodes) {
        hasMore = true
        return
      }
      shown++
      lines.push(lineOf(node, depth))
      if (depth < maxDepth) await show(node.id, depth + 1)
    }
  }
  await show(0, 0)
  if (shown === 0) lines.push('(plan has no tasks yet)')
  if (hasMore) lines.push(`... truncated after ${maxNodes} nodes ...`)
  return lines.join('\n')
}

export function lineOf({ id, name, instruction, status, dependencies }: NodeRecord, depth: number): string {
  const told = [
    `${'  '.repeat(depth)}- [${id}]`,
    name.trim() === '' ? `Task ${id}` : oneLine(name),
    status !== 'pending' && `(${status})`,
    dependencies.length > 0 && `(after ${dependencies.join(', ')})`,
  ]
  const words = shorten(oneLine(instruction))
  return `${told.filter(Boolean).join(' ')}${words === '' ? '' : ` :: ${words}`}`
}

const shorten = (text: string) =>
  text.length <= maxInstruction ? text : `${text.slice(0, maxInstruction).toWellFormed()}…`
