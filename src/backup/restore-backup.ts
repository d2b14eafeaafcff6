import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { conflict, invalidRequest, ParleyError } from '../protocol/error.ts'
import { lockDataDir } from '../store/sqlite/data-dir-lock.ts'
import { checkDatabase, requireUnused } from '../store/sqlite/database-file.ts'
import { readMigrations } from '../store/migrate.ts'
import { copySynced, hashFile, look, sync, syncFolders } from './disk.ts'
import { databaseName, keptNames, readManifest, type KeptFile, type Manifest } from './manifest.ts'

export interface RestoreOptions {
  /** The folder that `createBackup` made; it stays as it is. */
  source: string
  dataDir: string
  /** Where there is a database already: moves it and what belongs to it aside. */
  force?: boolean
  report?: (line: string) => void
}

export interface Restored {
  manifest: Manifest
  /** The folder that holds what was there before. */
  replaced?: string
}

// the mirror follows the database that was there, and is made anew
const derived = [`${databaseName}-wal`, `${databaseName}-shm`, 'mirror']

/**
 * Puts a backup into a data folder that no server works on. Everything is copied beside its place and checked first;
 * the database takes its place last, in one step, so that a crash leaves the old one or the new one.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { force = false, report = () => {} } = options
  const [source, dataDir] = [resolve(options.source), resolve(options.dataDir)]
  const manifest = await readManifest(source)
  requireKnownSchema(source, manifest)

  const lock = lockDataDir(dataDir)
  const draft = join(dataDir, `restore.${randomUUID()}.tmp`)
  try {
    const database = join(dataDir, databaseName)
    const isThere = (await look(database)) !== undefined
    if (isThere && !force)
      throw conflict(
        `${dataDir} has a database already. Restore into another folder (--data-dir), or give --force to move it aside.`,
        { dataDir },
      )
    requireUnused(database)
    await mkdir(draft, { mode: 0o700 })
    for (const file of manifest.files) await copyChecked(source, draft, file)
    for (const { path, target } of manifest.links) await makeLink(join(draft, path), target)
    report(`copied ${manifest.files.length} files; checking the database`)
    requireSchema(join(draft, databaseName), manifest)
    await syncFolders(draft)

    // somebody may have come meanwhile: the lock keeps servers out, but not commands
    requireUnused(database)
    const replaced = await setAside(dataDir)
    for (const name of keptNames)
      if (await look(join(draft, name))) await rename(join(draft, name), join(dataDir, name))
    await rename(join(draft, databaseName), database)
    await sync(dataDir)
    return { manifest, ...(replaced !== undefined && { replaced }) }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom(dataDir, error) : error
  } finally {
    await rm(draft, { recursive: true, force: true })
    lock.release()
  }
}

function requireKnownSchema(source: string, { schema, parley }: Manifest): void {
  const newest = readMigrations('sqlite').at(-1)!.number
  if (schema > newest)
    throw invalidRequest(
      `${source} was made by Parley ${parley} and has schema version ${schema}, this Parley knows versions up to ${newest}. Restore it with Parley ${parley} or a newer one.`,
    )
}

/** The copy is what counts, so the copy is checked. */
async function copyChecked(source: string, draft: string, { path, bytes, sha256 }: KeptFile): Promise<void> {
  const to = join(draft, path)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const found = await look(join(source, path))
  if (!found?.isFile()) throw torn(source, `${path} is missing`)
  await copySynced(join(source, path), to)
  const copy = await hashFile(to)
  if (copy.bytes !== bytes) throw torn(source, `${path} has ${copy.bytes} bytes in place of ${bytes}`)
  if (copy.sha256 !== sha256) throw torn(source, `${path} is not what was written`)
}

async function makeLink(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await symlink(target, path)
}

function requireSchema(database: string, { schema }: Manifest): void {
  const found = checkDatabase(database)
  if (found !== schema)
    throw invalidRequest(
      `The manifest says that the database has schema version ${schema}, but it has ${found}. Use another backup.`,
    )
}

/** The database itself is copied and not moved: until the new one has its place, there is always one. */
async function setAside(dataDir: string): Promise<string | undefined> {
  const names: string[] = []
  for (const name of [databaseName, ...derived, ...keptNames])
    if (await look(join(dataDir, name))) names.push(name)
  if (names.length === 0) return undefined
  const folder = join(dataDir, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  await mkdir(folder, { mode: 0o700 })
  for (const name of names)
    if (name === databaseName) await copySynced(join(dataDir, name), join(folder, name))
    else await rename(join(dataDir, name), join(folder, name))
  await sync(folder)
  return folder
}

const torn = (source: string, what: string) =>
  invalidRequest(`${source} is damaged: ${what}. Nothing was changed; use another backup.`)

const noRoom = (dataDir: string, cause: unknown) =>
  new ParleyError('storage_full', `The disk of ${dataDir} is full; nothing was changed. Make room first.`, {
    cause,
  })
