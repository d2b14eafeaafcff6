import type { PassedItems } from './store/workflow-runs.ts'

type Ranges = PassedItems['ranges']

/** Few ranges: items are started in order, so there are no more gaps than running items. */
export const holds = (ranges: Ranges, index: number): boolean =>
  ranges.some(([first, last]) => first <= index && index <= last)

export const countIn = (ranges: Ranges): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)

export function withIndexes(ranges: Ranges, indexes: readonly number[]): Ranges {
  const merged: [number, number][] = []
  const all = [...ranges, ...indexes.map((index) => [index, index] as const)].toSorted(([a], [b]) => a - b)
  for (const [first, last] of all) {
    const before = merged.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}
