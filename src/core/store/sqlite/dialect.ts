import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import type { SqliteConnection } from './connection.ts'
import { createWriter, type Writer } from './writer.ts'

/**
 * Kysely over two `node:sqlite` connections to one file: reads go to one of them at once, and see only what was
 * committed; writes go to the other, one transaction after another.
 */
export function createSqliteDialect(writing: SqliteConnection, reading: SqliteConnection): Dialect {
  return {
    createAdapter: () => new LinedUpAdapter(),
    createDriver: () => new SqliteDriver(writing, reading),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** The writer lines transactions up itself; Kysely's own line would keep them from sharing a commit. */
class LinedUpAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #writing: SqliteConnection
  readonly #reading: SqliteConnection
  readonly #writer: Writer

  constructor(writing: SqliteConnection, reading: SqliteConnection) {
    this.#writing = writing
    this.#reading = reading
    this.#writer = createWriter(writing)
  }

  async init(): Promise<void> {}

  /** Costs nothing: whether it will read, write or begin a transaction is not known yet. */
  async acquireConnection(): Promise<DatabaseConnection> {
    return new Handle(this.#writing, this.#reading, this.#writer)
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#writer.begin()
    ;(connection as Handle).isInTransaction = true
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    ;(connection as Handle).isInTransaction = false
    await this.#writer.commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const handle = connection as Handle
    if (!handle.isInTransaction) return
    handle.isInTransaction = false
    await this.#writer.rollback()
  }

  async destroy(): Promise<void> {
    await this.#writer.settle()
    this.#writing.close()
    this.#reading.close()
  }
}

class Handle implements DatabaseConnection {
  isInTransaction = false
  readonly #writing: SqliteConnection
  readonly #reading: SqliteConnection
  readonly #writer: Writer

  constructor(writing: SqliteConnection, reading: SqliteConnection, writer: Writer) {
    this.#writing = writing
    this.#reading = reading
    this.#writer = writer
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters as (string | number | null)[]
    if (this.isInTransaction) return this.#writing.run<Row>(sql, values)
    // on a connection of their own; on the one that writes they would see what is not committed yet
    if (isRead(sql) && this.#reading !== this.#writing) {
      this.#reading.ensureOpen()
      return this.#reading.run<Row>(sql, values)
    }
    await this.#writer.begin()
    let result: QueryResult<Row>
    try {
      result = this.#writing.run<Row>(sql, values)
    } catch (error) {
      await this.#writer.rollback()
      throw error
    }
    await this.#writer.commit()
    return result
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }
}

const isRead = (sql: string) => /^\s*(select|pragma)\b/i.test(sql)
