import { invalidRequest } from '../../core/protocol/error.ts'
import type { Slots } from '../../core/store/queries/claims.ts'

/** The most parallel nodes that the background allows for one run, and the setting that limits them. */
export function mostParallel({ maxPerParent, maxGlobal }: Slots): { most: number; setting: string } {
  return maxPerParent <= maxGlobal
    ? { most: maxPerParent, setting: 'background.maxPerParent' }
    : { most: maxGlobal, setting: 'background.maxGlobal' }
}

/** Rejects a limit above what the background allows. */
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
