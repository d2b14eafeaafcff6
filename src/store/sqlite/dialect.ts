import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import { ParleyError } from '../../protocol/error.ts'
import type { SqliteConnection } from './connection.ts'
import { primaryCode } from './errors.ts'

/** Kysely over one `node:sqlite` connection. */
export function createSqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

// the longest transaction, an import of a very long log, takes a few seconds
const maxWaitMs = 30_000

const waitedTooLong = () =>
  new ParleyError(
    'store_unavailable',
    `The database was busy for ${maxWaitMs} ms. Does a transaction wait for a call on the store itself, in place of "tx"?`,
  )

/** One connection, so one user at a time: a transaction keeps the others waiting in line. */
class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection
  readonly #adapted: DatabaseConnection
  #waiting: (() => void)[] = []
  #isBusy = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#adapted = adapt(connection)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isBusy) await this.#takeTurn()
    this.#isBusy = true
    try {
      this.#connection.ensureOpen()
    } catch (error) {
      await this.releaseConnection()
      throw error
    }
    return this.#adapted
  }

  #takeTurn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1)
        reject(waitedTooLong())
      }, maxWaitMs)
      const proceed = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.push(proceed)
    })
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isBusy = false
  }

  // deferred would fail at its first write when another process wrote since its first read
  async beginTransaction(): Promise<void> {
    await patiently(this.#connection, () => this.#connection.run('begin immediate', []))
  }

  async commitTransaction(): Promise<void> {
    this.#connection.run('commit', [])
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback()
  }

  async destroy(): Promise<void> {
    this.#connection.close()
  }
}

function adapt(connection: SqliteConnection): DatabaseConnection {
  const executeQuery = async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> =>
    patiently(connection, () => connection.run<Row>(sql, parameters as (string | number | null)[]))
  return {
    executeQuery,
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await executeQuery<Row>(query)
    },
  }
}

/**
 * Waits while another process (or another Parley of this one) writes. SQLite's own waiting would stop this whole
 * process, and with it the other Parley's transaction that it waits for.
 */
async function patiently<T>(connection: SqliteConnection, work: () => T): Promise<T> {
  for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(pause * 2, 25)) {
    try {
      return work()
    } catch (error) {
      if (primaryCode(error) !== busy || waited >= connection.busyTimeoutMs) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

const busy = 5
