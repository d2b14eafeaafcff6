import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { invalidRequest } from '../protocol/error.ts'

/** Something in a data folder that other users of the machine could read. */
export interface OpenToOthers {
  path: string
  /** What would be wrong still; undefined when it was put right. */
  problem?: string
}

/** What Parley keeps in a data folder. SQLite gives the files beside a database the mode of the database. */
const ownNames = [
  'parley.db',
  'parley.db-wal',
  'parley.db-shm',
  'credentials.json',
  'history.jsonl',
  'server.json',
  'server.lock',
  'owners',
  'workspaces',
  'mirror',
]

/**
 * Makes the data folder where it is not there yet, and closes it and what is in it to everybody but its owner, whoever
 * made it and with whatever mode. Answers what was open. Windows has other means, and nothing is done there.
 */
export function makeDataDir(dataDir: string): OpenToOthers[] {
  try {
    makeFolders(resolve(dataDir))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw invalidRequest(
      `The data folder ${dataDir} cannot be created (${code}). Make the folder above it writable, or set PARLEY_DATA_DIR.`,
      { dataDir },
    )
  }
  if (process.platform === 'win32') return []
  return [dataDir, ...ownNames.map((name) => join(dataDir, name))].flatMap(closeToOthers)
}

/** Step by step: where a file system refuses folders by saying that there is no such file, as /proc does, Node would retry for ever. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error('a file'), { code: 'ENOTDIR' })
    return
  }
  const above = dirname(folder)
  if (above !== folder) makeFolders(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // another process may have made it meanwhile
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes an empty file for its owner alone, whatever the umask; one that is there stays as it is. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function closeToOthers(path: string): OpenToOthers[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // what a link leads to was put there by somebody who wanted it elsewhere
  if (!found || found.isSymbolicLink() || (found.mode & 0o077) === 0) return []
  // a folder such as /tmp, which is everybody's
  if ((found.mode & 0o1000) !== 0) return [{ path, problem: 'it is shared by all users' }]
  if (found.uid !== process.getuid?.()) return [{ path, problem: 'it belongs to another user' }]
  try {
    chmodSync(path, found.mode & (found.isDirectory() ? 0o7700 : 0o600))
    return [{ path }]
  } catch (error) {
    // a file system without modes: better to work than to refuse
    return [{ path, problem: `its mode cannot be changed (${(error as NodeJS.ErrnoException).code})` }]
  }
}

/** A sentence for the log. */
export const describeOpen = ({ path, problem }: OpenToOthers): string =>
  problem === undefined
    ? `other users of this machine could read ${path}; now they cannot`
    : `other users of this machine can read ${path}: ${problem}. Set PARLEY_DATA_DIR to a folder of your own.`
