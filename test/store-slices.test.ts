/** What extensions have in the store: migrations of their own, queries, and what is deleted with a session. */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Facets } from '../src/core/protocol/facets.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import type { Backend } from '../src/core/store/backend.ts'
import { migrate, readMigrationLists, readMigrations, type MigrationList } from '../src/core/store/migrate.ts'
import { openPostgres } from '../src/core/store/postgres/open.ts'
import type { StoreSlice } from '../src/core/store/store-slice.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { createStore } from '../src/core/store/store.ts'
import { builtInSlices } from './built-in.ts'
import { databases, sqliteDatabase, type TestDatabase } from './harness.ts'
import { migrateAsBefore, migrationsOfBefore } from './schema-fixture.ts'

const scope = 'default'

function openBackend({ environment }: TestDatabase): Backend & AsyncDisposable {
  const backend =
    environment.DATABASE_URL === undefined
      ? openSqlite(
          { file: `${environment.PARLEY_DATA_DIR}/parley.db`, synchronous: 'FULL', busyTimeoutMs: 5_000 },
          systemClock,
        )
      : openPostgres({ url: environment.DATABASE_URL, poolSize: 2 })
  return Object.assign(backend, { [Symbol.asyncDispose]: () => backend.close() })
}

const deps = (slices: readonly StoreSlice[]) => ({
  clock: systemClock,
  ids: createIds(systemClock),
  slices,
})
const open = (database: TestDatabase, slices: readonly StoreSlice[]) =>
  createStore(openBackend(database), deps(slices))

const polls: StoreSlice = {
  name: 'polls',
  migrations: [
    {
      // that of the core has this number and name, too
      number: 1,
      name: 'foundation',
      statements: [
        `create table polls (id text primary key, session_id text not null references sessions (id) on delete cascade)`,
      ],
    },
  ],
  queries: [
    ({ db }) => ({
      createPoll: async (id: string, sessionId: string) =>
        void (await sql`insert into polls (id, session_id) values (${id}, ${sessionId})`.execute(db)),
      listPolls: async () => (await sql<{ id: string }>`select id from polls order by id`.execute(db)).rows,
    }),
  ],
  sessionRows: { polls: 'session_id' },
}
interface PollQueries {
  createPoll(id: string, sessionId: string): Promise<void>
  listPolls(): Promise<{ id: string }[]>
}
const pollsOf = (store: object) => store as unknown as PollQueries
const later: StoreSlice = {
  ...polls,
  migrations: [
    ...(polls.migrations as []),
    { number: 2, name: 'titles', statements: [`alter table polls add column title text`] },
  ],
}

const tablesOf = async ({ db, name }: Backend) => {
  const { rows } =
    name === 'sqlite'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db)
      : await sql<{
          name: string
        }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
  return rows.map((row) => row.name).sort()
}

const readVersions = async ({ db }: Backend) => ({
  core: (await sql`select number, name from schema_versions order by number`.execute(db)).rows,
  extensions: (
    await sql`select extension, number, name from extension_versions order by extension, number`.execute(db)
  ).rows,
})

const listsOf = (backend: Backend) => readMigrationLists(backend.name, builtInSlices)

it('counts every number of before once in the core and its extensions', () => {
  for (const backend of ['sqlite', 'postgres'] as const)
    expect(migrationsOfBefore(backend).map(({ number }) => number)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
  const numbered = (backend: Backend['name']) =>
    readMigrationLists(backend, builtInSlices).map(({ extension, migrations }) => [
      extension,
      migrations.map(({ number, name }) => [number, name]),
    ])
  expect(numbered('sqlite')).toEqual(numbered('postgres'))
})

it.each(builtInSlices.filter(({ migrations }) => migrations).map((slice) => [slice.name, slice] as const))(
  'says of %s every table that goes with a session, and no table of the core refers to one of it',
  (_name, { migrations, sessionRows = {}, sessionReferences = {} }) => {
    const tables = readMigrations('sqlite', migrations as string)
      .flatMap(({ statements }) => statements)
      .flatMap((statement) => [...statement.matchAll(/CREATE TABLE (\w+) \((.*?)\n\);/gs)])
      .map(([, table, columns]) => ({ table: table!, columns: columns! }))
    const ofSessions = (action: string) =>
      tables.flatMap(({ table, columns }) =>
        columns.includes(`REFERENCES sessions (id) ON DELETE ${action}`) ? table : [],
      )
    expect(Object.keys(sessionRows).sort()).toEqual(ofSessions('CASCADE').sort())
    expect(Object.keys(sessionReferences).sort()).toEqual(ofSessions('SET NULL').sort())
    const core = readMigrations('sqlite')
      .flatMap(({ statements }) => statements)
      .join('\n')
    for (const { table } of tables) expect(core).not.toMatch(new RegExp(`\\b${table}\\b`))
  },
)

it('refuses two queries of one name, and two slices of one name, before anything is changed', async () => {
  await using database = await sqliteDatabase({ isEmpty: true })
  for (const [slices, message] of [
    [[polls, { ...polls, name: 'surveys' }], 'two queries "createPoll": of "polls" and "surveys"'],
    [[{ name: 'sessions', queries: [() => ({ getSession: () => undefined })] }], 'of "core" and "sessions"'],
    [[{ name: 'closing', queries: [() => ({ close: () => undefined })] }], 'of "core" and "closing"'],
    [[polls, { name: 'polls' }], 'named "polls"'],
  ] as const)
    await expect(open(database, slices)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    })
  await using backend = openBackend(database)
  expect(await tablesOf(backend)).toEqual([])
})

describe.each(databases)('slices on %s', (_name, openDatabase) => {
  it('have nothing to do in a database of before, and leave its versions as they are', async () => {
    await using database = await openDatabase({ isEmpty: true })
    await using backend = openBackend(database)
    await migrateAsBefore(backend, 21)
    const newer = readMigrations(backend.name).filter(({ number }) => number > 21)
    expect(await migrate(backend, readMigrationLists(backend.name))).toBe(newer.length)
    const tables = await tablesOf(backend)
    // those that are not there have their tables for later
    for (const slices of [[], builtInSlices.slice(0, 2), builtInSlices]) {
      expect(await migrate(backend, readMigrationLists(backend.name, slices))).toBe(0)
      expect(await tablesOf(backend)).toEqual(tables)
      expect(await readVersions(backend)).toEqual({
        core: [...migrationsOfBefore(backend.name), ...newer].map(({ number, name }) => ({ number, name })),
        extensions: [],
      })
    }
  })

  it('bring a database of before up to date that was opened without them meanwhile', async () => {
    await using database = await openDatabase({ isEmpty: true })
    await using backend = openBackend(database)
    // workflows are in it, and plans are not
    await migrateAsBefore(backend, 14)
    await migrate(backend)
    await migrate(backend, listsOf(backend))
    const { extensions } = await readVersions(backend)
    expect(extensions).toEqual(
      listsOf(backend)
        .flatMap(({ extension, migrations }) => migrations.map((each) => ({ extension, ...each })))
        .filter(({ extension, number }) => extension !== undefined && number > 14)
        .map(({ extension, number, name }) => ({ extension, number, name }))
        .sort((a, b) => (a.extension! < b.extension! ? -1 : a.extension === b.extension ? 0 : 1)),
    )
    await using other = await openDatabase()
    await using whole = openBackend(other)
    await migrate(whole, listsOf(whole))
    expect(await tablesOf(backend)).toEqual(await tablesOf(whole))
  })

  it('give a database their tables whenever they come, and leave them when they go', async () => {
    await using database = await openDatabase({ isEmpty: true })
    {
      await using store = await open(database, [])
      await store.ensureScope(scope)
      await store.createSession({ id: 'ses_1', scope })
      expect('createPoll' in store || 'getPlan' in store).toBe(false)
    }
    {
      await using store = await open(database, [...builtInSlices, polls])
      await pollsOf(store).createPoll('one', 'ses_1')
      await store.transaction((tx) => pollsOf(tx).createPoll('two', 'ses_1'))
      await store.createPlan({ scope, title: 'A plan', description: '', metadata: {} })
    }
    {
      await using store = await open(database, [])
      expect(await store.getSession(scope, 'ses_1')).toMatchObject({ id: 'ses_1' })
    }
    await using store = await open(database, [polls])
    expect(await pollsOf(store).listPolls()).toEqual([{ id: 'one' }, { id: 'two' }])
    await store.deleteSession(scope, 'ses_1')
    expect(await pollsOf(store).listPolls()).toEqual([])
  })

  it('number their migrations for themselves, and refuse tables of a newer one', async () => {
    await using database = await openDatabase({ isEmpty: true })
    await using backend = openBackend(database)
    const run = (slice: StoreSlice) => migrate(backend, readMigrationLists(backend.name, [slice]))
    expect(await run(polls)).toBe(readMigrations(backend.name).length + 1)
    expect(await run(later)).toBe(1)
    expect((await readVersions(backend)).extensions).toEqual([
      { extension: 'polls', number: 1, name: 'foundation' },
      { extension: 'polls', number: 2, name: 'titles' },
    ])
    await expect(run(polls)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('version 2 of the tables of "polls"'),
    })
    expect(await migrate(backend)).toBe(0)
  })

  it('that fail leave the schema as it was, that of the core too', async () => {
    await using database = await openDatabase({ isEmpty: true })
    await using backend = openBackend(database)
    const broken = (list: MigrationList) =>
      list.extension === 'webhook'
        ? { ...list, migrations: [{ number: 18, name: 'webhooks', statements: ['no such statement'] }] }
        : list
    await expect(migrate(backend, listsOf(backend).map(broken))).rejects.toThrow('"no"')
    expect(await tablesOf(backend)).toEqual([])
    const count = listsOf(backend).flatMap(({ migrations }) => migrations).length
    expect(await migrate(backend, listsOf(backend))).toBe(count)
  })

  it('are asked before the rows of a session go and after, in their order and in its transaction', async () => {
    await using database = await openDatabase()
    const asked: string[] = []
    const watching = (name: string): StoreSlice => ({
      name,
      async sessionDeleted(tx, { id, sessions }) {
        const isThere = async () =>
          (await tx.db.selectFrom('sessions').select('id').where('id', '=', id).execute()).length === 1
        asked.push(`${name} ${sessions.toSorted().join(' ')} ${await isThere()}`)
        return async () => void asked.push(`${name} ${await isThere()}`)
      },
    })
    await using store = await open(database, [...builtInSlices, watching('first'), watching('second')])
    await store.ensureScope(scope)
    await store.createSession({ id: 'ses_1', scope })
    await store.createSession({ id: 'ses_2', scope, parentId: 'ses_1', kind: 'tool' })
    await store.deleteSession(scope, 'ses_1')
    expect(asked).toEqual([
      'first ses_1 ses_2 true',
      'second ses_1 ses_2 true',
      'first false',
      'second false',
    ])
  })
})

describe('what an extension keeps in the record of a session', () => {
  it('survives changes that are made without the extension', async () => {
    await using database = await sqliteDatabase()
    const first = await open(database, builtInSlices)
    await first.ensureScope(scope)
    const { id } = await first.createSession({
      scope,
      planId: 'plan_1',
      agents: ['mira'],
      model: 'demo/parley',
    })
    await first.close()

    const bare = await open(database, [])
    const without = await bare.updateSession(scope, id, { title: 'Renamed' })
    expect(without).toMatchObject({ title: 'Renamed', model: 'demo/parley' })
    expect(without).not.toHaveProperty('planId')
    await bare.close()

    const again = await open(database, builtInSlices)
    expect(await again.requireSession(scope, id)).toMatchObject({
      title: 'Renamed',
      planId: 'plan_1',
      agents: ['mira'],
    })
    await again.updateSession(scope, id, { planId: null })
    expect(await again.requireSession(scope, id)).not.toHaveProperty('planId')
    await again.close()
  })

  it('is refused where two have the same name for it', async () => {
    await using database = await sqliteDatabase()
    const keeps = (name: string) => ({ session: { fields: { [name]: z.string().optional() } } }) as Facets
    const facets = keeps('answers')
    await expect(
      open(database, [
        { name: 'one', facets },
        { name: 'two', facets },
      ]),
    ).rejects.toThrow('The extensions "one" and "two" both keep "answers" in the record of a session.')
    await expect(open(database, [{ name: 'one', facets: keeps('model') }])).rejects.toThrow('"model"')
  })
})
