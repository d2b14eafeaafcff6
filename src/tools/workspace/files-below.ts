import { join } from 'node:path'
import { listConfined } from '../../files/confined-file.ts'
import { lookConfined } from '../../files/confined-look.ts'
import { shownPath, type Location } from '../../files/workspaces.ts'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { requireDone } from './file-place.ts'

export interface Below {
  location: Location
  isFolder: boolean
}

// each of them is kept for an undo before it is touched
const maxEntries = 10_000

/** All that is at and below a place, what is in a folder before the folder itself. Links are not followed. */
export async function filesBelow(location: Location, signal: AbortSignal): Promise<Below[]> {
  const { root, path, forbidden } = location
  const found: Below[] = []
  const visit = async (at: Location, isFolder: boolean): Promise<void> => {
    signal.throwIfAborted()
    if (isFolder) {
      const listed = requireDone(await listConfined(root, at.path, maxEntries, forbidden), at)
      if (listed.isCut) throw tooMany(location)
      for (const entry of listed.entries)
        await visit({ ...location, path: join(at.path, entry.name) }, entry.isDirectory())
    }
    if (found.push({ location: at, isFolder }) > maxEntries) throw tooMany(location)
  }
  const stats = await lookConfined(root, path, forbidden)
  if (stats === 'folder') throw invalidRequest('A workspace itself can be neither moved nor deleted.')
  await visit(location, requireDone(stats, location).isDirectory())
  return found
}

const tooMany = (location: Location) =>
  invalidRequest(
    `${quote(shownPath(location))} holds more than ${maxEntries} files and folders; go through its parts one by one.`,
  )
