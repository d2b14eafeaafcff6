import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Backend } from '../src/core/store/backend.ts'
import { migrate, readMigrationLists } from '../src/core/store/migrate.ts'
import type { Migration } from '../src/core/store/store-slice.ts'
import { builtInSlices } from './built-in.ts'

type Value = string | number | null
type Row = Record<string, Value>

/** What a database of an earlier schema holds: a row of every table. */
export type Fixture = Map<string, Row>

export const fixtureSession = 'sessions_id'
export const fixtureText = 'Hello from an earlier Parley'

const time = Date.UTC(2026, 0, 1)

/** Where the rules below would make something that no Parley has written. */
const exact: Record<string, Value> = {
  'sessions.kind': 'interactive',
  'sessions.title': 'An earlier session',
  'sessions.bg_status': null,
  'sessions.mode': null,
  'sessions.thread': null,
  'sessions.archived_at': null,
  'sessions.window_stopped': null,
  'sessions.memo_version': 0,
  'sessions.resized_seq': 0,
  // the search index has not got to it yet
  'sessions.indexed_seq': 0,
  'messages.role': 'user',
  'messages.parts': JSON.stringify([{ type: 'text', text: fixtureText }]),
  'messages.context': null,
  'documents.deleted_at': null,
  'plan_nodes.status': 'completed',
  'scopes.name': 'default',
  'scopes.root': null,
  'usage_days.day': '2026-01-01',
}
const lists = new Set(['parts', 'events', 'pinned', 'file_changes', 'fragments', 'sources', 'vector'])

/** As they were while the core and the extensions counted together: the files of one number are one migration. */
export function migrationsOfBefore(backend: Backend['name']): Migration[] {
  const byNumber = new Map<number, Migration>()
  for (const { sharedThrough = 21, migrations } of readMigrationLists(backend, builtInSlices))
    for (const { number, name, statements } of migrations.filter((each) => each.number <= sharedThrough)) {
      const others = byNumber.get(number)?.statements ?? []
      byNumber.set(number, { number, name, statements: [...others, ...statements] })
    }
  return [...byNumber.values()].sort((a, b) => a.number - b.number)
}

/** Leaves the database as a Parley of before did that had the first `number` migrations. */
export async function migrateAsBefore(backend: Backend, number: number): Promise<void> {
  await migrate(backend, [{ migrations: migrationsOfBefore(backend.name).slice(0, number) }])
  await sql`drop table extension_versions`.execute(backend.db)
}

/** Makes the database as the first `number` migrations leave it, and fills it. */
export async function buildSchema(backend: Backend, number: number): Promise<Fixture> {
  await migrateAsBefore(backend, number)
  const fixture = planRows(number)
  for (const [table, row] of fixture) {
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
      backend.db,
    )
  }
  return fixture
}

/** Where rows are now whose table is gone. */
const moved: Record<string, string> = {
  session_usage: `(select id as session_id, usage_runs as runs, usage_calls as calls,
    usage_input_tokens as input_tokens, usage_output_tokens as output_tokens,
    usage_cache_read_tokens as cache_read_tokens, usage_cost as cost, usage_last_input_tokens as last_input_tokens
    from sessions) as moved`,
}

/** The rows of a fixture as they are now, in the columns that they had. */
export async function readFixture({ db }: Backend, fixture: Fixture): Promise<Fixture> {
  const found: Fixture = new Map()
  for (const [table, row] of fixture) {
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
    const place = moved[table] === undefined ? sql.table(table) : sql.raw(moved[table])
    const { rows } = await sql<Row>`select ${columns} from ${place}`.execute(db)
    if (rows.length !== 1) throw new Error(`${table} has ${rows.length} rows in place of one`)
    found.set(table, { ...rows[0]! })
  }
  return found
}

/** Both databases have the same tables, but SQLite says more easily what they are made of. */
function planRows(number: number): Fixture {
  using database = new DatabaseSync(':memory:')
  const migrations = migrationsOfBefore('sqlite').slice(0, number)
  for (const statement of migrations.flatMap(({ statements }) => statements)) database.exec(statement)
  const tables = database
    .prepare(
      `select name, sql from sqlite_schema where type = 'table' and name not like '%search%' order by rowid`,
    )
    .all() as { name: string; sql: string }[]
  const fixture: Fixture = new Map()
  for (const { name, sql: text } of tables) {
    const columns = database.prepare(`select * from pragma_table_info(?)`).all(name) as {
      name: string
      type: string
      notnull: number
    }[]
    const references = database.prepare(`select * from pragma_foreign_key_list(?)`).all(name) as {
      from: string
      to: string
      table: string
    }[]
    const row: Row = {}
    for (const column of columns) {
      const reference = references.find(({ from }) => from === column.name)
      row[column.name] = reference
        ? reference.table === name
          ? null
          : fixture.get(reference.table)![reference.to]!
        : valueOf(name, column, text)
    }
    fixture.set(name, row)
  }
  return fixture
}

function valueOf(table: string, { name, type }: { name: string; type: string }, tableText: string): Value {
  const key = `${table}.${name}`
  if (Object.hasOwn(exact, key)) return exact[key]!
  if (/^(BIGINT|INTEGER)$/.test(type)) return name.endsWith('_at') || name.endsWith('_until') ? time : 1
  if (type === 'DOUBLE PRECISION') return 0.5
  // of the states the last is always one in which nothing is left to be done
  const allowed = new RegExp(`\\b${name} TEXT[^,]*?CHECK \\(${name} IN \\(([^)]*)\\)`).exec(tableText)?.[1]
  if (allowed !== undefined) return allowed.split(',').at(-1)!.trim().slice(1, -1)
  if (name === 'scope') return 'default'
  if (lists.has(name)) return '[]'
  const isName = /(^|_)(id|key|name|slug|of|in|to|agent|hash|token|word|path|event|type|model|day)$/.test(
    name,
  )
  // where JSON is kept it is that, and elsewhere as good a text as any
  return isName ? `${table}_${name}` : '{}'
}
