import type { Dirent } from 'node:fs'
import { listConfined } from '../../core/files/confined-file.ts'
import type { Location } from '../../core/files/workspaces.ts'
import { namePlace, requireDone } from './file-place.ts'

// a folder of more is a heap of data; "glob" finds things in it
const maxEntries = 1_000

/** The names in a folder, in order: folders end in `/`, links in `@`. */
export async function listFolder(location: Location, maxOutput: number): Promise<object> {
  const listed = requireDone(
    await listConfined(location.root, location.path || '.', maxEntries, location),
    location,
  )
  const entries: string[] = []
  let left = maxOutput
  for (const entry of listed.entries) {
    const name = entry.name + signOf(entry)
    left -= name.length + 4
    if (left < 0) break
    entries.push(name)
  }
  const isCut = listed.isCut || entries.length < listed.entries.length
  return {
    ...namePlace(location),
    entries,
    ...(isCut && { cut: `Only ${entries.length} entries are shown; find others with "glob".` }),
  }
}

const signOf = (entry: Dirent) =>
  entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : entry.isFile() ? '' : '!'
