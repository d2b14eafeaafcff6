import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { progress, SetupFailure } from './failure.js'
import { root } from './root.js'

// an install on a slow line is done by then; waiting longer would look like a hang
const patienceMs = 15 * 60_000
// a lock without a pid was taken a moment ago, or by a process that died in that moment
const graceMs = 5_000

/**
 * Runs `work` while no other process of this clone sets anything up. The lock is a directory with the holder's pid
 * in it; a dead holder's lock is taken over.
 */
export async function withSetupLock(work) {
  const path = join(root, '.node', 'setup.lock')
  await acquire(path)
  const release = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

async function acquire(path) {
  mkdirSync(join(path, '..'), { recursive: true })
  const giveUpAt = Date.now() + patienceMs
  let announced = false
  while (!take(path)) {
    const holder = readHolder(path)
    if (isStale(path, holder)) {
      discard(path, holder)
      continue
    }
    if (Date.now() > giveUpAt) throw stuck(path, holder)
    if (!announced) progress(`Waiting for process ${holder ?? '?'}, which is setting up this clone …`)
    announced = true
    await sleep(100)
  }
}

function take(path) {
  try {
    mkdirSync(path)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new SetupFailure(
      `Cannot write to ${join(path, '..')} (${error.message}); make it writable and try again.`,
    )
  }
  writeFileSync(join(path, 'pid'), String(process.pid))
  return true
}

function readHolder(path) {
  try {
    return Number(readFileSync(join(path, 'pid'), 'utf8')) || undefined
  } catch {
    return undefined // not written yet, or released just now
  }
}

function isStale(path, holder) {
  if (holder === process.pid) return true // left by an earlier process with our number, as in a restarted container
  if (holder !== undefined) return !isAlive(holder)
  try {
    return Date.now() - statSync(path).mtimeMs > graceMs
  } catch {
    return false // released just now
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Renames before it deletes: of two processes that saw the same dead holder only one gets the directory. */
function discard(path, holder) {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    // a third process was faster and this is its fresh lock: give it back
    if (readHolder(aside) !== holder) renameSync(aside, path)
  } catch {
    // somebody else discarded it
  }
  rmSync(aside, { recursive: true, force: true })
}

function stuck(path, holder) {
  const who = holder ? `process ${holder} has held` : 'another process has held'
  return new SetupFailure(
    `Cannot set up this clone because ${who} the lock for ${patienceMs / 60_000} minutes; delete ${path} if that process is not an installation.`,
  )
}
