import { join } from 'node:path'
import { statConfined } from '../../core/files/stat-confined.ts'
import { createPathMatcher } from '../../core/files/globs.ts'
import type { Location } from '../../core/files/workspaces.ts'
import {
  fit,
  requireSimple,
  shownBelow,
  tooLarge,
  toNotes,
  walkBelow,
  type SearchBounds,
} from './search-below.ts'

export interface GlobOptions {
  /** From the folder on: `*.md` means the files in it, and `**` any folders between. */
  pattern: string
  isNewestFirst: boolean
  limit: number
}

const statsAtOnce = 16

/** Paths of files that a pattern means, a line each: by name, or the newest first. */
export async function globFiles(
  location: Location,
  { pattern, isNewestFirst, limit }: GlobOptions,
  bounds: SearchBounds,
): Promise<string> {
  const isMeant = createPathMatcher(requireSimple(pattern.replace(/^(\.?\/)+/, '')))
  const { names, isCut } = await walkBelow(location, bounds)
  const found = names.filter((name) => isMeant(name))
  if (isNewestFirst) await sortByAge(location, found, bounds.signal)
  const shown = fit(
    found.slice(0, limit).map((name) => shownBelow(location, name)),
    bounds.maxOutput,
  )
  const left = found.length - shown.length
  return [
    found.length === 0 ? 'No such files.' : shown.join('\n'),
    ...toNotes([left > 0 && `${left} more; make the pattern or "path" narrower`, isCut && tooLarge]),
  ].join('\n')
}

async function sortByAge(location: Location, names: string[], signal: AbortSignal): Promise<void> {
  const changedAt = new Map<string, bigint>()
  for (let from = 0; from < names.length; from += statsAtOnce) {
    signal.throwIfAborted()
    const reads = names.slice(from, from + statsAtOnce).map(async (name) => {
      const stats = await statConfined(location.root, join(location.path, name), location)
      changedAt.set(name, typeof stats === 'string' ? 0n : stats.mtimeNs)
    })
    await Promise.all(reads)
  }
  // those of the same age stay in the order of their names
  names.sort((one, two) => Number(changedAt.get(two)! - changedAt.get(one)!))
}
