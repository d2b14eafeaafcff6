import { createHash } from 'node:crypto'
import { createReadStream, constants } from 'node:fs'
import { copyFile, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Shares the blocks where the file system can, keeps the mode, and is on disk when it resolves. */
export async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await sync(to)
}

/** Of a folder too: without that, a power cut may take a name back. Windows has no such thing. */
export async function sync(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}

export async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Undefined when nothing has that name. */
export const look = (path: string) =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Every path at and below `path`, folders before what is in them, as seen from `root` and with `/`. */
export async function* walk(root: string, path: string): AsyncGenerator<string> {
  const found = await look(join(root, path))
  if (!found) return
  yield path
  if (!found.isDirectory()) return
  const names = await readdir(join(root, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] // deleted since we looked
    throw error
  })
  for (const name of names.sort()) yield* walk(root, `${path}/${name}`)
}

/** The folder and all in it: what has a name there keeps it. */
export async function syncFolders(folder: string): Promise<void> {
  for await (const path of walk(folder, '.'))
    if ((await look(join(folder, path)))?.isDirectory()) await sync(join(folder, path))
}
