import { DatabaseSync } from 'node:sqlite'
import { isDone, versionTables, type MigrationList, type Versions } from '../migrate.ts'

/**
 * The first thing in the schema of a database that the migrations it had would not have made: a trigger or a view of
 * somebody else's would run with every change, and undo what was checked.
 */
export function findForeign(file: string, lists: readonly MigrationList[]): string | undefined {
  using ours = new DatabaseSync(':memory:')
  using theirs = new DatabaseSync(file, { readOnly: true })
  const versions = readVersions(theirs)
  for (const statement of versionTables) ours.exec(statement)
  for (const list of lists)
    for (const migration of list.migrations.filter((known) => isDone(list, known, versions)))
      try {
        for (const statement of migration.statements) ours.exec(statement)
      } catch {
        // a later one without those that it builds on
        return `version ${migration.number} of ${list.extension}`
      }
  const known = new Set(readSchema(ours).map(({ text }) => text))
  return readSchema(theirs).find(({ text }) => !known.has(text))?.label
}

function readVersions(database: DatabaseSync): Versions {
  const core = read<Versions['core'][number]>(database, 'number, name from schema_versions')
  // one that no Parley with extensions has opened yet
  if (!hasTable(database, 'extension_versions')) return { core, extensions: [] }
  const extensions = read<Versions['extensions'][number]>(
    database,
    'extension, number from extension_versions',
  )
  return { core, extensions }
}

const read = <Row>(database: DatabaseSync, what: string) => database.prepare(`select ${what}`).all() as Row[]

/** Older schemas lack some tables, and those of extensions that were not there. */
export const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare(`select 1 from sqlite_schema where type = 'table' and name = ?`).get(name) !== undefined

function readSchema(database: DatabaseSync): { label: string; text: string }[] {
  // SQLite made the tables of an index, and the indexes of keys, itself
  const shadows = database
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'shadow'`)
    .all()
    .map(({ name }) => name)
  const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema').all() as {
    type: string
    name: string
    tbl_name: string
    sql: string | null
  }[]
  return rows
    .filter(
      ({ name, tbl_name, sql }) => sql !== null && !shadows.includes(name) && !shadows.includes(tbl_name),
    )
    .map(({ type, name, sql }) => ({
      label: `${type} ${name}`,
      text: `${type} ${sql!.replaceAll(/\s+/g, ' ')}`,
    }))
}
