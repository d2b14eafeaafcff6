import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conflict } from '../../protocol/error.ts'
import { makeDataDir } from '../data-dir.ts'
import { lockFile } from './file-lock.ts'

/** Who holds a data folder, for the message that a second server gets. */
export interface Holder {
  pid: number
  startedAt: string
  url?: string
}

export interface DataDirLock {
  /** Records for others where this server can be reached. */
  announce(holder: Holder): void
  release(): void
}

/** One server per data folder. */
export function lockDataDir(dataDir: string): DataDirLock {
  makeDataDir(dataDir)
  const holderFile = join(dataDir, 'server.json')
  const lock = lockFile(join(dataDir, 'server.lock'))
  if (!lock) throw heldBy(dataDir, readHolder(holderFile))
  return {
    announce: (holder) => writeFileSync(holderFile, `${JSON.stringify(holder)}\n`, { mode: 0o600 }),
    release() {
      rmSync(holderFile, { force: true })
      lock.close()
    },
  }
}

/** The server that uses a data folder; nothing of where it is while it is just starting. */
export function findServer(dataDir: string): Partial<Holder> | undefined {
  const file = join(dataDir, 'server.lock')
  if (!existsSync(file)) return undefined
  const lock = lockFile(file)
  if (!lock) return readHolder(join(dataDir, 'server.json')) ?? {}
  lock.close()
  return undefined
}

function heldBy(dataDir: string, holder: Holder | undefined) {
  const who = holder
    ? `process ${holder.pid}, since ${holder.startedAt}${holder.url ? `, at ${holder.url}` : ''}`
    : 'another process that is just starting'
  return conflict(
    `The data folder ${dataDir} is in use by a Parley server (${who}). Use that one, stop it, or set PARLEY_DATA_DIR.`,
    { dataDir, holder },
  )
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return undefined // not written yet: the other one is between lock and announcement
  }
}
