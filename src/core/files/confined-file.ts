import { constants, type BigIntStats, type Dirent } from 'node:fs'
import { open, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { requireInside, requireUse, type Closed } from './file-rules.ts'
import { refuse, RefusalError, type Refusal } from './file-refusal.ts'

/**
 * Reads that cannot leave a folder, even while another process swaps directories for links: the file is opened
 * first, then the handle is asked where it really is, then the handle is read. Linux reports it in /proc.
 * Elsewhere the real path is looked up after opening and must still be the opened file.
 */

export interface ConfinedFile {
  /** The path without links. */
  real: string
  stats: BigIntStats
  content: Buffer
  /** Whether the file is longer than what was read. */
  isCut: boolean
}

export interface ConfinedFolder {
  real: string
  stats: BigIntStats
  /** Sorted by name. */
  entries: Dirent[]
  isCut: boolean
}

// no blocking on a pipe nobody writes to; the flags are missing on Windows
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Reads up to `maxBytes` of a regular file. `folder` is a real path; `path` starts from it or is absolute. What is in
 * a forbidden folder counts as outside, and so does not depend on whether it is there. Rules are held against the path
 * and against the file that was really opened.
 */
export async function readConfined(
  folder: string,
  path: string,
  maxBytes: number,
  closed: Closed = {},
): Promise<ConfinedFile | Refusal> {
  return refuse(async () => {
    const target = requireInside(folder, path, closed)
    await requireUse(closed, [target], 'read')
    // checked first, so that a pipe or a device is not even opened
    requireKind(await stat(target, { bigint: true }))
    await using handle = await open(target, readFlags)
    const stats = await handle.stat({ bigint: true })
    const real = await findReal(handle, target, stats)
    requireInside(folder, real, closed)
    await requireUse(closed, [real], 'read')
    requireKind(stats)
    requireOneName(stats)
    const content = await readStart(handle, Math.min(maxBytes, Number(stats.size)) + 1)
    const isCut = content.length > maxBytes
    return { real, stats, content: isCut ? content.subarray(0, maxBytes) : content, isCut }
  })
}

/** Lists a folder; of more than `maxEntries` it takes those that the file system names first. */
export async function listConfined(
  folder: string,
  path: string,
  maxEntries: number,
  closed: Closed = {},
): Promise<ConfinedFolder | Refusal> {
  return refuse(async () => {
    const target = requireInside(folder, path, closed)
    await requireUse(closed, [target], 'read')
    const seen = await stat(target, { bigint: true })
    if (!seen.isDirectory()) throw new RefusalError(seen.isFile() ? 'absent' : 'special')
    if (process.platform !== 'linux') {
      const real = requireInside(folder, await realpath(target), closed)
      await requireUse(closed, [real], 'read')
      return { real, stats: seen, ...(await readEntries(real, maxEntries)) }
    }
    await using handle = await open(target, readFlags | constants.O_DIRECTORY)
    const stats = await handle.stat({ bigint: true })
    const real = requireInside(folder, await findReal(handle, target, stats), closed)
    await requireUse(closed, [real], 'read')
    return { real, stats, ...(await readEntries(`/proc/self/fd/${handle.fd}`, maxEntries)) }
  })
}

export function requireKind(stats: BigIntStats): void {
  if (stats.isDirectory()) throw new RefusalError('folder')
  if (!stats.isFile()) throw new RefusalError('special')
}

/** A hard link has no place of its own: the same bytes may be a file that is out of bounds. */
export function requireOneName(stats: BigIntStats): void {
  if (stats.nlink > 1n) throw new RefusalError('linked')
}

async function findReal(handle: FileHandle, target: string, stats: BigIntStats): Promise<string> {
  if (process.platform === 'linux')
    try {
      return await readlink(`/proc/self/fd/${handle.fd}`)
    } catch {
      // no /proc here: the weaker way has to do
    }
  const real = await realpath(target)
  const now = await stat(real, { bigint: true })
  if (now.ino !== stats.ino || now.dev !== stats.dev) throw new RefusalError('outside')
  return real
}

async function readStart(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const { bytesRead } = await handle.read(buffer, length, maxBytes - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

async function readEntries(path: string, maxEntries: number): Promise<{ entries: Dirent[]; isCut: boolean }> {
  const entries: Dirent[] = []
  let isCut = false
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    isCut = entries.length === maxEntries
    if (isCut) break
    entries.push(entry)
  }
  return { entries: entries.sort((one, two) => (one.name < two.name ? -1 : 1)), isCut }
}
