import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import { ParleyError } from '../../protocol/error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Backend, Db, IndexEntry } from '../backend.ts'
import { makeDataDir, makePrivateFile } from '../data-dir.ts'
import { noOwnerLocks } from '../owner-locks.ts'
import type { SearchTerm } from '../search-words.ts'
import { openKysely } from '../transaction.ts'
import { SqliteConnection, type SqliteSettings } from './connection.ts'
import { createSqliteDialect } from './dialect.ts'
import { isForeignKeyViolation, isUniqueViolation, toRefusal } from './errors.ts'
import { createSqliteOwnerLocks } from './owner-locks.ts'

/** In place of a file: gone with the process. */
export const inMemory = ':memory:'

interface OpenSettings extends SqliteSettings {
  /** The lock of a process that executes runs cannot be opened or removed; called once for each. */
  onOwnerTrouble?(file: string, error: unknown): void
}

/** Opens the file, making it and its folder when they are missing. */
export function openSqlite({ onOwnerTrouble, ...settings }: OpenSettings, clock: Clock): Backend {
  const writing = connect(settings)
  // what is only in memory belongs to its connection: there is no second one to read it
  const reading = settings.file === inMemory ? writing : connect(settings)
  const { db, transaction } = openKysely(createSqliteDialect(writing, reading))
  return {
    name: 'sqlite',
    db,
    transaction,
    get now() {
      return sql<number>`${clock.now()}`
    },
    forUpdate: sql``,
    forDelete: sql``,
    // a transaction has the whole file to itself
    lockSlots: async () => {},
    skipLocked: sql``,
    owners:
      settings.file === inMemory
        ? noOwnerLocks
        : createSqliteOwnerLocks(join(dirname(realpathSync(settings.file)), 'owners'), onOwnerTrouble),
    withMigrationLock: (work) => transaction(work),
    indexWords,
    mergeWords,
    holdsTerms,
    toRefusal,
    isUniqueViolation,
    isForeignKeyViolation,
    isRetryable: () => false,
    // on the connection that writes: another one may still hold an older picture of the search index
    checkIntegrity: () =>
      transaction(async (tx) => {
        const { rows } = await sql<{ integrity_check: string }>`PRAGMA integrity_check(1)`.execute(tx)
        const { rows: orphans } = await sql`PRAGMA foreign_key_check`.execute(tx)
        const [first] = rows
        if (first?.integrity_check !== 'ok') return first?.integrity_check ?? 'no answer'
        return orphans.length > 0 ? `${orphans.length} rows refer to something that is gone` : undefined
      }),
    close: () => db.destroy(),
  }
}

function connect(settings: SqliteSettings): SqliteConnection {
  try {
    if (settings.file !== inMemory) {
      makeDataDir(dirname(settings.file))
      makePrivateFile(settings.file)
    }
    return new SqliteConnection(settings)
  } catch (error) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    throw new ParleyError(refusal.code, `${settings.file}: ${refusal.message}`, { cause: error })
  }
}

const insertEntry = 'insert into search_documents (session_id, seq) values (?, ?) returning id'
const insertWords = 'insert into search_index (rowid, words) values (?, ?)'

async function indexWords(db: Db, sessionId: string, entries: readonly IndexEntry[]): Promise<void> {
  for (const { seq, words } of entries) {
    const { rows } = await db.executeQuery<{ id: number }>(CompiledQuery.raw(insertEntry, [sessionId, seq]))
    await db.executeQuery(CompiledQuery.raw(insertWords, [rows[0]!.id, words.join(' ')]))
  }
}

// pages; more than a step writes, so that segments do not pile up, and about a millisecond
const mergeSome = `insert into search_index (search_index, rank) values ('merge', 16)`

async function mergeWords(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(mergeSome))
}

const toQuery = (terms: SearchTerm[]) =>
  terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? ' *' : ''}`).join(' AND ')

const holdsTerms = (terms: SearchTerm[]) => sql<boolean>`search_documents.id in
  (select rowid from search_index where search_index match ${toQuery(terms)})`
