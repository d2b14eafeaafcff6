import { constants } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusalError } from './file-refusal.ts'

/**
 * A folder that is held open. On Linux a name is looked up in this very folder, whatever becomes of the path to it
 * meanwhile. Elsewhere it is no more than a path that was a folder a moment ago: who can swap folders between two
 * calls can lead a change astray there.
 */
export interface OpenedFolder extends AsyncDisposable {
  /** What to hand to the file system for a name in it. */
  at(name: string): string
  /** Where it is now, without links. */
  real(): Promise<string>
  /** Makes sure that what was renamed in it stays so over a power cut. */
  sync(): Promise<void>
}

/** Never follows a link at the end of the path. */
export async function openFolder(path: string): Promise<OpenedFolder> {
  if (process.platform !== 'linux') return holdPath(path)
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const place = `/proc/self/fd/${handle.fd}`
  return {
    at: (name) => `${place}/${name}`,
    real: () => readlink(place),
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

async function holdPath(path: string): Promise<OpenedFolder> {
  if (!(await lstat(path)).isDirectory()) throw new RefusalError('absent')
  return {
    at: (name) => join(path, name),
    real: () => realpath(path),
    sync: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}
