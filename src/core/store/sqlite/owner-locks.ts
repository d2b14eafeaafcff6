import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockOf, type OwnerLocks, toOwnerName } from '../owner-locks.ts'
import { lockFile } from './file-lock.ts'

/**
 * A file for each owner in a folder beside the database; it is removed with its owner, or by who finds that one gone.
 * Calls back once for each file that cannot be opened or removed.
 */
export function createSqliteOwnerLocks(
  folder: string,
  onTrouble: (file: string, error: unknown) => void = () => {},
): OwnerLocks {
  const troubled = new Set<string>()
  const fileOf = (lock: string) => join(folder, `${lock}.lock`)

  /** What cannot be done with a file is not known of its owner. */
  function attempt<T>(file: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      // it is looked at again every second
      if (!troubled.has(file)) onTrouble(file, error)
      troubled.add(file)
      return undefined
    }
  }

  function isGone(owner: string): boolean {
    const lock = lockOf(owner)
    if (lock === undefined) return false
    const file = fileOf(lock)
    const isFree = attempt(file, () => {
      // a database that was copied elsewhere comes without the locks
      if (!lstatSync(file, { throwIfNoEntry: false })) return true
      const taken = lockFile(file)
      taken?.close()
      return taken !== undefined
    })
    if (isFree) attempt(file, () => rmSync(file, { force: true }))
    return isFree === true
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
