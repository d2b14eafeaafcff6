import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../backend.ts'
import { lockOf, type OwnerLocks, toOwnerName } from '../owner-locks.ts'

// any number that no other program on the same database uses for its advisory locks
const ownerLocks = 4_127_003
// one whose connection broke has it back by then; shorter would take over from one that is alive
const absentMs = 1_000
const maxPauseMs = 1_000
// nothing is sent on it otherwise, and what forwards connections forgets those that are silent
const keepAliveMs = 10_000
const goodbyeMs = 1_000

/** A lock for each owner that belongs to a connection of its own: the database releases it when the connection ends. */
export function createPostgresOwnerLocks(db: Db, settings: pg.ClientConfig): OwnerLocks {
  async function findAbsent(named: string[]): Promise<string[]> {
    const owners = named.filter((owner) => lockOf(owner) !== undefined)
    if (owners.length === 0) return []
    const { rows } = await sql<{ key: number }>`
      select objid::int as key from pg_locks
      where locktype = 'advisory' and classid = ${sql.lit(ownerLocks)} and granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db)
    const held = new Set(rows.map(({ key }) => String(key)))
    return owners.filter((owner) => !held.has(lockOf(owner)!))
  }

  return {
    async hold(name) {
      const key = randomInt(2 ** 31 - 1)
      const connection = holdLock(settings, key)
      await connection.isHeld
      return { name: toOwnerName(name, String(key)), release: connection.end }
    },

    async findGone(owners) {
      const absent = await findAbsent(owners)
      if (absent.length === 0) return []
      await sleep(absentMs, undefined, { ref: false })
      return findAbsent(absent)
    },

    findAbsent,
  }
}

/** Takes the lock, and takes it again whenever the connection breaks. */
function holdLock(settings: pg.ClientConfig, key: number) {
  let client: pg.Client | undefined
  const ended = new AbortController()

  async function connect(): Promise<void> {
    const connecting = new pg.Client({ ...settings, keepAliveInitialDelayMillis: keepAliveMs })
    client = connecting
    const isLost = new Promise<void>((resolve) => {
      connecting.on('error', () => resolve())
      connecting.on('end', () => resolve())
    })
    try {
      await connecting.connect()
      await connecting.query('select pg_advisory_lock($1, $2)', [ownerLocks, key])
      // a program that leaves it open ends as it would without it; the types do not know of this
      ;(connecting as pg.Client & { unref(): void }).unref()
    } catch (error) {
      // not waited for: one that is broken may never say that it ended
      void connecting.end().catch(() => {})
      throw error
    }
    void isLost.then(reconnect)
  }

  async function reconnect(): Promise<void> {
    for (let pause = 20; !ended.signal.aborted; pause = Math.min(pause * 2, maxPauseMs)) {
      try {
        return await connect()
      } catch {
        // the database is away, and then nobody can ask for the lock either
        await sleep(pause, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      }
    }
  }

  return {
    isHeld: connect(),
    async end() {
      ended.abort()
      // a database that is cut off does not answer; the process ends all the same
      const { promise: isLate, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, goodbyeMs)
      await Promise.race([client?.end().catch(() => {}), isLate])
      clearTimeout(timer)
    },
  }
}
