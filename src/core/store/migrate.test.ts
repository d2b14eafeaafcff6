import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { systemClock } from '../shared/clock.ts'
import { migrate, readMigrations } from './migrate.ts'
import { openSqlite } from './sqlite/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-migrate-'))
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const open = (name = `${++count}.db`) =>
  openSqlite({ file: join(folder, name), synchronous: 'FULL', busyTimeoutMs: 100 }, systemClock)

describe('migrations', () => {
  it('have numbers that grow, and both databases have every number', () => {
    const [sqlite, postgres] = [readMigrations('sqlite'), readMigrations('postgres')]
    expect(sqlite.map(({ number }) => number)).toEqual([
      ...new Set(sqlite.map(({ number }) => number).sort((a, b) => a - b)),
    ])
    expect(postgres.map(({ number, name }) => [number, name])).toEqual(
      sqlite.map(({ number, name }) => [number, name]),
    )
  })

  it('run once', async () => {
    const backend = open()
    expect(await migrate(backend)).toBe(readMigrations('sqlite').length)
    expect(await migrate(backend)).toBe(0)
    await backend.close()
  })

  it('that fail at any statement leave the schema as it was, and finish on the next start', async () => {
    const migrations = readMigrations('sqlite')
    const total = migrations.flatMap(({ statements }) => statements).length
    const backend = open()
    for (let failing = 0; failing < total; failing++) {
      let left = failing
      const broken = migrations.map((migration) => ({
        ...migration,
        statements: migration.statements.flatMap((statement) =>
          left-- === 0 ? ['no such statement'] : [statement],
        ),
      }))
      await expect(migrate(backend, [{ migrations: broken }])).rejects.toThrow('near "no"')
      const { rows } = await sql`select name from sqlite_master`.execute(backend.db)
      expect(rows).toEqual([])
    }
    expect(await migrate(backend)).toBe(migrations.length)
    await backend.close()
  }, 120_000)

  it('refuse a database that a newer Parley made', async () => {
    const backend = open()
    await migrate(backend)
    await sql`insert into schema_versions (number, name) values (9999, 'future')`.execute(backend.db)
    await expect(migrate(backend)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('schema version 9999'),
    })
    await backend.close()
  })
})
