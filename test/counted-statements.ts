import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { vi } from 'vitest'

/** For tests: the texts of all statements that SQLite databases opened from now on execute, until it is disposed of. */
export function countStatements(): Disposable & { texts: string[] } {
  const texts: string[] = []
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql, ...more) {
    const statement: StatementSync = prepare.call(this, sql, ...more)
    for (const name of ['run', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.assign(statement, {
        [name](...values: unknown[]) {
          texts.push(sql.replace(/\s+/g, ' ').trim())
          return execute(...values)
        },
      })
    }
    return statement
  }
  return { texts, [Symbol.dispose]: () => void (DatabaseSync.prototype.prepare = prepare) }
}

/** What works by timers (the search index, schedules, leases) is not part of a turn: none runs until this is disposed of. */
export function holdTimers(): Disposable {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  return { [Symbol.dispose]: () => void vi.useRealTimers() }
}
