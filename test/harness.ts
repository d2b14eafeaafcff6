import { copyFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createIds } from '../src/core/shared/ids.ts'
import type { Clock } from '../src/core/shared/clock.ts'
import { openPostgres } from '../src/core/store/postgres/open.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { createStore, type Store } from '../src/core/store/store.ts'
import { builtInSlices } from './built-in.ts'
import { takeDatabase } from './postgres-pool.ts'
import { need } from './runner/provision.ts'
import { testTier } from './runner/tier.ts'

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

const poolSize = 5
const patienceMs = 100_000

/** A folder that goes away with the block that asked for it. */
export function temporaryFolder(parent = tmpdir()): Disposable & { path: string } {
  const path = mkdtempSync(join(parent, 'parley-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

export interface TestDatabase extends AsyncDisposable {
  /** What a server in another process needs to work on it. */
  environment: Record<string, string>
  open(clock?: Clock): Promise<Store>
}

interface DatabaseOptions {
  /** Without our tables; otherwise it has them, or makes them when it is opened first, whichever is quicker. */
  isEmpty?: boolean
  /** Of PostgreSQL; default so long that a busy machine is no reason to refuse anything. */
  connectTimeoutMs?: number
}

export type OpenDatabase = (options?: DatabaseOptions) => Promise<TestDatabase>

export const sqliteDatabase: OpenDatabase = async ({ isEmpty = false } = {}) => {
  const folder = temporaryFolder(memoryFolder())
  const file = join(folder.path, 'parley.db')
  if (!isEmpty) copyFileSync(inject('sqliteTemplate'), file)
  return {
    environment: { PARLEY_DATA_DIR: folder.path },
    open: (clock = steppedClock()) =>
      createStore(openSqlite({ file, synchronous: 'FULL', busyTimeoutMs: 5_000 }, clock), {
        clock,
        ids: createIds(clock),
        slices: builtInSlices,
      }),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

/**
 * Where the system keeps files in memory, if it has plenty: nobody pulls the plug, and waiting for a disk at every commit
 * shows nothing.
 */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 1_024 ** 3 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}

/** A database of its own on the server of the test run. */
export const postgresDatabase: OpenDatabase = async ({
  isEmpty = false,
  connectTimeoutMs = patienceMs,
} = {}) => {
  const { url, template } = await need('postgres')
  const database = await takeDatabase(url, template, { isEmpty })
  return {
    environment: { DATABASE_URL: database.url },
    open: (clock = steppedClock()) =>
      createStore(openPostgres({ url: database.url, poolSize, connectTimeoutMs }), {
        clock,
        ids: createIds(clock),
        slices: builtInSlices,
      }),
    [Symbol.asyncDispose]: () => database.giveBack(),
  }
}

type Databases = [name: string, OpenDatabase][]

const sqlite: Databases = [['SQLite', sqliteDatabase]]
const both: Databases = [...sqlite, ['PostgreSQL', postgresDatabase]]

/** For tests of SQL, of locks, of processes that meet in a database, and of what it refuses. */
export const databases = testTier === 'quick' ? sqlite : both

/**
 * For tests of what stands on the store: its queries have tests of their own on both. All of them on PostgreSQL, too, in
 * the long tier.
 */
export const anyDatabase = testTier === 'long' ? both : sqlite

/** For a Parley in this process. Every connection has to learn our tables anew: few of them are quicker. */
export const toOptions = ({ environment }: TestDatabase) => ({
  dataDir: environment.PARLEY_DATA_DIR,
  databaseUrl: environment.DATABASE_URL,
  postgres: { poolSize, connectTimeoutMs: patienceMs },
})
