import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from 'kysely'
import type pg from 'pg'
import type { TypeParser } from './batch.ts'
import { PostgresConnection } from './connection.ts'
import type { Preparation } from './prepared-statements.ts'

/** Kysely over a pool of `pg`, whose connections send statements together. */
export function createPostgresDialect(
  pool: pg.Pool,
  preparation: Preparation,
  toParser: TypeParser,
): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(pool, preparation, toParser),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class PostgresDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #preparation: Preparation
  readonly #toParser: TypeParser
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>()

  constructor(pool: pg.Pool, preparation: Preparation, toParser: TypeParser) {
    this.#pool = pool
    this.#preparation = preparation
    this.#toParser = toParser
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.#pool.connect()
    const known = this.#connections.get(client)
    if (known) return known
    const connection = new PostgresConnection(client, this.#preparation, this.#toParser)
    this.#connections.set(client, connection)
    return connection
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    ;(connection as PostgresConnection).release()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    ;(connection as PostgresConnection).begin()
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as PostgresConnection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return (connection as PostgresConnection).rollback()
  }

  destroy(): Promise<void> {
    return this.#pool.end()
  }
}
