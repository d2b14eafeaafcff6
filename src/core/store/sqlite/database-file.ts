import { existsSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { conflict, ParleyError } from '../../protocol/error.ts'
import { primaryCode, toRefusal } from './errors.ts'

/**
 * What is done with a database as a file: the schema stays as it is, so a backup can be made before an upgrade and a
 * look changes nothing.
 */

// as long as a server waits for another
const timeoutMs = 5_000
// a few MiB: often enough to report progress
const pagesPerStep = 1_000

/**
 * Copies what is committed at this moment, while others keep writing. The open transaction is what holds the moment:
 * without it SQLite starts again whenever another process commits, and under load it would never end.
 */
export async function copyDatabase(
  file: string,
  target: string,
  onProgress: (share: number) => void = () => {},
): Promise<void> {
  using database = openFile(file)
  try {
    database.exec('BEGIN')
    database.prepare('select count(*) from sqlite_schema').get()
    await backup(database, target, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    })
  } catch (error) {
    throw refusalOf(file, error)
  }
}

/** Reads the whole file. Throws when it is damaged, or none of ours; answers the version of its schema. */
export function checkDatabase(file: string): number {
  using database = openFile(file)
  try {
    const [first] = database.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[]
    if (first?.integrity_check !== 'ok') throw damaged(file, first?.integrity_check ?? 'no answer')
    const orphans = database.prepare('PRAGMA foreign_key_check').all().length
    if (orphans > 0) throw damaged(file, `${orphans} rows refer to something that is gone`)
    const known = database.prepare(`select 1 from sqlite_schema where name = 'schema_versions'`).get()
    const version = known && database.prepare('select max(number) as number from schema_versions').get()
    if (typeof version?.number !== 'number')
      throw new ParleyError('store_unavailable', `${file} is a SQLite database, but not one of Parley.`)
    return version.number
  } catch (error) {
    throw refusalOf(file, error)
  }
}

/** Throws when any process has the file open. One that cannot be read is nobody's. */
export function requireUnused(file: string): void {
  if (!existsSync(file)) return
  try {
    using database = new DatabaseSync(file, { timeout: 0 })
    // every user of a file in WAL mode shares a lock on it all the time
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT')
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (primaryCode(error) === 5)
      throw conflict(`Another process works on ${file}. Stop it, then try again.`, { file })
  }
}

function openFile(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: timeoutMs })
  } catch (error) {
    throw refusalOf(file, error)
  }
}

const damaged = (file: string, problem: string) =>
  new ParleyError('store_unavailable', `${file} is damaged: ${problem}.`)

function refusalOf(file: string, error: unknown): unknown {
  const refusal = toRefusal(error)
  return refusal ? new ParleyError(refusal.code, `${file}: ${refusal.message}`, { cause: error }) : error
}
