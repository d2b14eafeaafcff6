import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { createIds } from '../src/shared/ids.ts'
import type { Clock } from '../src/shared/clock.ts'
import { openPostgres } from '../src/store/postgres/open.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { createStore, type Store } from '../src/store/store.ts'

/** A clock that moves only when told, by one millisecond per reading so that order can be seen. */
export function steppedClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let time = start
  return {
    now: () => time++,
    advance(ms) {
      time += ms
    },
  }
}

/** A folder that goes away with the block that asked for it. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'parley-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export interface TestDatabase extends AsyncDisposable {
  /** What a server in another process needs to work on it. */
  environment: Record<string, string>
  open(clock?: Clock): Promise<Store>
}

/** Has our tables or makes them when it is opened first, whichever is quicker; without any when it is to be `isEmpty`. */
export type OpenDatabase = (options?: { isEmpty?: boolean }) => Promise<TestDatabase>

export const sqliteDatabase: OpenDatabase = async () => {
  const folder = temporaryFolder()
  const file = join(folder.path, 'parley.db')
  return {
    environment: { PARLEY_DATA_DIR: folder.path },
    open: (clock = steppedClock()) =>
      createStore(openSqlite({ file, synchronous: 'FULL', busyTimeoutMs: 5_000 }, clock), {
        clock,
        ids: createIds(clock),
      }),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

/** A database of its own on the server of the test run. */
export const postgresDatabase: OpenDatabase = async ({ isEmpty = false } = {}) => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  const name = `parley_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`create database ${name} template ${isEmpty ? 'template1' : inject('postgresTemplate')}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return {
    environment: { DATABASE_URL: url.href },
    open: (clock = steppedClock()) =>
      createStore(openPostgres({ url: url.href, poolSize: 5 }), { clock, ids: createIds(clock) }),
    async [Symbol.asyncDispose]() {
      // PostgreSQL looks only every 100 ms whether the last connection is gone
      for (let tries = 0; tries < 20 && (await countConnections(admin, name)) > 0; tries++) await sleep(2)
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

async function countConnections(admin: pg.Client, database: string): Promise<number> {
  const query = 'select count(*)::int from pg_stat_activity where datname = $1'
  const { rows } = await admin.query<{ count: number }>(query, [database])
  return rows[0]!.count
}

export const databases: [name: string, OpenDatabase][] = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
]

/** For a Parley in this process. */
export const toOptions = ({ environment }: TestDatabase) => ({
  dataDir: environment.PARLEY_DATA_DIR,
  databaseUrl: environment.DATABASE_URL,
})
