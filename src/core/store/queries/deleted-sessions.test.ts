import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { readMigrations } from '../migrate.ts'
import { deletedAtOnce } from './deleted-sessions.ts'

/** Every table of the core that goes with a session, after all migrations. */
function tablesOfSessions(): string[] {
  using database = new DatabaseSync(':memory:')
  for (const { statements } of readMigrations('sqlite'))
    for (const statement of statements) database.exec(statement)
  const rows = database
    .prepare(
      `select distinct tables.name from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as reference
      where tables.type = 'table' and reference."table" = 'sessions' and reference.on_delete = 'CASCADE'`,
    )
    .all()
  return rows.map(({ name }) => String(name))
}

it('names every table of the core that goes with a session, but for those that are swept', () => {
  const swept = ['sessions', 'messages', 'search_documents']
  expect([...Object.keys(deletedAtOnce), ...swept].sort()).toEqual(tablesOfSessions().sort())
})
