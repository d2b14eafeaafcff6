import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { chmod, copyFile, lstat, open, readdir, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder, type OpenedFolder } from '../core/files/opened-folder.ts'

/** What a folder holds under a name; `other` is a pipe, a socket or a device. */
export type Kind = 'file' | 'folder' | 'link' | 'other'

export interface Entry {
  /** From where the walk began, with `/`. */
  path: string
  kind: Kind
  folder: OpenedFolder
  name: string
}

// a pipe that nobody writes to must not hold us up; the flags are missing on Windows
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Every entry below an opened folder, folders before what is in them. No link is followed: each folder is opened by its
 * name in the one above it, so that swapping one for a link between two steps leads nowhere.
 */
export async function* walkOpened(folder: OpenedFolder, path = ''): AsyncGenerator<Entry> {
  for (const name of (await readdir(folder.at('.'))).sort()) {
    const kind = await kindOf(folder, name)
    if (kind === undefined) continue
    const entry = { path: path === '' ? name : `${path}/${name}`, kind, folder, name }
    yield entry
    if (kind !== 'folder') continue
    await using inner = await openFolder(folder.at(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined // deleted since it was listed
      throw error
    })
    if (inner) yield* walkOpened(inner, entry.path)
  }
}

/** Undefined when it is gone. */
export async function kindOf(folder: OpenedFolder, name: string): Promise<Kind | undefined> {
  const found = await look(folder.at(name))
  if (!found) return undefined
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other'
}

/**
 * Copies a file and nothing else, and answers what is in the copy, which is on disk then. Only the owner may write to it;
 * whether it can be executed stays, and no more of its mode.
 */
export async function copyOpened(
  folder: OpenedFolder,
  name: string,
  to: string,
): Promise<{ bytes: number; sha256: string } | 'not-a-file'> {
  const handle = await open(folder.at(name), readFlags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP' || error.code === 'ENXIO') return undefined
    throw error
  })
  if (!handle) return 'not-a-file'
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return 'not-a-file'
    await copyHandle(handle, to)
    await chmod(to, (stats.mode & 0o755) | 0o600)
  } finally {
    await handle.close()
  }
  await sync(to)
  return hashFile(to)
}

/** On Linux the opened file has a path, by which the file system can share its blocks. */
const copyHandle = (handle: FileHandle, to: string) =>
  process.platform === 'linux'
    ? copyFile(`/proc/self/fd/${handle.fd}`, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    : writeFile(to, handle.createReadStream({ autoClose: false }), { flag: 'wx', mode: 0o600 })

/** Of a file of our own, which nobody swaps. */
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

/** The folder and all in it: what has a name there keeps it. */
export async function syncFolders(folder: string): Promise<void> {
  await using opened = await openFolder(folder)
  for await (const { path, kind } of walkOpened(opened)) if (kind === 'folder') await sync(join(folder, path))
  await sync(folder)
}
