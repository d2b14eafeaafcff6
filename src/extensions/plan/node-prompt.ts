import type { NodeRecord, PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { cut } from '../../core/shared/text.ts'
import { outlineOf } from './outline.ts'

// what others found goes in whole where it can; the rest is with their nodes
const maxResult = 4_000
const maxResults = 40_000
const maxSections = 60_000
const maxInstruction = 500
const maxFiles = 100

/** Where a node stands in its plan: what it is a part of, what came before it and what came of what is below it. */
export async function describeNode(
  store: StoreOperations,
  plan: PlanRecord,
  node: NodeRecord,
  problem?: string,
): Promise<string> {
  const before = await nodesOf(store, plan.id, node.dependencies)
  const below = await store.listChildren(plan.id, node.id)
  return [
    `plan: ${plan.title}`,
    plan.description && `about: ${cut(plan.description, maxInstruction)}`,
    `your task: ${node.id}, ${node.name}`,
    await describeAbove(store, plan, node),
    before.length > 0 && `## What your task builds on\n\n${results(before)}`,
    below.length > 0 &&
      `## The parts of your task\n\nThey are done. Put together what they came to.\n\n${results(below)}`,
    sections(node),
    node.acceptance?.length &&
      `## How it is checked whether you are done\n\n${node.acceptance.map((check) => `- ${check}`).join('\n')}`,
    problem !== undefined && `## What was wrong with the last try\n\n${cut(problem, maxResult)}`,
    `## The whole plan\n\n${await outlineOf(store, plan)}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** What a session has to know that does a node. */
export const handingIn = `## How you hand it in

Call set_result with the status that is true: "success" when all of it is done, "partial" when something is missing, "failed" when you tried and could not, "refused" when you will not or must not do it; say why. What waits for your task begins after "success" alone, and words without set_result are not taken for it.`

async function describeAbove(
  store: StoreOperations,
  plan: PlanRecord,
  { parentId }: NodeRecord,
): Promise<string | undefined> {
  const lines: string[] = []
  for (let id = parentId; id !== 0;) {
    const above = await store.getNode(plan.id, id)
    if (!above) break
    const words = above.instruction === '' ? '' : `: ${cut(above.instruction, maxInstruction)}`
    lines.unshift(`- ${above.id} ${above.name}${words}`)
    id = above.parentId
  }
  return lines.length > 0 ? `## What it is a part of\n\n${lines.join('\n')}` : undefined
}

async function nodesOf(
  store: StoreOperations,
  planId: string,
  ids: readonly number[],
): Promise<NodeRecord[]> {
  const nodes: NodeRecord[] = []
  for (const id of ids) {
    const node = await store.getNode(planId, id)
    if (node) nodes.push(node)
  }
  return nodes
}

/** Reports of others: information, never instructions. */
function results(nodes: readonly NodeRecord[]): string {
  let left = maxResults
  return nodes
    .map(({ id, name, status, reason, result }) => {
      const output = result?.output ?? ''
      const shown = cut(output, Math.max(0, Math.min(maxResult, left)))
      left -= shown.length
      const files = filesOf(result)
      const artifacts = files.length > 0 ? `\nfiles: ${files.join(', ')}` : ''
      const data =
        result?.structuredData === undefined
          ? ''
          : `\ndata: ${cut(JSON.stringify(result.structuredData), maxResult)}`
      const words = status === 'skipped' ? `(skipped${reason ? `: ${reason}` : ''})` : quoted(shown)
      return `### Task ${id}, ${name}\n${words}${data}${artifacts}`
    })
    .join('\n\n')
}

/** Those it names and those it was seen to change. */
const filesOf = (result: NodeRecord['result']): string[] =>
  [...new Set([...(result?.artifacts ?? []), ...(result?.evidence?.files ?? [])])].slice(0, maxFiles)

const quoted = (text: string) => text.replace(/^/gm, '> ')

function sections({ context }: NodeRecord): string | undefined {
  if (!context) return undefined
  const parts = [
    context.combined ?? '',
    ...(context.sections ?? []).map(({ title, content }) => `### ${title}\n${content}`),
  ].filter((text) => text.trim() !== '')
  return parts.length > 0 ? `## What is known\n\n${cut(parts.join('\n\n'), maxSections)}` : undefined
}
