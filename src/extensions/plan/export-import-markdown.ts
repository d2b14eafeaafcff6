import { invalidRequest } from '../../core/protocol/error.ts'
import { checkAt, invalidAt } from '../../core/protocol/issues.ts'
import type { ImportMarkdown, PlanChanged } from './protocol/plan.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { requireChecks } from './acceptance-checks.ts'
import type { PlanCaller, PlanEdit } from './change-plan.ts'
import { formatPath } from './dependencies.ts'
import { editTree } from './edit-nodes.ts'
import { toMarkdown } from './markdown.ts'
import { requireLevels, requireRoomFor } from './nodes.ts'
import { readMarkdown, type MarkdownItem } from './read-markdown.ts'
import { gap } from './order-gaps.ts'
import { PlanShape } from './tree-shape.ts'
import { readPlan } from './tree.ts'

export async function exportMarkdown(
  store: StoreOperations,
  reader: Pick<PlanCaller, 'scope'>,
  planId: string,
): Promise<{ markdown: string }> {
  const { answer: nodes } = await readPlan(store, reader, planId, () => store.listNodes(planId))
  return { markdown: toMarkdown(nodes) }
}

/** Appends the items of a text to the children of a node, or of the plan; all of them or none. */
export async function importMarkdown(
  store: StoreOperations,
  deps: { clock: Clock },
  caller: PlanCaller,
  planId: string,
  { markdown, parentId = 0, baseVersion }: Omit<ImportMarkdown, 'scope'>,
): Promise<PlanChanged> {
  const items = checkAt(['markdown'], () => readItems(markdown))
  const edited = { planId, action: 'import', baseVersion }
  const { plan, answer } = await editTree(store, deps, caller, edited, (edit, now) =>
    addItems(edit, items, parentId, now),
  )
  return { version: plan.version, nodeIds: answer.map(({ id }) => id) }
}

function readItems(markdown: string): MarkdownItem[] {
  const items = readMarkdown(markdown)
  if (items.length === 0) throw invalidRequest('The text has no items: neither a list nor a heading.')
  for (const { acceptance } of items) requireChecks(acceptance)
  return items
}

async function addItems(
  edit: PlanEdit,
  items: readonly MarkdownItem[],
  parentId: number,
  now: number,
): Promise<NodeRecord[]> {
  if (parentId !== 0) await edit.require(parentId)
  await requireRoomFor(edit, items.length)
  const deepest = items.reduce((deep, { depth }) => Math.max(deep, depth), 0)
  await requireLevels(edit, parentId, deepest + 1)
  const { last = -gap } = await edit.tx.getSortEnds(edit.plan.id, parentId)
  const nodes = toNodes(edit, items, { parentId, last, now })
  requireNoCircle(nodes)
  await edit.addAll(nodes)
  return nodes
}

function toNodes(
  edit: PlanEdit,
  items: readonly MarkdownItem[],
  { parentId, last, now }: { parentId: number; last: number; now: number },
): NodeRecord[] {
  const ids = items.map(() => edit.nextId())
  const lastSorts = new Map<number, number>([[parentId, last]])
  return items.map(({ parent, name, instruction, status, acceptance, after }, index) => {
    const above = parent < 0 ? parentId : ids[parent]!
    const sort = (lastSorts.get(above) ?? -gap) + gap
    lastSorts.set(above, sort)
    return {
      id: ids[index]!,
      parentId: above,
      sort,
      name,
      instruction,
      status,
      metadata: {},
      ...(acceptance.length > 0 && { acceptance }),
      dependencies: after.map((at) => ids[at]!).sort((a, b) => a - b),
      createdAt: now,
      updatedAt: now,
    }
  })
}

/** They wait for one another alone, so nothing that was there before can be part of one. */
function requireNoCircle(nodes: readonly NodeRecord[]): void {
  const shape = new PlanShape(nodes)
  const circle = shape.findCircle()
  if (circle === undefined) return
  const { dependencies } = shape.get(circle)!
  const way = shape.findWay([...dependencies, ...shape.childrenOf(circle)], new Set([circle])) ?? []
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  throw invalidAt(
    ['markdown'],
    `${JSON.stringify(names.get(circle))} waits for itself in the list: ${formatPath([circle, ...way].map((id) => names.get(id)!))}. An item also waits for those below it.`,
  )
}
