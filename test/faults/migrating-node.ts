/** Run as a process of its own: migrates a database, and is killed when the turn of a statement comes. */
import { systemClock } from '../../src/core/shared/clock.ts'
import { migrate, readMigrationLists } from '../../src/core/store/migrate.ts'
import { openPostgres } from '../../src/core/store/postgres/open.ts'
import { openSqlite } from '../../src/core/store/sqlite/open.ts'
import type { Migration } from '../../src/core/store/store-slice.ts'
import { builtInSlices } from '../built-in.ts'

const [storage = '', fatal = ''] = process.argv.slice(2)
const backend = storage.startsWith('postgres:')
  ? openPostgres({ url: storage, poolSize: 2 })
  : openSqlite({ file: storage, synchronous: 'FULL', busyTimeoutMs: 5_000 }, systemClock)

let count = 0
const mined = ({ statements, ...about }: Migration): Migration => {
  const copy = [...statements]
  for (const [index, statement] of statements.entries())
    if (count++ === Number(fatal))
      Object.defineProperty(copy, index, {
        get() {
          process.kill(process.pid, 'SIGKILL')
          return statement
        },
      })
  return { ...about, statements: copy }
}
const lists = readMigrationLists(backend.name, builtInSlices)
await migrate(
  backend,
  lists.map((list) => ({ ...list, migrations: list.migrations.map(mined) })),
)
await backend.close()
