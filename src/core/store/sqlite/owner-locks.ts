import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockOf, type OwnerLocks, toOwnerName } from '../owner-locks.ts'
import { lockFile } from './file-lock.ts'

/** A file for each owner in a folder beside the database; it is removed with its owner, or by who finds that one gone. */
export function createSqliteOwnerLocks(folder: string): OwnerLocks {
  const fileOf = (lock: string) => join(folder, `${lock}.lock`)

  function isGone(owner: string): boolean {
    const lock = lockOf(owner)
    if (lock === undefined) return false
    const file = fileOf(lock)
    // a database that was copied elsewhere comes without the locks
    if (!existsSync(file)) return true
    const taken = lockFile(file)
    if (!taken) return false
    taken.close()
    rmSync(file, { force: true })
    return true
  }

  // the system knows: one that has no lock never has it again
  const findGone = async (owners: string[]) => owners.filter(isGone)

  return {
    async hold(name) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const lock = randomBytes(9).toString('base64url')
      const held = lockFile(fileOf(lock))
      return {
        name: toOwnerName(name, lock),
        async release() {
          held?.close()
          rmSync(fileOf(lock), { force: true })
        },
      }
    },

    findGone,
    findAbsent: findGone,
  }
}
