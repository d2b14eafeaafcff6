/**
 * Names the transactions of a process by what they write, and tells of each one right before and right after it is
 * committed. The product knows nothing of it: the drivers of both databases are listened to.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type pg from 'pg'
import { Batch } from '../../src/core/store/postgres/batch.ts'

export type Moment = 'before' | 'after'
export type OnPoint = (moment: Moment, name: string) => void

/** To be called before anything is opened. */
export function watchPoints(onPoint: OnPoint): void {
  watchSqlite(onPoint)
  watchPostgres(onPoint)
  watchRenames(onPoint)
}

/** What a statement writes: its table, and which columns an update sets; undefined when it only reads. */
function writeOf(sql: string): string | undefined {
  const [, verb, table] =
    /^\s*(?:with\b[\s\S]*?\)\s*)?(insert(?: or \w+)? into|update|delete from) "?(\w+)"?/i.exec(sql) ?? []
  if (verb === undefined) return undefined
  const [word] = verb.toLowerCase().split(' ')
  if (word !== 'update') return `${word} ${table}`
  const [, assignments = ''] = /\bset\b([\s\S]*?)(?:\bwhere\b|\breturning\b|$)/i.exec(sql) ?? []
  const columns = [...assignments.matchAll(/"?(\w+)"? = /g)].map(([, column]) => column)
  return `${word} ${table}(${columns.join(' ')})`
}

/** What one transaction has written so far. */
const nameOf = (writes: Set<string>) => [...writes].sort().join(', ')

/** The writer makes each transaction a savepoint, and commits those of one round of the event loop together. */
function watchSqlite(onPoint: OnPoint): void {
  let writes = new Set<string>()
  let released: string[] = []
  const around = (sql: string, work: () => unknown): unknown => {
    const isRelease = sql === 'release one' && writes.size > 0
    if (isRelease) {
      onPoint('before', nameOf(writes))
      released.push(nameOf(writes))
    }
    const result = work()
    const write = writeOf(sql)
    if (write !== undefined) writes.add(write)
    if (isRelease || sql === 'savepoint one' || sql === 'rollback to one') writes = new Set()
    if (sql === 'commit') for (const name of released.splice(0)) onPoint('after', name)
    if (sql === 'begin immediate') released = []
    return result
  }
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql, ...more) {
    const statement: StatementSync = prepare.call(this, sql, ...more)
    for (const name of ['run', 'all'] as const) {
      const execute = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.assign(statement, { [name]: (...values: unknown[]) => around(sql, () => execute(...values)) })
    }
    return statement
  }
}

/** A statement that writes outside of a transaction is one by itself. What is sent with a commit is part of it. */
function watchPostgres(onPoint: OnPoint): void {
  const open = new WeakMap<pg.Connection, Set<string>>()
  const names = new WeakMap<Batch, string>()
  const { submit, handleReadyForQuery } = Batch.prototype
  Batch.prototype.submit = function (connection) {
    for (const { text } of this.pending) {
      const writes = open.get(connection)
      const write = writeOf(text)
      if (text === 'begin') open.set(connection, new Set())
      else if (text === 'rollback') open.delete(connection)
      else if (write !== undefined) writes?.add(write)
      let name: string | undefined = write
      if (writes) name = text === 'commit' ? nameOf(writes) : undefined
      if (text === 'commit') open.delete(connection)
      if (name) names.set(this, name)
    }
    const name = names.get(this)
    if (name !== undefined) onPoint('before', name)
    submit.call(this, connection)
  }
  Batch.prototype.handleReadyForQuery = function () {
    const name = names.get(this)
    if (name !== undefined) onPoint('after', name)
    handleReadyForQuery.call(this)
  }
}

/** A file is written beside its place and renamed: that is its commit. */
function watchRenames(onPoint: OnPoint): void {
  const { rename } = fs
  fs.rename = async (from, to) => {
    onPoint('before', 'rename a file')
    await rename(from, to)
    onPoint('after', 'rename a file')
  }
  syncBuiltinESMExports()
}
