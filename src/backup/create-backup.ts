import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, mkdir, open, readlink, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { conflict, ParleyError } from '../core/protocol/error.ts'
import { checkDatabase, copyDatabase } from '../core/store/sqlite/database-file.ts'
import { openFolder } from '../core/files/opened-folder.ts'
import { copyOpened, hashFile, look, sync, syncFolders, walkOpened, type Entry } from './disk.ts'
import {
  databaseName,
  isInnerLink,
  isSafePath,
  keptNames,
  manifestName,
  readManifest,
  toManifest,
  workspacesName,
  type Manifest,
} from './manifest.ts'

export interface BackupOptions {
  dataDir: string
  /** The folder to make. */
  target: string
  /** Replaces an earlier backup of that name; never anything else. */
  force?: boolean
  /** Of this Parley. */
  version: string
  report?: (line: string) => void
  /** Receives the function that undoes an interrupted backup. */
  onStart?: (undo: () => void) => void
}

/**
 * Creates a folder with the current database and the files that belong to it, while a server uses them. It has
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
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? diskFull(target, error) : error
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

/** Reports whatever is left out. A file is opened before it is inspected: models work in these folders meanwhile. */
async function copyFiles(dataDir: string, draft: string, report: (line: string) => void) {
  const kept: Pick<Manifest, 'files' | 'links'> = { files: [], links: [] }
  await using folder = await openFolder(await realpath(dataDir))
  for (const name of keptNames) {
    const found = await look(folder.at(name))
    if (found?.isSymbolicLink()) throw linkedFolder(join(dataDir, name))
    if (!found) continue
    if (name !== workspacesName) {
      await keep({ path: name, kind: 'file', folder, name }, draft, kept, report)
      if (await look(join(draft, name))) await chmod(join(draft, name), 0o600)
    } else {
      await mkdir(join(draft, name), { mode: 0o700 })
      await using workspaces = await openFolder(folder.at(name))
      for await (const entry of walkOpened(workspaces, name)) await keep(entry, draft, kept, report)
    }
  }
  return kept
}

async function keep(
  { path, kind, folder, name }: Entry,
  draft: string,
  { files, links }: Pick<Manifest, 'files' | 'links'>,
  report: (line: string) => void,
): Promise<void> {
  const leaveOut = (why: string) => report(`left out ${path}: ${why}`)
  if (!isSafePath(path)) return leaveOut('not every system can have such a name')
  try {
    if (kind === 'folder') await mkdir(join(draft, path), { mode: 0o700 })
    else if (kind === 'link') {
      const link = { path, target: await readlink(folder.at(name)) }
      if (isInnerLink(link)) links.push(link)
      else leaveOut('the link leads out of the folder of its session')
    } else {
      const copy = kind === 'file' ? await copyOpened(folder, name, join(draft, path)) : 'not-a-file'
      if (copy === 'not-a-file') leaveOut('it is not a file')
      else files.push({ path, ...copy })
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    leaveOut('it was deleted meanwhile')
  }
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

/** Reports every tenth. */
function tenths(report: (line: string) => void) {
  let reported = 0
  return (share: number) => {
    const tenth = Math.floor(share * 10)
    if (tenth <= reported) return
    reported = tenth
    report(`copying the database: ${tenth * 10} %`)
  }
}

const nothingToBackUp = (file: string) =>
  new ParleyError('not_found', `There is no database at ${file}. Name its folder with --data-dir.`, {
    details: { file },
  })

const linkedFolder = (path: string) =>
  conflict(
    `${path} is a link, and a backup would not hold what it leads to. Put the folder itself there, or mount it.`,
    {
      path,
    },
  )

const diskFull = (target: string, cause: unknown) =>
  new ParleyError('storage_full', `The disk of ${target} is full. Make room, or write to another one.`, {
    cause,
  })
