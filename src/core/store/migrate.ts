import { readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { sql } from 'kysely'
import { ParleyError } from '../protocol/error.ts'
import { readPackageTexts } from '../shared/package-texts.ts'
import type { Backend, Db } from './backend.ts'
import type { Migration, StoreSlice } from './store-slice.ts'

/** The migrations of the core, or of one extension. */
export interface MigrationList {
  extension?: string
  /** See `StoreSlice`. */
  sharedThrough?: number
  migrations: readonly Migration[]
}

/** What was done to a database: `schema_versions` and `extension_versions`. */
export interface Versions {
  core: readonly { number: number; name: string }[]
  extensions: readonly { extension: string; number: number }[]
}

/**
 * Brings the schema up to date, in one transaction under a lock: a crash in the middle leaves the old schema,
 * and of two nodes that start at once the second finds nothing left to do. There is no way back down. What extensions
 * did that are not there any more stays as it is.
 */
export async function migrate(
  backend: Backend,
  lists: readonly MigrationList[] = readMigrationLists(backend.name),
): Promise<number> {
  return backend.withMigrationLock(async (db) => {
    const versions = await readVersions(db)
    let count = 0
    for (const list of lists) {
      refuseNewer(list, versions)
      for (const { number, name, statements } of list.migrations.filter(
        (migration) => !isDone(list, migration, versions),
      )) {
        for (const statement of statements) await sql.raw(statement).execute(db)
        await (
          list.extension === undefined
            ? sql`insert into schema_versions (number, name) values (${number}, ${name})`
            : sql`insert into extension_versions (extension, number, name) values (${list.extension}, ${number}, ${name})`
        ).execute(db)
        count++
      }
    }
    return count
  })
}

/** Where versions are recorded; made before anything else. */
export const versionTables = [
  `create table if not exists schema_versions (number bigint primary key, name text not null)`,
  `create table if not exists extension_versions (
    extension text not null, number bigint not null, name text not null, primary key (extension, number)
  )`,
]

async function readVersions(db: Db): Promise<Versions> {
  for (const statement of versionTables) await sql.raw(statement).execute(db)
  const core = await sql<Versions['core'][number]>`select number, name from schema_versions`.execute(db)
  const extensions = await sql<
    Versions['extensions'][number]
  >`select extension, number from extension_versions`.execute(db)
  return { core: core.rows, extensions: extensions.rows }
}

/** Of the core the newest one counts; numbers are missing there that were those of extensions. */
export function isDone(
  { extension, sharedThrough = 0 }: MigrationList,
  { number, name }: Pick<Migration, 'number' | 'name'>,
  versions: Versions,
): boolean {
  if (extension === undefined) return number <= newestOf(versions.core)
  return (
    versions.extensions.some((done) => done.extension === extension && done.number === number) ||
    // the core has its own part of some of these numbers, under another name
    (number <= sharedThrough && versions.core.some((done) => done.number === number && done.name === name))
  )
}

function refuseNewer({ extension, migrations }: MigrationList, versions: Versions): void {
  const of =
    extension === undefined
      ? versions.core
      : versions.extensions.filter((version) => version.extension === extension)
  const [done, known] = [newestOf(of), newestOf(migrations)]
  if (done <= known) return
  throw new ParleyError(
    'store_unavailable',
    extension === undefined
      ? `The database has schema version ${done}, this Parley knows versions up to ${known}. Start a newer Parley, or restore a backup.`
      : `The database has version ${done} of the tables of "${extension}", this one knows versions up to ${known}. Install a newer one, or restore a backup.`,
  )
}

const newestOf = (versions: readonly { number: number }[]): number =>
  versions.reduce((newest, { number }) => Math.max(newest, number), 0)

/** Those of the core, which the others build on, and then those of each extension. */
export const readMigrationLists = (
  backend: Backend['name'],
  slices: readonly StoreSlice[] = [],
): MigrationList[] => [
  { migrations: readMigrations(backend) },
  ...slices.map(({ name, sharedThrough, migrations = [] }) => ({
    extension: name,
    sharedThrough,
    migrations: typeof migrations === 'string' ? readMigrations(backend, migrations) : migrations,
  })),
]

/** `0002-search.sql` is for both databases, `0002-search.postgres.sql` for one of them. */
export function readMigrations(backend: Backend['name'], folder = 'src/core/store/migrations'): Migration[] {
  const migrations: Migration[] = []
  for (const { file, text } of readTexts(folder)) {
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

/** A folder of this package may be part of a bundle; that of another is on disk. */
const readTexts = (folder: string): { file: string; text: string }[] =>
  isAbsolute(folder)
    ? readdirSync(folder)
        .sort()
        .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
    : readPackageTexts(folder)

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
