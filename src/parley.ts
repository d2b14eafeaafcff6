import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { invalidRequest } from './protocol/error.ts'
import type { Sessions } from './protocol/sessions.ts'
import { startMirror, type Mirror } from './sessions/mirror.ts'
import { startSearchIndexer } from './sessions/search-indexer.ts'
import { createSessions } from './sessions/sessions.ts'
import { systemClock, type Clock } from './shared/clock.ts'
import { createIds } from './shared/ids.ts'
import type { Backend } from './store/backend.ts'
import { openPostgres } from './store/postgres/open.ts'
import { openSqlite } from './store/sqlite/open.ts'
import { createStore, type Store } from './store/store.ts'
import { startHousekeeping } from './store/housekeeping.ts'

export interface ParleyOptions {
  /** Folder of the SQLite database; needed unless `databaseUrl` is given. */
  dataDir?: string
  /** `postgres://…` keeps everything in PostgreSQL, for any number of nodes. */
  databaseUrl?: string
  /** Default `FULL` and 5,000: what is acknowledged survives a power cut. */
  sqlite?: { synchronous?: 'FULL' | 'NORMAL'; busyTimeoutMs?: number }
  /** Default 10 connections. */
  postgres?: { poolSize?: number }
  /** Keeps readable copies of the sessions in this folder. */
  mirrorDir?: string
  /** The most items of one page; default 200. */
  limits?: { pageSize?: number }
  /** Folders of scopes by name. */
  scopes?: Record<string, { root: string }>
  /** Default: none. */
  logger?: Logger
  clock?: Clock
}

/** A running Parley. Several can live in one process and know nothing of each other. */
export interface Parley extends AsyncDisposable {
  sessions: Sessions
  /** For those who build on the store itself. */
  store: Store
  /** Stops what runs in the background, then closes the store. */
  close(): Promise<void>
}

export async function createParley(options: ParleyOptions): Promise<Parley> {
  const { clock = systemClock, logger = pino({ level: 'silent' }) } = options
  const store = await createStore(openBackend(options, clock, logger), { clock, ids: createIds(clock) })
  for (const [name, { root }] of Object.entries(options.scopes ?? {})) await store.ensureScope(name, root)

  const report = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} failed, will try again`)
  const indexer = startSearchIndexer(store, report('search indexing'))
  const housekeeping = startHousekeeping(store, clock, report('housekeeping'))
  const mirror: Mirror | undefined = options.mirrorDir
    ? startMirror(store, options.mirrorDir, report('mirroring'))
    : undefined

  const close = async () => {
    await mirror?.stop()
    await housekeeping.stop()
    await indexer.stop()
    await store.close()
  }
  return {
    sessions: createSessions(store, clock, { pageSize: options.limits?.pageSize ?? 200 }),
    store,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The one place that picks a database. */
function openBackend(
  { dataDir, databaseUrl, sqlite, postgres }: ParleyOptions,
  clock: Clock,
  logger: Logger,
): Backend {
  if (databaseUrl !== undefined)
    return openPostgres({
      url: databaseUrl,
      poolSize: postgres?.poolSize ?? 10,
      onIdleError: (error) => logger.warn({ err: error }, 'lost an idle connection to the database'),
    })
  if (dataDir === undefined)
    throw invalidRequest('createParley needs a dataDir (SQLite) or a databaseUrl (PostgreSQL).')
  return openSqlite(
    {
      file: join(dataDir, 'parley.db'),
      synchronous: sqlite?.synchronous ?? 'FULL',
      busyTimeoutMs: sqlite?.busyTimeoutMs ?? 5_000,
    },
    clock,
  )
}
