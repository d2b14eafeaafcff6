import pg from 'pg'
import { vi } from 'vitest'
import { SqliteConnection } from '../src/core/store/sqlite/connection.ts'

// it has many forms; only the one that Kysely uses answers a promise
const postgres = pg.Client.prototype as unknown as { query(...given: unknown[]): unknown }
const { run } = SqliteConnection.prototype
const { query } = postgres

export interface Reads {
  statements: number
  rows: number
  /** Of all that was read, as text. */
  bytes: number
}

// the index of the search is made when there is time, for short runs after them
const isOfIndex = (text: unknown) =>
  typeof text === 'string' &&
  /indexed_seq|select (?:octet_length\(parts\) as bytes|seq, parts) from messages/.test(text)

/** Counts what this process asks its databases for, and lets everything through. */
export function countReads(): Disposable & { reads: Reads } {
  const reads: Reads = { statements: 0, rows: 0, bytes: 0 }
  const count = (text: unknown, rows: readonly unknown[] = []) => {
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
  const onPostgres = vi.spyOn(postgres, 'query').mockImplementation(function (
    this: unknown,
    ...given: unknown[]
  ) {
    const answer = query.apply(this, given)
    if (!(answer instanceof Promise)) return answer
    return answer.then((result: { rows?: unknown[] }) => {
      count(given[0], result.rows)
      return result
    })
  })
  return {
    reads,
    [Symbol.dispose]() {
      onSqlite.mockRestore()
      onPostgres.mockRestore()
    },
  }
}
