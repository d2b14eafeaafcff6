import { readFileSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24

/**
 * The bytes of the pages that the commits of a SQLite database have written since its log was begun anew, which a checkpoint
 * may do after a thousand of them. Frames of before stay in the file behind those, with another salt.
 */
export function countPageBytes(databaseFile: string): number {
  const log = readFileSync(`${databaseFile}-wal`)
  const pageBytes = log.readUInt32BE(8)
  const frameBytes = frameHeaderBytes + pageBytes
  const salt = (at: number) => log.subarray(at, at + 8).toString('hex')
  let pages = 0
  for (let at = headerBytes; at + frameBytes <= log.length && salt(at + 8) === salt(16); at += frameBytes)
    pages++
  return pages * pageBytes
}
