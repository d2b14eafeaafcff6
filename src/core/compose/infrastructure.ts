import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createToday, requireTimeZone } from '../chat/time-zone.ts'
import { createScopeContext } from '../chat/scope-context.ts'
import type { ReadScopeView } from '../chat/scope-view.ts'
import { createSessionTypes } from '../chat/session-types.ts'
import type { ContextFiles } from '../context/context-files.ts'
import type { ReferenceWords } from '../context/references.ts'
import type { ReadDemoPart } from '../models/demo-turn.ts'
import { requireKnownProviders } from '../models/parameters.ts'
import { createKnownModels } from '../models/known-models.ts'
import { createListedDefault } from '../models/listed-default.ts'
import { createModelLists } from '../models/model-lists.ts'
import { createModelRegistry } from '../models/registry.ts'
import { invalidRequest } from '../protocol/error.ts'
import { costIn } from '../runs/cost.ts'
import { startMirror } from '../sessions/mirror.ts'
import { readScopeSettings } from '../sessions/scope-settings.ts'
import { startSearchIndexer } from '../sessions/search-indexer.ts'
import { createWorkspaceReader } from '../sessions/session-workspaces.ts'
import { createWindows, type WindowsOptions } from '../sessions/window/windows.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { createIds } from '../shared/ids.ts'
import { createSilentLogger } from '../shared/silent-logger.ts'
import type { Backend } from '../store/backend.ts'
import { describeOpen, makeDataDir } from '../store/data-dir.ts'
import { type Housekeeping, type Retention, startHousekeeping } from '../store/housekeeping.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import type { StoreSlice } from '../store/store-slice.ts'
import { createStore, type Store } from '../store/store.ts'
import { watchModels } from '../watch/watch-models.ts'
import { createWatchers, type Watchers } from '../watch/watcher.ts'
import { createSandbox, type SandboxSettings } from '../processes/sandbox/sandbox.ts'
import type { ParleyOptions } from './options.ts'
import { createPermissionReaders } from './permission-readers.ts'

export type Base = Awaited<ReturnType<typeof openBase>>

/** What the core receives without having options for it. */
export interface Surroundings {
  version: string
  /** What extensions have in the store, and which of their runs are deleted after a while. */
  slices: readonly StoreSlice[]
  retentions: readonly Retention[]
  /** Reads a scope together with what a prompt contains about it. */
  createScopeViewReader?(store: Store): ReadScopeView
  /** How programs are run, and what they see of the environment. */
  commands?: SandboxSettings & { environment?: Readonly<Record<string, string | undefined>> }
  /** Private addresses that confined programs may reach. */
  allowPrivate?: readonly string[]
  /** What the demo model knows of extensions. */
  demo?: readonly ReadDemoPart[]
  /** What extensions read from the folders of scopes. */
  contextFiles?: readonly ContextFiles[]
  /** What messages can refer to of extensions. */
  references?: readonly ReferenceWords[]
  /** What a Parley has beside its calls: no extension can have a call of that name. */
  members?: readonly string[]
  /** Opens what watches from outside, before anything is there that could be watched. */
  openTelemetry?(deps: { watchers: Watchers; logger: Logger }): Promise<Telemetry | undefined>
}

export interface Telemetry {
  /** What is stored with the input of each new run. */
  noteRun?(): object | undefined
  close(): Promise<void>
}

/** What everything else stands on: the store and what keeps it in order, the models, the disk, the windows. */
export async function openBase(
  options: ParleyOptions,
  {
    commands,
    allowPrivate,
    version,
    slices,
    retentions,
    demo,
    contextFiles,
    references,
    createScopeViewReader,
    openTelemetry,
  }: Surroundings,
) {
  const { clock = systemClock, logger = createSilentLogger(), dataDir } = options
  if (options.timeZone !== undefined) requireTimeZone(options.timeZone)
  const today = createToday(options.timeZone)
  const ids = createIds(clock)
  const watchers = createWatchers()
  const telemetry = await openTelemetry?.({ watchers, logger })
  if (dataDir !== undefined) for (const found of makeDataDir(dataDir)) logger.warn(describeOpen(found))
  const store = await createStore(await openBackend(options, clock, logger), {
    clock,
    ids,
    slices,
    noteRun: telemetry?.noteRun,
    onTransaction: () => watchers.transaction,
  })
  for (const [name, { root }] of Object.entries(options.scopes ?? {})) await store.ensureScope(name, root)

  const types = createSessionTypes()
  const report = (what: string) => (error: unknown) =>
    logger.warn({ err: error }, `${what} failed, will try again`)
  const indexer = startSearchIndexer(store, report('search indexing'))
  let housekeeping: Housekeeping | undefined
  const keepHouse = () => {
    housekeeping ??= startHousekeeping(store, clock, report('housekeeping'), {
      eventsKeptDays: options.events?.keptDays,
      auditKeptDays: options.audit?.keptDays,
      retentions,
    })
  }
  store.subscribe(({ type }) => {
    if (type === 'session-deleted') keepHouse()
  })
  const mirror = options.mirrorDir && startMirror(store, options.mirrorDir, report('mirroring'), types.of)

  const registry = createModelRegistry(
    { openai: {}, anthropic: {}, gemini: {}, ollama: {}, ...options.models },
    { demo, traceContext: watchers.traceContext },
  )
  requireKnownProviders(options.parameters ?? {}, registry.adapterNames())
  const knownModels = createKnownModels({ registry, facts: options.models?.facts, prices: options.prices })
  const lists = createModelLists({ clock, fetch: options.models?.fetch })
  const requireModel = watchModels(watchers, (id) => registry.require(id))
  const forbidden = findForbidden(dataDir)
  const isTrusted = (root: string) => options.trust?.has(root) ?? true
  const permissions = createPermissionReaders(store, options)
  const sandbox = createSandbox(commands, {
    // keys, and the list of folders that are trusted
    hidden: [dataDir, options.userDir, options.mirrorDir].filter((folder) => folder !== undefined),
    allowPrivate,
    environment: commands?.environment,
  })
  const context = createScopeContext(store, {
    types,
    files: contextFiles,
    references,
    userDir: options.userDir,
    forbidden,
    isTrusted,
    fileRulesIn: permissions.configuredFileRules,
    readReferenceRules: permissions.readReferenceRules,
    readSight: permissions.readSight,
    readView: createScopeViewReader?.(store),
    maxScopeContext: options.chat?.maxScopeContext,
  })
  const workspacesDir = dataDir && join(dataDir, 'workspaces')
  if (workspacesDir) removeFoldersOfDeleted(store, workspacesDir, report('removing the folder of a session'))
  const windowOptions: Pick<
    WindowsOptions,
    'settings' | 'parameters' | 'presetOf' | 'scopeSettings' | 'handlers' | 'contextWindowOf' | 'costOf'
  > = {
    settings: options.session,
    parameters: options.parameters,
    presetOf: (session) => types.of(session).window,
    scopeSettings: async (tx, scope, known) => known ?? readScopeSettings(tx, scope),
    handlers: options.windowHandlers,
    async contextWindowOf(model = registry.defaultId) {
      await knownModels.load()
      return knownModels.of(model)?.contextWindow
    },
    costOf: (model, usage) => costIn(knownModels, model, usage),
  }
  const windows = createWindows({ store, logger, requireModel, ...windowOptions })
  return {
    clock,
    today,
    ids,
    logger,
    report,
    store,
    watchers,
    traceContext: watchers.traceContext,
    registry,
    lists,
    knownModels,
    requireModel,
    findDefaultModel: createListedDefault({ registry, lists, logger }),
    forbidden,
    isTrusted,
    permissions,
    context,
    types,
    sandbox,
    version,
    workspacesDir,
    readWorkspaces: createWorkspaceReader(store, {
      dir: workspacesDir,
      forbidden,
      readFileRules: permissions.readFileRules,
    }),
    windows,
    windowOptions,
    keepHouse,
    pages: { pageSize: options.limits?.pageSize ?? 200 },
    async close() {
      await context.stop()
      await sandbox.close()
      if (mirror) await mirror.stop()
      await housekeeping?.stop()
      await indexer.stop()
      await store.close()
      await telemetry?.close()
    },
  }
}

/** The data folder may lie in the folder of a scope; what is in it (keys, the database) is no business of a model. */
function findForbidden(dataDir: string | undefined): string[] {
  return dataDir === undefined ? [] : [realpathSync(dataDir)]
}

function removeFoldersOfDeleted(store: Store, dir: string, onError: (error: unknown) => void): void {
  store.subscribe((change) => {
    if (change.type === 'session-deleted')
      rm(join(dir, change.sessionId), { recursive: true, force: true }).catch(onError)
  })
}

/** The one place that picks a database. */
async function openBackend(
  { dataDir, databaseUrl, sqlite, postgres }: ParleyOptions,
  clock: Clock,
  logger: Logger,
): Promise<Backend> {
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import('../store/postgres/open.ts')
    return openPostgres({
      url: databaseUrl,
      poolSize: postgres?.poolSize ?? 10,
      connectTimeoutMs: postgres?.connectTimeoutMs,
      preparedStatements: postgres?.preparedStatements,
      onIdleError: (error) => logger.warn({ err: error }, 'lost an idle connection to the database'),
    })
  }
  if (dataDir === undefined)
    throw invalidRequest('createParley needs a dataDir (SQLite) or a databaseUrl (PostgreSQL).')
  return openSqlite(
    {
      file: join(dataDir, 'parley.db'),
      synchronous: sqlite?.synchronous ?? 'FULL',
      busyTimeoutMs: sqlite?.busyTimeoutMs ?? 5_000,
      onOwnerTrouble: (file, error) =>
        logger.warn(
          { err: error, file },
          'the lock of a process cannot be opened or removed, so its runs wait for their leases; give this user access to the file, or delete it if no other Parley uses this folder',
        ),
    },
    clock,
  )
}
