import type { BigIntStats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import type { Closed } from './file-rules.ts'
import { refuse, RefusalError, type Refusal } from './file-refusal.ts'
import { walkTo, type Place } from './walk-to.ts'

/** What is at a path, a link being what it is; a root that is a folder answers `folder`. */
export async function statConfined(
  root: string,
  path: string,
  closed: Closed = {},
): Promise<BigIntStats | Refusal> {
  return refuse(async () => {
    await using place = await walkTo(root, path, { closed })
    const stats = await statPlace(place)
    if (!stats) throw new RefusalError('absent')
    return stats
  })
}

export const statPlace = (place: Place): Promise<BigIntStats | undefined> =>
  lstat(place.folder.at(place.name), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
