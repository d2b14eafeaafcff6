import { vi } from 'vitest'
import { PostgresConnection } from '../src/core/store/postgres/connection.ts'
import { SqliteConnection } from '../src/core/store/sqlite/connection.ts'

const { run } = SqliteConnection.prototype
const { executeQuery } = PostgresConnection.prototype

export interface Reads {
  statements: number
  rows: number
  /** Of all that was read, as text. */
  bytes: number
}

// the index of the search is made when there is time, for short runs after them
const isOfIndex = (text: string) =>
  /indexed_seq|select (?:octet_length\(parts\) as bytes|seq, parts) from messages/.test(text)

/** Counts what this process asks its databases for, and lets everything through. */
export function countReads(): Disposable & { reads: Reads } {
  const reads: Reads = { statements: 0, rows: 0, bytes: 0 }
  const count = (text: string, rows: readonly unknown[] = []) => {
    if (isOfIndex(text)) return
    reads.statements++
    reads.rows += rows.length
    for (const row of rows)
      for (const value of Object.values(row as object)) reads.bytes += String(value ?? '').length
  }
  const onSqlite = vi.spyOn(SqliteConnection.prototype, 'run').mockImplementation(function (
    this: SqliteConnection,
    ...given
  ) {
    const result = run.apply(this, given)
    count(given[0], result.rows)
    return result
  } as typeof run)
  const onPostgres = vi
    .spyOn(PostgresConnection.prototype, 'executeQuery')
    .mockImplementation(async function (this: PostgresConnection, query) {
      const result = await executeQuery.call(this, query)
      count(query.sql, result.rows)
      return result
    } as typeof executeQuery)
  return {
    reads,
    [Symbol.dispose]() {
      onSqlite.mockRestore()
      onPostgres.mockRestore()
    },
  }
}
