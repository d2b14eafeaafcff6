import { constants, type BigIntStats, type Dirent } from 'node:fs'
import { open, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/**
 * Reads that cannot leave a folder, even while another process swaps directories for links: the file is opened
 * first, then the handle is asked where it really is, then the handle is read. Linux tells through /proc.
 * Elsewhere the real path is looked up after opening and must still be the opened file.
 */

export type Refusal = 'absent' | 'outside' | 'folder' | 'special' | 'unreadable'

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
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Reads up to `maxBytes` of a regular file. `folder` is a real path; `path` starts from it or is absolute. */
export async function readConfined(
  folder: string,
  path: string,
  maxBytes: number,
): Promise<ConfinedFile | Refusal> {
  return refuse(async () => {
    const target = requireInside(folder, path)
    // a look first, so that a pipe or a device is not even opened
    requireKind(await stat(target, { bigint: true }))
    await using handle = await open(target, readFlags)
    const stats = await handle.stat({ bigint: true })
    const real = await findReal(handle, target, stats)
    requireInside(folder, real)
    requireKind(stats)
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
): Promise<ConfinedFolder | Refusal> {
  return refuse(async () => {
    const target = requireInside(folder, path)
    const seen = await stat(target, { bigint: true })
    if (!seen.isDirectory()) throw new RefusalError(seen.isFile() ? 'absent' : 'special')
    if (process.platform !== 'linux') {
      const real = requireInside(folder, await realpath(target))
      return { real, stats: seen, ...(await readEntries(real, maxEntries)) }
    }
    await using handle = await open(target, readFlags | constants.O_DIRECTORY)
    const stats = await handle.stat({ bigint: true })
    const real = requireInside(folder, await findReal(handle, target, stats))
    return { real, stats, ...(await readEntries(`/proc/self/fd/${handle.fd}`, maxEntries)) }
  })
}

/** Whether `path` is `folder` or lies in it; both absolute. Looks at the text only. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

class RefusalError extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}

async function refuse<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return refusalByCode[code] ?? 'unreadable'
  }
}

const refusalByCode: Record<string, Refusal> = {
  ENOENT: 'absent',
  ENOTDIR: 'absent',
  ELOOP: 'absent',
  ENAMETOOLONG: 'absent',
  EISDIR: 'folder',
  ENXIO: 'special',
}

/** Refused by its text alone, so that nobody learns what exists elsewhere. */
function requireInside(folder: string, path: string): string {
  if (path.includes('\0')) throw new RefusalError('absent')
  const target = resolve(folder, path)
  if (!isInside(folder, target)) throw new RefusalError('outside')
  return target
}

function requireKind(stats: BigIntStats): void {
  if (stats.isDirectory()) throw new RefusalError('folder')
  if (!stats.isFile()) throw new RefusalError('special')
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
