import { problemAt, subjectOf, type Checked } from './check.ts'
import type { Origin, Problem } from './problem.ts'
import type { Config } from './settings.ts'

const key = 'plans.maxParallel'

/** Nodes of plans are tasks: what the background does not let go on at once is refused, and the default gives way to it. */
export function fitPlans(
  given: readonly Checked[],
  { plans, background }: Config,
  origins: Readonly<Record<string, Origin>>,
): Problem[] {
  const { maxPerParent, maxGlobal } = background
  const [most, setting] =
    maxPerParent <= maxGlobal
      ? [maxPerParent, 'background.maxPerParent']
      : [maxGlobal, 'background.maxGlobal']
  if (plans.maxParallel <= most) return []
  const entry = given.find((one) => one.key === key && one.origin === origins[key])
  if (entry)
    return [
      problemAt(
        entry,
        `${subjectOf(entry)} is ${plans.maxParallel}, but ${setting} lets ${most} tasks go on at once. Use ${most} or less, or raise ${setting}.`,
      ),
    ]
  plans.maxParallel = most
  return []
}
