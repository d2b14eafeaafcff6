import { hostname } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { createChats, type Chats } from './chat/chats.ts'
import { defaultChatLimits, type ChatLimits } from './chat/deps.ts'
import { createScopeContext } from './chat/disk-context.ts'
import { createSessionChats } from './chat/session-chats.ts'
import { createModelRegistry, type ModelRegistry, type ModelSettings } from './models/registry.ts'
import { invalidRequest } from './protocol/error.ts'
import type { Sessions } from './protocol/sessions.ts'
import type { WindowSettings } from './protocol/window.ts'
import { startMirror, type Mirror } from './sessions/mirror.ts'
import { startSearchIndexer } from './sessions/search-indexer.ts'
import { createSessions } from './sessions/sessions.ts'
import type { WindowHandlers } from './sessions/window/handlers.ts'
import { createWindows, type Windows } from './sessions/window/windows.ts'
import { systemClock, type Clock } from './shared/clock.ts'
import { createIds, type Ids } from './shared/ids.ts'
import type { Backend } from './store/backend.ts'
import { openPostgres } from './store/postgres/open.ts'
import { openSqlite } from './store/sqlite/open.ts'
import { createStore, type Store } from './store/store.ts'
import { startHousekeeping } from './store/housekeeping.ts'
import { createRecallTool } from './tools/recall.ts'
import { createSkillTool } from './tools/skill.ts'
import type { Tool } from './tools/tool.ts'

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
  /** Default true: also executes runs that others left behind. False for programs that live shortly. */
  takesUpRuns?: boolean
  /** How long turns may go on when it closes; default 10,000. Those that do not end go on at the next start. */
  shutdownMs?: number
  /** Folders of scopes by name. */
  scopes?: Record<string, { root: string }>
  /** Which models there are; default: the offline demo alone. */
  models?: Partial<ModelSettings>
  /** What models can do here, beside the built-in tools. */
  tools?: readonly Tool[]
  /** Bounds of a turn; what is left out has its default. */
  chat?: Partial<ChatLimits>
  /** The window of sessions that say nothing else: `{mode: 'memo', limit: {chars: 12_000}}`. */
  session?: WindowSettings
  /** Parts of the window to replace; each goes before any setting. */
  windowHandlers?: WindowHandlers
  /** Where the user's own rules, skills and commands are; none when left out. */
  userDir?: string
  /** Default: none. */
  logger?: Logger
  clock?: Clock
}

/** A running Parley. Several can live in one process and know nothing of each other. */
export interface Parley extends AsyncDisposable {
  sessions: Sessions
  /** For those who build on the store itself. */
  store: Store
  chats: Chats
  windows: Windows
  models: ModelRegistry
  ids: Ids
  /** Stops what runs in the background, then closes the store. */
  close(): Promise<void>
}

export async function createParley(options: ParleyOptions): Promise<Parley> {
  const { clock = systemClock, logger = pino({ level: 'silent' }) } = options
  const ids = createIds(clock)
  const store = await createStore(openBackend(options, clock, logger), { clock, ids })
  for (const [name, { root }] of Object.entries(options.scopes ?? {})) await store.ensureScope(name, root)

  const report = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} failed, will try again`)
  const indexer = startSearchIndexer(store, report('search indexing'))
  const housekeeping = startHousekeeping(store, clock, report('housekeeping'))
  const mirror: Mirror | undefined = options.mirrorDir
    ? startMirror(store, options.mirrorDir, report('mirroring'))
    : undefined

  const models = createModelRegistry({ openai: {}, anthropic: {}, gemini: {}, ollama: {}, ...options.models })
  const context = createScopeContext(store, options.userDir)
  const requireModel = (id: string | undefined) => models.require(id)
  const windows = createWindows({
    store,
    logger,
    requireModel,
    settings: options.session,
    handlers: options.windowHandlers,
  })
  const chats = createChats(
    {
      store,
      windows,
      requireModel,
      tools: [createRecallTool(store), createSkillTool(context.loadSkill), ...(options.tools ?? [])],
      readContext: context.read,
      clock,
      ids,
      logger,
      limits: { ...defaultChatLimits, ...options.chat },
    },
    { owner: `${hostname()}-${process.pid}-${ids.next('node')}`, takesUpRuns: options.takesUpRuns ?? true },
  )
  chats.start()

  const close = async () => {
    await chats.close(options.shutdownMs ?? 10_000)
    await context.stop()
    await mirror?.stop()
    await housekeeping.stop()
    await indexer.stop()
    await store.close()
  }
  return {
    sessions: createSessions(
      store,
      clock,
      { pageSize: options.limits?.pageSize ?? 200 },
      createSessionChats({ store, chats, ids }),
      windows,
    ),
    store,
    chats,
    windows,
    models,
    ids,
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
