import type { NodeResult } from '../protocol/plan-node.ts'

/** What was seen of the work on a node, in lines. */
export function describeEvidence(result: NodeResult | undefined): string[] {
  const { files = [], moreFiles = 0, calls = {}, failedCalls = 0, lastWords } = result?.evidence ?? {}
  const made = Object.entries(calls).map(([name, count]) => `${name} ${count}`)
  if (failedCalls > 0) made.push(`${failedCalls} failed`)
  return [
    ...(files.length > 0 ? [`changed: ${[...files, ...more(moreFiles)].join(', ')}`] : []),
    ...(made.length > 0 ? [`calls: ${made.join(', ')}`] : []),
    ...(result?.checks ?? []).map(
      ({ check, passed, message }) => `check ${check}: ${passed ? 'passed' : `not passed, ${message}`}`,
    ),
    ...(lastWords === undefined ? [] : [`said last: ${lastWords.replaceAll(/\s+/g, ' ')}`]),
  ]
}

const more = (count: number) => (count > 0 ? [`${count} more`] : [])
