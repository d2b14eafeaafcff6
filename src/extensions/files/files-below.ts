import { join } from 'node:path'
import { listConfined } from '../../core/files/confined-file.ts'
import { statConfined } from '../../core/files/stat-confined.ts'
import { requireUse } from '../../core/files/file-rules.ts'
import { refuseChange } from '../../core/files/file-refusal.ts'
import { shownPath, type Location } from '../../core/files/workspaces.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { requireDone } from './file-place.ts'

export interface Below {
  location: Location
  isFolder: boolean
}

// each of them is kept for an undo before it is touched
const maxEntries = 10_000

/**
 * All that is at and below a place, what is in a folder before the folder itself. Links are not followed. Refused as a
 * whole where rules close one of them: a change of a folder is one of everything in it.
 */
export async function filesBelow(
  location: Location,
  use: 'move' | 'delete',
  signal: AbortSignal,
): Promise<Below[]> {
  const { root, path } = location
  const found: Below[] = []
  const visit = async (at: Location, isFolder: boolean): Promise<void> => {
    signal.throwIfAborted()
    if (isFolder) {
      const listed = requireDone(await listConfined(root, at.path, maxEntries, location), at)
      if (listed.isCut) throw tooMany(location)
      for (const entry of listed.entries)
        await visit({ ...location, path: join(at.path, entry.name) }, entry.isDirectory())
    }
    const refused = await refuseChange(() => requireUse(location, [join(root, at.path)], use))
    if (typeof refused === 'string') requireDone(refused, at)
    if (found.push({ location: at, isFolder }) > maxEntries) throw tooMany(location)
  }
  const stats = await statConfined(root, path, location)
  if (stats === 'folder') throw invalidRequest('A workspace itself can be neither moved nor deleted.')
  await visit(location, requireDone(stats, location).isDirectory())
  return found
}

const tooMany = (location: Location) =>
  invalidRequest(
    `${quote(shownPath(location))} holds more than ${maxEntries} files and folders; go through its parts one by one.`,
  )
