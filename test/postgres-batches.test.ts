/** How statements reach PostgreSQL: several together, and what becomes of the others when one fails. */
import { setImmediate as nextRound } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { isStoreUnavailable } from '../src/core/protocol/error.ts'
import { joinFacets } from '../src/core/protocol/joined-facets.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import { openPostgres, type PostgresSettings } from '../src/core/store/postgres/open.ts'
import { createRootContext, type QueryContext } from '../src/core/store/query-context.ts'
import { statement } from '../src/core/store/statement.ts'
import { countRoundTrips } from './counted-round-trips.ts'
import { postgresDatabase } from './harness.ts'

const insert = statement(`insert into things (id) values (?)`)
const select = statement<{ id: number }>(`select * from things order by id`)

async function openThings(settings: Partial<PostgresSettings> = {}) {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await postgresDatabase({ isEmpty: true }))
  const counted = opening.use(await countRoundTrips(database.environment.DATABASE_URL!))
  const attempts: number[] = []
  const backend = openPostgres({ url: counted.url, poolSize: 1, ...settings })
  opening.defer(() => backend.close())
  const context = createRootContext({
    backend,
    clock: systemClock,
    ids: createIds(systemClock),
    facets: joinFacets([]),
    onChange: () => {},
    onTransaction: () => (done) => attempts.push(done.attempts),
  })
  await sql`create table things (id int primary key)`.execute(backend.db)
  counted.reset()
  const opened = opening.move()
  const things = async () => (await select(context, [])).map(({ id }) => id)
  return {
    backend,
    context,
    counted,
    things,
    /** How often each transaction was tried. */
    attempts,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const run = (text: string, { db }: QueryContext) => sql.raw(text).execute(db)

describe('statements for PostgreSQL', () => {
  it('share a round trip when nobody waits between them, as do the beginning and the end', async () => {
    await using opened = await openThings()
    const { context, counted, things } = opened
    await context.transaction(async (tx) => {
      await Promise.all([insert(tx, [1]), insert(tx, [2])])
      expect(await select(tx, [])).toEqual([{ id: 1 }, { id: 2 }])
      await tx.alongside(insert(tx, [3]))
    })
    const text = 'insert into things (id) values ($1)'
    expect(counted.roundTrips).toEqual([
      ['begin', text, text],
      ['select * from things order by id'],
      [text, 'commit'],
    ])
    expect(await things()).toEqual([1, 2, 3])
  })

  it('are none in a transaction that asks nothing', async () => {
    await using opened = await openThings()
    const { context, counted } = opened
    await context.transaction(async () => {})
    const refused = context.transaction(async () => {
      throw new Error('thought better of it')
    })
    await expect(refused).rejects.toThrow('thought better of it')
    expect(counted.roundTrips).toEqual([])
  })

  it('fail as the first of them that failed, whoever waits for which, and nothing is stored', async () => {
    await using opened = await openThings()
    const { backend, context, things } = opened
    await insert(context, [1])
    const together = context.transaction((tx) =>
      Promise.all([insert(tx, [2]), insert(tx, [1]), select(tx, [])]),
    )
    await expect(together).rejects.toSatisfy(backend.isUniqueViolation)
    const behind = context.transaction(async (tx) => {
      await tx.alongside(insert(tx, [3]))
      await tx.alongside(insert(tx, [1]))
      return select(tx, [])
    })
    await expect(behind).rejects.toSatisfy(backend.isUniqueViolation)
    const named = context.transaction(async (tx) => {
      await tx.alongside(
        insert(tx, [1]).catch((cause: unknown) => {
          throw new Error('It is there.', { cause })
        }),
      )
      await tx.alongside(insert(tx, [4]))
    })
    await expect(named).rejects.toThrow('It is there.')
    expect(await things()).toEqual([1])
  })

  it('are not executed by themselves when their transaction did not begin', async () => {
    await using opened = await openThings()
    const { backend, context, things } = opened
    // a name of ours that somebody has taken on this connection
    await context.transaction((tx) => insert(tx, [1]))
    const { rows } = await sql<{ name: string }>`
      select name from pg_prepared_statements where statement = 'begin'`.execute(backend.db)
    await using other = await openThings()
    await run(`prepare "${rows[0]!.name}" as select 1`, other.context)
    const first = other.backend.transaction(async (db) => {
      const tx = { ...other.context, db }
      await Promise.all([insert(tx, [2]), insert(tx, [3])])
    })
    await expect(first).rejects.toMatchObject({ code: '42P05' })
    expect(await other.things()).toEqual([])
    // from then on without names
    await other.context.transaction((tx) => insert(tx, [4]))
    expect(await other.things()).toEqual([4])
    expect(await things()).toEqual([1])
  })

  it('are a refusal when the connection breaks among them, and nothing is stored', async () => {
    await using opened = await openThings()
    const { backend, context, things } = opened
    const broken = context.transaction((tx) =>
      Promise.all([
        insert(tx, [1]),
        run('select pg_terminate_backend(pg_backend_pid())', tx),
        insert(tx, [2]),
      ]),
    )
    const error: unknown = await broken.catch((reason: unknown) => backend.toRefusal(reason))
    expect(error).toSatisfy(isStoreUnavailable)
    expect(await things()).toEqual([])
  })

  it('are tried again when two transactions wait for each other', async () => {
    await using opened = await openThings({ poolSize: 2 })
    const { context, attempts, things } = opened
    await Promise.all([insert(context, [1]), insert(context, [2])])
    const lock = statement(`update things set id = id where id = ?`)
    const both = Promise.withResolvers<void>()
    const oneEnded = Promise.withResolvers<void>()
    let begun = 0
    let locked = 0
    const lockBoth = async (first: number, second: number) => {
      await context.transaction(async (tx) => {
        // whoever is tried again does not get in the way of the other once more
        if (++begun > 2) await oneEnded.promise
        await lock(tx, [first])
        if (++locked === 2) both.resolve()
        await both.promise
        await tx.alongside(lock(tx, [second]))
        await tx.alongside(insert(tx, [first + 10]))
      })
      oneEnded.resolve()
    }
    await Promise.all([lockBoth(1, 2), lockBoth(2, 1)])
    expect(attempts.toSorted()).toEqual([1, 2])
    expect(await things()).toEqual([1, 2, 11, 12])
  })

  it('are not tried again by themselves when their transaction was given up meanwhile', async () => {
    await using opened = await openThings()
    const { context, things } = opened
    const insertWhole = statement(`insert into things (id) values (?) returning *`)
    await insertWhole(context, [1])
    await run(`alter table things add name text`, context)
    const givenUp = context.transaction((tx) =>
      Promise.all([
        insertWhole(tx, [2]),
        // it is on its way by then
        nextRound().then(() => {
          throw new Error('thought better of it')
        }),
      ]),
    )
    await expect(givenUp).rejects.toThrow('thought better of it')
    await run(`alter table things drop name`, context)
    expect(await things()).toEqual([1])
  })

  it('are refused when their transaction is over', async () => {
    await using opened = await openThings()
    const { context, things } = opened
    const ended = await context.transaction(async (tx) => tx)
    await expect(insert(ended, [1])).rejects.toThrow('over')
    expect(await things()).toEqual([])
  })
})

describe('texts that PostgreSQL keeps', () => {
  it('are parsed once for a connection, the newest hundred of them', async () => {
    await using opened = await openThings()
    const { context, backend } = opened
    for (let number = 0; number < 150; number++)
      for (let time = 0; time < 2; time++)
        expect(await statement(`select ${number} as value`)(context, [])).toEqual([{ value: number }])
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where name like 'parley%'`.execute(backend.db)
    expect(rows).toHaveLength(100)
    expect(rows.map((row) => row.statement)).toContain('select 149 as value')
  })

  it('are none when that is off', async () => {
    await using opened = await openThings({ preparedStatements: false })
    const { context, backend, things } = opened
    await context.transaction((tx) => insert(tx, [1]))
    expect(await things()).toEqual([1])
    const { rows } = await sql`select * from pg_prepared_statements where name like 'parley%'`.execute(
      backend.db,
    )
    expect(rows).toEqual([])
  })

  it('are parsed anew when a table has changed, or what forwards connections has lost them', async () => {
    await using opened = await openThings()
    const { context, attempts, things } = opened
    await context.transaction((tx) => insert(tx, [1]))
    expect(await things()).toEqual([1])
    await run(`alter table things add name text default 'new'`, context)
    expect(await select(context, [])).toEqual([{ id: 1, name: 'new' }])
    await run('alter table things drop name', context)
    expect(await context.transaction((tx) => select(tx, []))).toEqual([{ id: 1 }])
    await run('deallocate all', context)
    expect(await context.transaction((tx) => select(tx, []))).toEqual([{ id: 1 }])
    expect(attempts).toEqual([1, 2, 2])
  })
})
