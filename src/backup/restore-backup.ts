import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { conflict, invalidRequest, ParleyError } from '../core/protocol/error.ts'
import { systemClock, type Clock } from '../core/shared/clock.ts'
import { readMigrationLists, readMigrations } from '../core/store/migrate.ts'
import type { StoreSlice } from '../core/store/store-slice.ts'
import { lockDataDir } from '../core/store/sqlite/data-dir-lock.ts'
import { checkDatabase, requireUnused } from '../core/store/sqlite/database-file.ts'
import { findForeign } from '../core/store/sqlite/foreign-schema.ts'
import { restrictDatabase, type Restrictions } from '../core/store/sqlite/restrict-database.ts'
import { dropAddresses } from './drop-addresses.ts'
import { copySynced, look, sync, syncFolders } from './disk.ts'
import {
  credentialsName,
  databaseName,
  keptNames,
  readManifest,
  workspacesName,
  type Manifest,
} from './manifest.ts'
import { copyArchive } from './read-archive.ts'

export interface RestoreOptions {
  /** The folder that `createBackup` made; it stays as it is. */
  source: string
  dataDir: string
  /** Where there is a database already: moves it and what belongs to it aside. */
  force?: boolean
  /** The backup is the operator's own: triggers, permissions and provider addresses are kept as they are. */
  trusted?: boolean
  /** Of the extensions that the server has: what else is in the database is not known to be harmless. */
  slices?: readonly StoreSlice[]
  clock?: Clock
  report?: (line: string) => void
}

export interface Restored {
  manifest: Manifest
  /** What waits for a person; undefined when the backup was trusted. */
  restricted?: Restrictions & {
    /** Providers whose stored address, and the key for it, were left out. */
    providers: string[]
  }
  /** The folder that holds what was there before. */
  replaced?: string
}

// the mirror belongs to the previous database, and is rebuilt
const derived = [`${databaseName}-wal`, `${databaseName}-shm`, 'mirror']

/**
 * Restores a backup into a data folder that no server uses. Everything is copied next to its place and verified first;
 * the database is moved into place last, in one step, so that a crash leaves the old one or the new one.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { force = false, trusted = false, slices = [], clock = systemClock, report = () => {} } = options
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
    await copyArchive(source, draft, manifest, trusted)
    report(`copied ${manifest.files.length} files; checking the database`)
    for (const name of [databaseName, credentialsName])
      if (await look(join(draft, name))) await chmod(join(draft, name), 0o600)
    requireSchema(join(draft, databaseName), manifest)
    const restricted = trusted ? undefined : await restrict({ source, draft, dataDir, slices, clock })
    await syncFolders(draft)

    // somebody may have come meanwhile: the lock keeps servers out, but not commands
    requireUnused(database)
    const replaced = await setAside(dataDir)
    for (const name of keptNames)
      if (await look(join(draft, name))) await rename(join(draft, name), join(dataDir, name))
    await rename(join(draft, databaseName), database)
    await sync(dataDir)
    return { manifest, ...(restricted && { restricted }), ...(replaced !== undefined && { replaced }) }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(dataDir, error) : error
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

/** A backup may come from anybody: it starts nothing, and allows nothing, before a person has reviewed it. */
async function restrict({
  source,
  draft,
  dataDir,
  slices,
  clock,
}: {
  source: string
  draft: string
  dataDir: string
  slices: readonly StoreSlice[]
  clock: Clock
}): Promise<NonNullable<Restored['restricted']>> {
  const database = join(draft, databaseName)
  const foreign = findForeign(database, readMigrationLists('sqlite', slices))
  if (foreign !== undefined)
    throw invalidRequest(
      `The database of ${source} has something that Parley did not make: ${foreign}. Nothing was changed; if the backup is your own, give --trusted.`,
    )
  const restricted = restrictDatabase(database, {
    clock,
    workspacesDir: join(dataDir, workspacesName),
    slices,
  })
  await sync(database)
  return { ...restricted, providers: await dropAddresses(join(draft, credentialsName)) }
}

function requireSchema(database: string, { schema }: Manifest): void {
  const found = checkDatabase(database)
  if (found !== schema)
    throw invalidRequest(
      `According to the manifest the database has schema version ${schema}, but it has ${found}. Use another backup.`,
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

const diskFull = (dataDir: string, cause: unknown) =>
  new ParleyError('storage_full', `The disk of ${dataDir} is full; nothing was changed. Make room first.`, {
    cause,
  })
