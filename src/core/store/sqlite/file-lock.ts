import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '../data-dir.ts'
import { primaryCode } from './errors.ts'

const busy = 5

/**
 * Locks a file of its own, empty but for the lock; undefined when another process has it. The lock is SQLite's own file
 * lock, which the system frees when the process dies however it dies; a mere lock file would stay behind after a crash.
 */
export function lockFile(path: string): DatabaseSync | undefined {
  makePrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // a journal would be a second file, which nobody removes after a crash
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (primaryCode(error) !== busy) throw error
    return undefined
  }
}
