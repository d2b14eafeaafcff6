import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, mkdir, open, readlink, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { conflict, ParleyError } from '../protocol/error.ts'
import { checkDatabase, copyDatabase } from '../store/sqlite/database-file.ts'
import { copySynced, hashFile, look, sync, syncFolders, walk } from './disk.ts'
import { databaseName, keptNames, manifestName, readManifest, toManifest, type Manifest } from './manifest.ts'

export interface BackupOptions {
  dataDir: string
  /** The folder to make. */
  target: string
  /** Takes the place of an earlier backup of that name; never of anything else. */
  force?: boolean
  /** Of this Parley. */
  version: string
  report?: (line: string) => void
  /** Handed what undoes a backup that is cut short. */
  onStart?: (undo: () => void) => void
}

/**
 * Makes a folder with the database as it is now and the files that belong to it, while a server works on them. It has
 * its name only when all of it is checked and on disk.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest> {
  const { dataDir, force = false, version, report = () => {} } = options
  const target = resolve(options.target)
  const database = join(dataDir, databaseName)
  if (!(await look(database))) throw nothingToBackUp(database)
  await requireFree(target, force)

  const draft = `${target}.${randomUUID()}.tmp`
  await mkdir(dirname(target), { recursive: true })
  await mkdir(draft, { mode: 0o700 })
  options.onStart?.(() => rmSync(draft, { recursive: true, force: true }))
  try {
    await copyDatabase(database, join(draft, databaseName), tenths(report))
    await chmod(join(draft, databaseName), 0o600)
    report('checking the copy of the database')
    const schema = checkDatabase(join(draft, databaseName))
    await sync(join(draft, databaseName))
    const { files, links } = await copyFiles(dataDir, draft, report)
    files.unshift({ path: databaseName, ...(await hashFile(join(draft, databaseName))) })
    const text = toManifest({ parley: version, schema, createdAt: new Date().toISOString(), files, links })
    await writeSynced(join(draft, manifestName), text)
    await syncFolders(draft)
    await putInPlace(draft, target)
    return await readManifest(target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noRoom(target, error) : error
  }
}

async function requireFree(target: string, force: boolean): Promise<void> {
  if (!(await look(target))) return
  if (!force)
    throw conflict(`${target} is there already. Choose another name, or give --force to replace that backup.`)
  await readManifest(target).catch(() => {
    throw conflict(`${target} is there already and is no backup, so --force does not replace it.`)
  })
}

/** What is deleted meanwhile is left out; what is neither file, folder nor link too. */
async function copyFiles(dataDir: string, draft: string, report: (line: string) => void) {
  const files: Manifest['files'] = []
  const links: Manifest['links'] = []
  for (const name of keptNames)
    for await (const path of walk(dataDir, name)) {
      const [from, to] = [join(dataDir, path), join(draft, path)]
      try {
        const found = await look(from)
        if (found?.isDirectory()) await mkdir(to, { mode: 0o700 })
        else if (found?.isSymbolicLink()) links.push({ path, target: await readlink(from) })
        else if (found?.isFile()) {
          await copySynced(from, to)
          files.push({ path, ...(await hashFile(to)) })
        } else report(`left out ${path}: it is gone, or not a file`)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        report(`left out ${path}: it was deleted meanwhile`)
      }
    }
  return { files, links }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.sync()
}

/** An earlier backup goes only when the new one has its place. */
async function putInPlace(draft: string, target: string): Promise<void> {
  const earlier = (await look(target)) && `${target}.${randomUUID()}.old`
  if (earlier) await rename(target, earlier)
  await rename(draft, target)
  await sync(dirname(target))
  if (earlier) await rm(earlier, { recursive: true })
}

/** Tells of every tenth. */
function tenths(report: (line: string) => void) {
  let told = 0
  return (share: number) => {
    const tenth = Math.floor(share * 10)
    if (tenth <= told) return
    told = tenth
    report(`copying the database: ${tenth * 10} %`)
  }
}

const nothingToBackUp = (file: string) =>
  new ParleyError('not_found', `There is no database at ${file}. Name its folder with --data-dir.`, {
    details: { file },
  })

const noRoom = (target: string, cause: unknown) =>
  new ParleyError('storage_full', `The disk of ${target} is full. Make room, or write to another one.`, {
    cause,
  })
