import { invalidRequest } from '../../core/protocol/error.ts'
import type { Slots } from '../../core/store/queries/claims.ts'

/** The most nodes of one run that the background does at once, and the setting that says so. */
export function mostParallel({ maxPerParent, maxGlobal }: Slots): { most: number; setting: string } {
  return maxPerParent <= maxGlobal
    ? { most: maxPerParent, setting: 'background.maxPerParent' }
    : { most: maxGlobal, setting: 'background.maxGlobal' }
}

/** Refuses a wish that nobody would keep. */
export function requireParallel(slots: Slots, wanted: number | undefined, name = 'maxParallel'): void {
  if (wanted === undefined) return
  const { most, setting } = mostParallel(slots)
  if (wanted > most)
    throw invalidRequest(
      `${name} is ${wanted}, but ${setting} lets ${most} go on at once: say ${most} or less.`,
      {
        most,
        setting,
      },
    )
}
