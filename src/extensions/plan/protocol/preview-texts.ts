import type { RunPreview } from './run-preview.ts'

/** Texts of a run preview; pages have their own. */
export interface PreviewWords {
  nodes: string
  more(count: string): string
  estimate: string
  unknown: string
  tokens(count: string): string
  cost(amount: string): string
  basedOn(count: string): string
  limit: string
  noLimit: string
}

const previewWords: PreviewWords = {
  nodes: 'nodes',
  more: (count) => `… and ${count} more`,
  estimate: 'estimate',
  unknown: 'unknown: no node was completed here yet',
  tokens: (count) => `${count} tokens`,
  cost: (amount) => `cost ${amount}`,
  basedOn: (count) => `by the average of the last ${count} that were completed`,
  limit: 'limit',
  noLimit: 'none',
}

/** Which nodes would be run, what that is expected to use, and where it stops. */
export function previewTexts(
  { nodes, nodeCount, estimate, limit }: RunPreview,
  words: PreviewWords = previewWords,
): { name: string; text: string }[] {
  const lines = nodes.map(({ id, name, instruction }) =>
    instruction.trim() === '' ? `[${id}] ${name}` : `[${id}] ${name}: ${instruction}`,
  )
  const left = nodeCount - nodes.length
  const about = estimate && `≈ ${describe(estimate, words)} (${words.basedOn(count(estimate.basedOn))})`
  return [
    { name: words.nodes, text: [...lines, ...(left > 0 ? [words.more(count(left))] : [])].join('\n') },
    { name: words.estimate, text: about ?? words.unknown },
    { name: words.limit, text: describe(limit, words) || words.noLimit },
  ]
}

const describe = ({ tokens, cost }: RunPreview['limit'], words: PreviewWords): string =>
  [
    ...(tokens === undefined ? [] : [words.tokens(count(tokens))]),
    ...(cost === undefined ? [] : [words.cost(amount(cost))]),
  ].join(', ')

const count = (value: number) => value.toLocaleString('en')
// small sums are what most runs cost
const amount = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 })
