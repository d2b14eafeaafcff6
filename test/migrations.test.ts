import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createParley } from '../src/index.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { Backend } from '../src/core/store/backend.ts'
import { migrate as migrateWith, readMigrationLists } from '../src/core/store/migrate.ts'
import { openPostgres } from '../src/core/store/postgres/open.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { builtInSlices } from './built-in.ts'
import { databases, toOptions, type TestDatabase } from './harness.ts'
import {
  buildSchema,
  fixtureSession,
  fixtureText,
  migrationsOfBefore,
  readFixture,
} from './schema-fixture.ts'
import { startServer } from './server-process.ts'
import { need } from './runner/provision.ts'

/** Of each database; a release kills at every statement. */
const kills = Number(process.env.PARLEY_TEST_MIGRATION_KILLS ?? 3)
const versions = migrationsOfBefore('sqlite').map(({ number, name }) => [number, name] as const)
const lists = (backend: Backend['name']) => readMigrationLists(backend, builtInSlices)
const migrate = (backend: Backend) => migrateWith(backend, lists(backend.name))
/** Of the core and of all extensions. */
const countAfter = (version: number) =>
  lists('sqlite').flatMap(({ migrations }) => migrations.filter(({ number }) => number > version)).length

const storageOf = ({ environment }: TestDatabase) =>
  environment.DATABASE_URL ?? join(environment.PARLEY_DATA_DIR!, 'parley.db')

function openBackend(database: TestDatabase): Backend & AsyncDisposable {
  const storage = storageOf(database)
  const backend = storage.startsWith('postgres:')
    ? openPostgres({ url: storage, poolSize: 2 })
    : openSqlite({ file: storage, synchronous: 'FULL', busyTimeoutMs: 5_000 }, systemClock)
  return Object.assign(backend, { [Symbol.asyncDispose]: () => backend.close() })
}

const readVersion = async ({ db }: Backend) =>
  (await sql<{ number: number }>`select max(number) as number from schema_versions`.execute(db)).rows[0]!
    .number

describe.each(databases)('migrations on %s', (name, openDatabase) => {
  it.each(versions)(
    'keep everything of a database of version %i, %s, and Parley works on it',
    async (version) => {
      await using database = await openDatabase({ isEmpty: true })
      {
        await using backend = openBackend(database)
        const before = await buildSchema(backend, version)
        expect(before.size).toBeGreaterThan(8)
        expect(await migrate(backend)).toBe(countAfter(version))
        expect(await readFixture(backend, before)).toEqual(before)
      }
      await using parley = await createParley(toOptions(database))
      expect(await parley.store.checkIntegrity()).toBeUndefined()
      expect(await parley.sessions.get(fixtureSession)).toMatchObject({ title: 'An earlier session' })
      const [first] = (await parley.sessions.messages(fixtureSession)).items
      expect(messageText(first!)).toBe(fixtureText)
      expect((await parley.search({ q: 'earlier Parley' })).items).toHaveLength(1)
      const { run } = await parley.sessions.chat(fixtureSession, 'what did I say?')
      expect(run).toMatchObject({ status: 'completed' })
      expect((await parley.sessions.list()).items).toMatchObject([{ id: fixtureSession, messageCount: 3 }])
      expect(await parley.sessions.export(fixtureSession)).toContain(fixtureText)
    },
  )

  it(
    'leave the earlier schema with all that is in it when the process is killed, and end at the next start',
    async () => {
      await using database = await openDatabase({ isEmpty: true })
      await using backend = openBackend(database)
      const before = await buildSchema(backend, 1)
      const all = lists(backend.name).flatMap(({ migrations }) => migrations)
      const counts = all.map(({ statements }) => statements.length)
      const [first, last] = [counts[0]!, counts.reduce((sum, count) => sum + count) - 1]
      const places = new Set(
        Array.from({ length: kills }, (_, index) =>
          Math.round(first + ((last - first) * index) / (kills - 1)),
        ),
      )
      for (const place of places) {
        expect(await killAt(storageOf(database), place), `statement ${place}`).toBe('SIGKILL')
        expect(await readVersion(backend)).toBe(1)
        expect(await readFixture(backend, before)).toEqual(before)
      }
      expect(await migrate(backend)).toBe(countAfter(1))
      expect(await readFixture(backend, before)).toEqual(before)
      expect(await backend.checkIntegrity()).toBeUndefined()
      process.stdout.write(`${name}: killed at ${places.size} of ${last - first + 1} statements\n`)
    },
    60_000 + kills * 3_000,
  )

  it('refuse a database that a newer Parley made, with a sentence that says what to do, and leave it alone', async () => {
    await using database = await openDatabase()
    await using backend = openBackend(database)
    await migrate(backend)
    await sql`insert into schema_versions (number, name) values (9999, 'future')`.execute(backend.db)
    await expect(startServer({ env: database.environment })).rejects.toThrow(
      /schema version 9999, this Parley knows versions up to \d+\. Start a newer Parley, or restore a backup/,
    )
    expect(await readVersion(backend)).toBe(9999)
  })

  it('run once when two nodes start together', async () => {
    await using database = await openDatabase({ isEmpty: true })
    await using one = openBackend(database)
    await using two = openBackend(database)
    const done = await Promise.all([migrate(one), migrate(two)])
    expect(done.toSorted((a, b) => a - b)).toEqual([0, countAfter(0)])
  })
})

/** Answers the signal that ended it. */
async function killAt(storage: string, statement: number): Promise<string | null | undefined> {
  const starter = await need('nodes')
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [starter, './migrating-node.ts', storage, String(statement)],
      { env: { PATH: process.env.PATH } },
      (error) => resolve(error?.signal),
    ),
  )
}
