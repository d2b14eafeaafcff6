import { sql } from 'kysely'
import { ParleyError } from '../protocol/error.ts'
import { readPackageTexts } from '../shared/package-texts.ts'
import type { Backend, Db } from './backend.ts'

export interface Migration {
  number: number
  name: string
  statements: string[]
}

/**
 * Brings the schema up to date, in one transaction under a lock: a crash in the middle leaves the old schema,
 * and of two nodes that start at once the second finds nothing left to do. There is no way back down.
 */
export async function migrate(backend: Backend, migrations = readMigrations(backend.name)): Promise<number> {
  return backend.withMigrationLock(async (db) => {
    const done = await readVersion(db)
    const newest = migrations.at(-1)?.number ?? 0
    if (done > newest)
      throw new ParleyError(
        'store_unavailable',
        `The database has schema version ${done}, this Parley knows versions up to ${newest}. Start a newer Parley, or restore a backup.`,
      )
    const pending = migrations.filter(({ number }) => number > done)
    for (const { number, name, statements } of pending) {
      for (const statement of statements) await sql.raw(statement).execute(db)
      await sql`insert into schema_versions (number, name) values (${number}, ${name})`.execute(db)
    }
    return pending.length
  })
}

async function readVersion(db: Db): Promise<number> {
  await sql`create table if not exists schema_versions (number bigint primary key, name text not null)`.execute(
    db,
  )
  const { rows } = await sql<{
    number: number | null
  }>`select max(number) as number from schema_versions`.execute(db)
  return rows[0]?.number ?? 0
}

/** `0002-search.sql` is for both databases, `0002-search.postgres.sql` for one of them. */
export function readMigrations(backend: Backend['name'], folder = 'src/core/store/migrations'): Migration[] {
  const migrations: Migration[] = []
  for (const { file, text } of readPackageTexts(folder)) {
    const [, number, name, only] = /^(\d{4})-([a-z-]+)(?:\.(sqlite|postgres))?\.sql$/.exec(file) ?? []
    if (number === undefined || name === undefined || (only && only !== backend)) continue
    migrations.push({
      number: Number(number),
      name,
      statements: splitStatements(text),
    })
  }
  return migrations
}

/** A statement ends with a semicolon at the end of a line that is not indented. */
function splitStatements(text: string): string[] {
  const statements: string[] = []
  let lines: string[] = []
  for (const line of text.split('\n')) {
    lines.push(line)
    if (!/^\S.*;\s*$/.test(line) || line.startsWith('--')) continue
    statements.push(lines.join('\n'))
    lines = []
  }
  if (lines.some((line) => line.trim() !== '' && !line.startsWith('--')))
    throw new Error(`A migration ends within a statement: ${lines.join('\n').trim().slice(0, 80)}`)
  return statements
}
