import { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import type { Backend, Db, IndexEntry } from '../backend.ts'
import type { SearchTerm } from '../search-words.ts'
import { openKysely } from '../transaction.ts'
import type { TypeParser } from './batch.ts'
import { createPostgresDialect } from './dialect.ts'
import { isForeignKeyViolation, isRetryable, isUniqueViolation, toRefusal } from './errors.ts'
import { createPostgresOwnerLocks } from './owner-locks.ts'

export interface PostgresSettings {
  url: string
  poolSize: number
  /** How long to wait for a connection, a new one or one that others use; default 5,000. */
  connectTimeoutMs?: number
  /** How long the database may take to answer a query; default 30,000. */
  quietMs?: number
  /** Default true: connections keep the texts that are sent again and again, parsed. */
  preparedStatements?: boolean
  /** Called when a connection broke while nobody used it; the pool replaces it. */
  onIdleError?: (error: Error) => void
}

// any number that no other program on the same database uses for its advisory locks
const migrationLock = 4_127_001
const slotLock = 4_127_002
/**
 * The locks of a process that dies or hangs are released, so that others can do its work. One that waits for a
 * lock would not notice that its process is dead; one that is stopped between two statements is not dead at all. We
 * never think that long between two. Older servers do not know the second setting.
 */
const limitIdleTransactions = `select set_config('idle_in_transaction_session_timeout', '10000', false),
  case when current_setting('server_version_num')::int >= 140000
  then set_config('client_connection_check_interval', '2000', false) end`

/**
 * A connection that broke without a word, behind a firewall or with the power of a machine, never answers. Idle ones
 * are closed by the pool long before: on one that is quiet for so long somebody waits.
 */
function createSocket(quietMs: number, isPatient: () => boolean): Socket {
  const socket = new Socket()
  socket.setTimeout(quietMs, () => {
    if (isPatient()) return
    const error = new Error(`The database has not answered for ${quietMs} ms.`)
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
  })
  return socket
}

export function openPostgres({
  url,
  poolSize,
  connectTimeoutMs = 5_000,
  quietMs = 30_000,
  preparedStatements = true,
  onIdleError = () => {},
}: PostgresSettings): Backend {
  // an index of a large table takes its time
  let isMigrating = false
  const connection: pg.ClientConfig = {
    connectionString: url,
    application_name: 'parley',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    stream: () => createSocket(quietMs, () => isMigrating),
  })
  pool.on('error', onIdleError)
  // a connection that breaks between two statements of a transaction has no other listener, and would end the process
  pool.on('connect', (client) => {
    client.on('error', onIdleError)
    client.query(limitIdleTransactions).catch(onIdleError)
  })
  const preparation = { isOn: preparedStatements, generation: 0 }
  const { db, transaction } = openKysely(createPostgresDialect(pool, preparation, toParser), {
    sendsTogether: true,
  })
  return {
    name: 'postgres',
    db,
    transaction,
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    // stronger ones would keep others from adding rows that refer to this one
    forUpdate: sql`for no key update`,
    forDelete: sql`for update`,
    async lockSlots(tx) {
      await sql`select pg_advisory_xact_lock(${sql.lit(slotLock)})`.execute(tx)
    },
    skipLocked: sql`for no key update skip locked`,
    owners: createPostgresOwnerLocks(db, connection),
    async withMigrationLock(work) {
      isMigrating = true
      try {
        return await transaction(async (tx) => {
          await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(tx)
          return work(tx)
        })
      } finally {
        isMigrating = false
      }
    },
    indexWords,
    mergeWords: async () => {},
    holdsTerms,
    toRefusal,
    isUniqueViolation,
    isForeignKeyViolation,
    isRetryable,
    // PostgreSQL checks pages and references itself as it reads and writes them
    checkIntegrity: async () => undefined,
    close: () => db.destroy(),
  }
}

const int8 = 20

/** Our bigints are counters and milliseconds, far below 2^53: numbers, as SQLite gives them. */
const toParser: TypeParser = (type) => (type === int8 ? Number : pg.types.getTypeParser(type))

async function indexWords(db: Db, sessionId: string, entries: readonly IndexEntry[]): Promise<void> {
  const rows = entries.map(({ seq, words }) => sql`(${sessionId}, ${seq}, ${toVector(words)}::tsvector)`)
  await sql`insert into search_documents (session_id, seq, words) values ${sql.join(rows)}`.execute(db)
}

const toVector = (words: readonly string[]) =>
  words.map((word, index) => `${quoteLexeme(word)}:${index + 1}`).join(' ')

const toQuery = (terms: SearchTerm[]) =>
  terms
    .map(({ words, prefix }) => `(${words.map(quoteLexeme).join(' <-> ')}${prefix ? ':*' : ''})`)
    .join(' & ')

const holdsTerms = (terms: SearchTerm[]) => sql<boolean>`search_documents.words @@ ${toQuery(terms)}::tsquery`

// words hold letters, digits and marks only, so nothing in them needs escaping
const quoteLexeme = (word: string) => `'${word}'`
