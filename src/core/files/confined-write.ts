import { randomBytes } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { mkdir, open, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isInside, requireUse, type Closed, type FileUse } from './file-rules.ts'
import { readFlags, requireKind, requireOneName } from './confined-file.ts'
import { statPlace } from './stat-confined.ts'
import { refuseChange, RefusalError, type ChangeRefusal } from './file-refusal.ts'
import { walkTo, type Place, type WalkOptions } from './walk-to.ts'

/**
 * Changes that cannot leave a folder, even while another process swaps directories for links: each is made by name in
 * a folder that is held open and was asked where it really is. `root` is a real path; `path` starts from it or is
 * absolute. Beyond Linux names cannot be held open, and somebody who swaps folders at the right moment can lead a
 * change astray.
 */

export interface ChangeOptions extends Closed {
  /** Makes the folders on the way that are missing. */
  makesFolders?: boolean
  /** Replaces what is there; default true for a write, false for a move. */
  replaces?: boolean
}

const newFileMode = 0o644
const chunkBytes = 256 * 1024

/**
 * Writes a whole file: readers see the old content or the new one, and it is on the disk when this returns.
 * A link is followed as long as it stays inside. A second name of the old file keeps the old content.
 */
export async function writeConfined(
  root: string,
  path: string,
  bytes: Uint8Array,
  { makesFolders, replaces = true, ...closed }: ChangeOptions = {},
): Promise<{ isNew: boolean } | ChangeRefusal> {
  return refuseChange(async () => {
    await using place = await walkTo(root, path, { makesFolders, closed, followsLast: true })
    await requireUse(closed, [resolve(root, path), await realOf(place)], 'write')
    const old = await statPlace(place)
    if (old) requireKind(old)
    if (old && !replaces) throw new RefusalError('exists')
    await putFile(place, old && Number(old.mode), (file) => file.writeFile(bytes))
    return { isNew: old === undefined }
  })
}

/** Deletes a file, a link itself, or an empty folder. */
export async function deleteConfined(
  root: string,
  path: string,
  closed: Closed = {},
): Promise<{ isFolder: boolean } | ChangeRefusal> {
  return refuseChange(async () => {
    await using place = await walkTo(root, path, { closed })
    const isFolder = (await requireMovable(place, closed, 'delete')).isDirectory()
    await (isFolder ? rmdir : unlink)(place.folder.at(place.name))
    return { isFolder }
  })
}

/**
 * Moves a file, a link itself, or a folder. The target is checked just before; what another
 * process puts there in that moment is replaced. A folder cannot go to another device.
 */
export async function moveConfined(
  fromRoot: string,
  from: string,
  toRoot: string,
  to: string,
  { makesFolders, replaces = false, ...closed }: ChangeOptions = {},
): Promise<{ isNew: boolean } | ChangeRefusal> {
  return refuseChange(async () => {
    await using source = await walkTo(fromRoot, from, { closed })
    const moved = await requireMovable(source, closed, 'move')
    await using target = await walkTo(toRoot, to, { makesFolders, closed })
    await requireUse(closed, [resolve(toRoot, to), await realOf(target)], 'write')
    const old = await statPlace(target)
    if (old?.isDirectory()) throw new RefusalError('folder')
    if (old && !replaces) throw new RefusalError('exists')
    try {
      await rename(source.folder.at(source.name), target.folder.at(target.name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV' || !moved.isFile()) throw error
      await copyFile(source, target, moved)
      await unlink(source.folder.at(source.name))
    }
    await target.folder.sync()
    return { isNew: old === undefined }
  })
}

/** Makes a folder and those on the way to it; one that is there already is fine. */
export async function makeFolderConfined(
  root: string,
  path: string,
  closed: Closed = {},
): Promise<{ isNew: boolean } | ChangeRefusal> {
  return refuseChange(async () => {
    const options: WalkOptions = { closed, makesFolders: true, followsLast: true }
    await using place = await walkTo(root, path, options)
    const old = await statPlace(place)
    if (old && !old.isDirectory()) throw new RefusalError('exists')
    if (!old) await mkdir(place.folder.at(place.name))
    return { isNew: old === undefined }
  })
}

/** A folder around a forbidden one stays where it is: elsewhere nobody would know the other one again. */
async function requireMovable(place: Place, closed: Closed, use: FileUse): Promise<BigIntStats> {
  const stats = await statPlace(place)
  if (!stats) throw new RefusalError('absent')
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) throw new RefusalError('special')
  const real = await realOf(place)
  if (closed.forbidden?.some((folder) => isInside(real, folder))) throw new RefusalError('outside')
  await requireUse(closed, [real], use)
  return stats
}

const realOf = async ({ folder, name }: Place): Promise<string> => join(await folder.real(), name)

/** Beside the target first, for nobody else to read, and then in its place in one go. */
async function putFile(
  { folder, name }: Place,
  oldMode: number | undefined,
  fill: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = folder.at(`.parley-${randomBytes(12).toString('hex')}.tmp`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  try {
    {
      await using file = await open(temporary, flags, oldMode === undefined ? newFileMode : 0o600)
      await fill(file)
      if (oldMode !== undefined) await file.chmod(oldMode & 0o777)
      await file.sync()
    }
    await rename(temporary, folder.at(name))
  } catch (error) {
    // what went wrong matters more than what is left of it
    await unlink(temporary).catch(() => undefined)
    throw error
  }
  await folder.sync()
}

async function copyFile(source: Place, target: Place, { mode }: BigIntStats): Promise<void> {
  await using file = await open(source.folder.at(source.name), readFlags | (constants.O_NOFOLLOW ?? 0))
  const stats = await file.stat({ bigint: true })
  requireKind(stats)
  requireOneName(stats)
  const chunk = Buffer.alloc(chunkBytes)
  await putFile(target, Number(mode), async (copy) => {
    for (;;) {
      const { bytesRead } = await file.read(chunk)
      if (bytesRead === 0) return
      await copy.writeFile(chunk.subarray(0, bytesRead))
    }
  })
}
