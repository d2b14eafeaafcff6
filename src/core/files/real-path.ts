import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Where an absolute path leads without links, as far as it exists. */
export async function findRealPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await findRealPath(parent), basename(path))
  }
}
