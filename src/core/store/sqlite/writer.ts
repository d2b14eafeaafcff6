import { ParleyError } from '../../protocol/error.ts'
import type { SqliteConnection } from './connection.ts'
import { primaryCode } from './errors.ts'

/** Takes transactions one after another. */
export interface Writer {
  /** Waits for its turn. */
  begin(): Promise<void>
  /** Resolves when the transaction is on disk. */
  commit(): Promise<void>
  /** Resolves when all that it could see is on disk, or gone too: why it failed may lie there. */
  rollback(): Promise<void>
  /** Resolves when nothing is left to be committed. */
  settle(): Promise<void>
}

/** Transactions that are done and wait for the one commit that puts them all on disk. */
interface Group {
  members: { resolve(): void; reject(error: unknown): void }[]
  isDue: boolean
  /** Whether the transaction under way is undone alone; the first one has no others beside it yet. */
  hasSavepoint: boolean
}

// the longest transaction, an import of a very long log, takes a few seconds
const maxWaitMs = 30_000
const busy = 5

/**
 * A commit syncs the disk, and that costs more than all else. So transactions that are made in one round of the event
 * loop share one: the first begins it, each that follows is a savepoint in it, and it is committed at the end of the
 * round. None of them ends before that; one that fails undoes itself alone.
 */
export function createWriter(connection: SqliteConnection): Writer {
  const waiting: { proceed(): void }[] = []
  let isTaken = false
  let group: Group | undefined
  let lastCommit: Promise<unknown> = Promise.resolve()

  function takeTurn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = {
        proceed() {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(waitedTooLong())
      }, maxWaitMs)
      waiting.push(entry)
    })
  }

  function giveTurn(): void {
    if (group?.isDue) commitGroup()
    const next = waiting.shift()
    if (next) next.proceed()
    else isTaken = false
  }

  function commitGroup(): void {
    const { members } = group!
    group = undefined
    try {
      connection.run('commit', [])
      for (const member of members) member.resolve()
    } catch (error) {
      connection.rollback()
      for (const member of members) member.reject(error)
    }
  }

  /** Some errors end the common transaction by themselves, and with it all that was done in it. */
  function dropGroup(error: unknown): void {
    const members = group?.members ?? []
    group = undefined
    connection.rollback()
    for (const member of members) member.reject(error)
  }

  const openGroup = (): Group => {
    const opened: Group = { members: [], isDue: false, hasSavepoint: false }
    setImmediate(() => {
      opened.isDue = true
      // a transaction that is under way commits the group when it is done
      if (group === opened && !isTaken) commitGroup()
    })
    return opened
  }

  return {
    async begin() {
      if (isTaken) await takeTurn()
      isTaken = true
      try {
        if (!group) {
          connection.ensureOpen()
          await patiently(connection, () => connection.run('begin immediate', []))
          group = openGroup()
          return
        }
        connection.run('savepoint one', [])
        group.hasSavepoint = true
      } catch (error) {
        if (group) dropGroup(error)
        giveTurn()
        throw error
      }
    },

    async commit() {
      try {
        if (!connection.isInTransaction) throw lost()
        if (group!.hasSavepoint) connection.run('release one', [])
      } catch (error) {
        dropGroup(error)
        giveTurn()
        throw error
      }
      const done = new Promise<void>((resolve, reject) => group!.members.push({ resolve, reject }))
      lastCommit = done.catch(() => {})
      giveTurn()
      await done
    },

    async rollback() {
      if (!connection.isInTransaction || !group?.hasSavepoint) dropGroup(lost())
      else
        try {
          connection.run('rollback to one', [])
          connection.run('release one', [])
        } catch (error) {
          dropGroup(error)
        }
      const seen = group?.members
      const done = seen && new Promise<void>((resolve) => seen.push({ resolve, reject: () => resolve() }))
      giveTurn()
      await done
    },

    async settle() {
      await lastCommit
    },
  }
}

/**
 * Waits while another process (or another Parley of this one) writes. SQLite's own waiting would stop this whole
 * process, and with it the other Parley's transaction that it waits for.
 */
async function patiently<T>(connection: SqliteConnection, work: () => T): Promise<T> {
  for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(pause * 2, 25)) {
    try {
      return work()
    } catch (error) {
      if (primaryCode(error) !== busy || waited >= connection.busyTimeoutMs) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

const waitedTooLong = () =>
  new ParleyError(
    'store_unavailable',
    `The database was busy for ${maxWaitMs} ms. Does a transaction wait for a call on the store itself, in place of "tx"?`,
  )

const lost = () =>
  new ParleyError(
    'store_unavailable',
    'The transaction was lost with another one; nothing of this request was stored.',
  )
