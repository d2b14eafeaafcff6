import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { ParleyError } from '../../protocol/error.ts'
import { primaryCode } from './errors.ts'

export interface SqliteSettings {
  file: string
  /** FULL syncs before every commit returns; NORMAL may lose the newest commits in a power cut. */
  synchronous: 'FULL' | 'NORMAL'
  /** How long to wait for another process that writes. */
  busyTimeoutMs: number
}

// enough for every query of the store: a list with all its filters makes a few dozen texts
const maxStatements = 500
const ioError = 10

/**
 * One open SQLite file. After an I/O error nothing that the connection holds can be trusted (a failed sync
 * may have dropped the pages it was asked to write), so it is reopened and checked before the next use.
 */
export class SqliteConnection {
  readonly #settings: SqliteSettings
  #database: DatabaseSync
  #statements = new Map<string, { statement: StatementSync; isReader: boolean }>()
  #isSuspect = false

  constructor(settings: SqliteSettings) {
    this.#settings = settings
    this.#database = open(settings)
  }

  get busyTimeoutMs(): number {
    return this.#settings.busyTimeoutMs
  }

  run<Row>(sql: string, parameters: (string | number | null)[]): QueryResult<Row> {
    try {
      const { statement, isReader } = this.#prepare(sql)
      if (isReader) return { rows: statement.all(...parameters) as Row[] }
      return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) }
    } catch (error) {
      if (primaryCode(error) === ioError) this.#isSuspect = true
      throw error
    }
  }

  get isInTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction
  }

  /** Some errors end the transaction by themselves; rolling back then would only hide them. */
  rollback(): void {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback')
  }

  ensureOpen(): void {
    if (!this.#isSuspect) return
    this.close()
    this.#database = open(this.#settings)
    const [first] = this.#database.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    if (first?.quick_check !== 'ok')
      throw new ParleyError('store_unavailable', `The database failed its check: ${first?.quick_check}`)
    this.#isSuspect = false
  }

  close(): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  #prepare(sql: string) {
    let entry = this.#statements.get(sql)
    if (!entry) {
      const statement = this.#database.prepare(sql)
      if (this.#statements.size >= maxStatements) this.#statements.clear()
      this.#statements.set(sql, (entry = { statement, isReader: statement.columns().length > 0 }))
    }
    return entry
  }
}

const pageBytes = 2048

/** Opening may wait in place; from then on the driver waits without stopping the process. */
function open({ file, synchronous, busyTimeoutMs }: SqliteSettings): DatabaseSync {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: busyTimeoutMs })
  // set on every connection: what a build of SQLite defaults to on re-open is not to be relied on; what undoes a savepoint
  // would otherwise be written to files of its own. Only a new file takes the size of its pages: most of a turn's changes
  // are small and lie apart, and each of them writes a whole page twice
  database.exec(`
    PRAGMA page_size = ${pageBytes};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous};
    PRAGMA journal_size_limit = 67108864;
    PRAGMA busy_timeout = 0;
    PRAGMA temp_store = MEMORY;
  `)
  return database
}
