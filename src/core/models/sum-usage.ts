import type { Usage } from './adapter.ts'

/** What was not reported counts for nothing, and is not made up where neither says it. */
export function sumUsage(sum: Usage, more: Usage): Usage {
  const total = { ...sum }
  for (const key of Object.keys(more) as (keyof Usage)[])
    if (more[key] !== undefined) total[key] = (total[key] ?? 0) + more[key]
  return total
}
