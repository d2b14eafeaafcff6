import { cut } from '../../core/shared/text.ts'
import { estimateTokens } from '../../core/shared/estimate-tokens.ts'
import type { NodeLinks, NodeRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { oneLine } from './outline.ts'
import { isUndone } from './plan-step.ts'

// less than this says nothing of a result
const minTokens = 40
const maxName = 100
const maxFiles = 20
// no text has more characters in a token; what is beyond is not even counted
const maxPerToken = 10

/**
 * What came of nodes, within so many tokens: those that nothing builds on come first, since they hold what the others led
 * to. Small results are shown whole, and the larger ones share what is left.
 */
export async function describeResults(
  store: StoreOperations,
  planId: string,
  ids: readonly number[],
  maxTokens: number,
): Promise<string> {
  const order = inOrder(await store.listLinks(planId), new Set(ids))
  const room = Math.floor(maxTokens / minTokens)
  const nodes = await store.getNodes(planId, order.slice(0, room))
  const found = order.flatMap((id) => nodes.get(id) ?? []).filter(({ result }) => result !== undefined)
  const heads = found.map(headOf)
  const spent = heads.reduce((sum, head) => sum + estimateTokens(head) + 2, 0)
  const outputs = found.map(({ result }) => {
    const text = result!.output
      .trim()
      .slice(0, maxTokens * maxPerToken)
      .toWellFormed()
    return { text, tokens: estimateTokens(text) }
  })
  const render = (most: number) => {
    const bodies = fit(outputs, most)
    return found.map((node, index) =>
      [heads[index], bodies[index], cutNote(node, bodies[index]!)].filter(Boolean).join('\n'),
    )
  }
  const excess = (blocks: readonly string[]) =>
    estimateTokens(blocks.join('\n\n')) + minTokens / 2 - maxTokens
  let most = Math.max(0, maxTokens - spent)
  let texts = render(most)
  // what is said of what is left out takes room as well
  while (most > 0 && excess(texts) > 0) {
    most = Math.max(0, most - excess(texts))
    texts = render(most)
  }
  while (texts.length > 0 && excess(texts) > 0) texts.pop()
  const left = Math.max(0, order.length - room) + found.length - texts.length
  if (left > 0) texts.push(`… and ${left} more ${left === 1 ? 'task' : 'tasks'}.`)
  return texts.join('\n\n')
}

/** Those that nobody waits for first, each group in the order of their numbers. */
function inOrder(links: readonly NodeLinks[], wanted: ReadonlySet<number>): number[] {
  const own = links.filter(({ id }) => wanted.has(id))
  const used = new Set(own.flatMap(({ dependencies }) => dependencies))
  const isLast = ({ id, parentId }: NodeLinks) => !used.has(id) && !wanted.has(parentId)
  const byNumber = own.toSorted((a, b) => a.id - b.id)
  return [...byNumber.filter(isLast), ...byNumber.filter((node) => !isLast(node))].map(({ id }) => id)
}

function headOf(node: NodeRecord): string {
  const { id, name, result } = node
  const files = result?.evidence?.files ?? []
  const more = files.length - maxFiles
  const failed = (result?.checks ?? []).filter(({ passed }) => !passed)
  return [
    `### [${id}] ${cut(oneLine(name), maxName)}${isUndone(node) ? ` (${node.status})` : ''}`,
    files.length > 0 &&
      `Changed: ${files.slice(0, maxFiles).join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
    failed.length > 0 && `Checks not passed: ${failed.map(({ check }) => cut(check, maxName)).join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n')
}

function cutNote({ id, result }: NodeRecord, shown: string): string | undefined {
  const left = result!.output.trim().length - shown.length
  return left > 0 ? `[${left} more characters: request_subgraph with task_id ${id}]` : undefined
}

/** The texts, cut so that they have so many tokens in all; a short one gives what it does not need to the others. */
function fit(texts: readonly { text: string; tokens: number }[], maxTokens: number): string[] {
  const bySize = texts.map((_, index) => index).sort((a, b) => texts[a]!.tokens - texts[b]!.tokens)
  const fitted = texts.map(({ text }) => text)
  let left = maxTokens
  for (const [place, index] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - place))
    const { text, tokens } = texts[index]!
    if (tokens > share) fitted[index] = cutTokens(text, share, tokens)
    left -= Math.min(share, tokens)
  }
  return fitted
}

function cutTokens(text: string, most: number, tokens: number): string {
  let length = Math.floor((text.length * most) / tokens)
  let shown = text.slice(0, length).toWellFormed()
  while (length > 0 && estimateTokens(shown) > most) {
    length = Math.floor(length * 0.9)
    shown = text.slice(0, length).toWellFormed()
  }
  return shown
}
