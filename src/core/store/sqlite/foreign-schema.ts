import { DatabaseSync } from 'node:sqlite'
import type { Migration } from '../migrate.ts'

/**
 * The first thing in the schema of a database that the migrations would not have made: a trigger or a view of somebody
 * else's would run with every change, and undo what was checked.
 */
export function findForeign(file: string, migrations: readonly Migration[]): string | undefined {
  using ours = new DatabaseSync(':memory:')
  ours.exec('create table if not exists schema_versions (number bigint primary key, name text not null)')
  for (const { statements } of migrations) for (const statement of statements) ours.exec(statement)
  using theirs = new DatabaseSync(file, { readOnly: true })
  const known = new Set(readSchema(ours).map(({ text }) => text))
  return readSchema(theirs).find(({ text }) => !known.has(text))?.label
}

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
