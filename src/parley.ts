import { mkdir, realpath, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { createCallGuard, defaultApprovalLimits, type ApprovalLimits } from './approvals/guard.ts'
import { createApprovals } from './approvals/library.ts'
import {
  createBackgroundManager,
  defaultBackgroundLimits,
  type BackgroundLimits,
  type BackgroundManager,
} from './background/manager.ts'
import { createTaskControl } from './background/task-control.ts'
import { openCatalogue, type CatalogueDeps } from './catalogue/deps.ts'
import { createLibrary } from './catalogue/library.ts'
import { createToolCaller } from './chat/call-tool.ts'
import { createChats, type Chats } from './chat/chats.ts'
import { defaultChatLimits, type ChatLimits } from './chat/deps.ts'
import { createScopeContext } from './chat/disk-context.ts'
import { createSessionChats } from './chat/session-chats.ts'
import { windowTokensOf } from './chat/turn-tools.ts'
import type { CommandHook, Hook } from './hooks/hook.ts'
import { createHooks, defaultHookTimeoutMs } from './hooks/hooks.ts'
import { createMcpServers } from './mcp/mcp-servers.ts'
import type { McpServerSettings } from './mcp/server-settings.ts'
import { defaultDocumentLimits, type DocumentLimits } from './documents/caller.ts'
import { createDocumentTool } from './documents/document-tool.ts'
import { createDocuments, createLocks, createTodos } from './documents/library.ts'
import { createLockTool } from './documents/lock-tool.ts'
import { readLocksAround } from './documents/locks.ts'
import { createRestorers } from './documents/restorers.ts'
import { createSearchTool } from './documents/search-tool.ts'
import { createTodoTool } from './documents/todo-tool.ts'
import type { KnowledgeDeps } from './knowledge/deps.ts'
import { createKnowledge } from './knowledge/library.ts'
import { queryKnowledge } from './knowledge/query.ts'
import { createKnowledgeReader } from './knowledge/reader.ts'
import { createEntityVectors } from './knowledge/vectors.ts'
import { createEmbedder, type Embedder } from './models/embedding.ts'
import { createModelRegistry, type ModelRegistry, type ModelSettings } from './models/registry.ts'
import { defaultMemorySettings, type MemorySettings } from './memory/deps.ts'
import { createMemories } from './memory/library.ts'
import { createMemory } from './memory/memory.ts'
import { createVectorSearch, type VectorSearch } from './memory/vectors.ts'
import {
  denialFor,
  denialOf,
  readAuthority,
  type AuthorityDeps,
  type Permissions,
} from './approvals/authority.ts'
import { createPlans } from './plan/library.ts'
import type { Agents } from './protocol/agent.ts'
import type { Approvals } from './protocol/approval.ts'
import type { GroupSwitches } from './protocol/permission.ts'
import type { Catalogue } from './protocol/catalogue.ts'
import type { Crons } from './protocol/cron.ts'
import type { Documents } from './protocol/document.ts'
import { invalidRequest } from './protocol/error.ts'
import type { EventHooks } from './protocol/event-hook.ts'
import type { Mcp, McpServerList } from './protocol/mcp.ts'
import type { Knowledge } from './protocol/knowledge.ts'
import type { Locks } from './protocol/lock.ts'
import type { Memories } from './protocol/memory.ts'
import type { Models, Providers } from './protocol/models.ts'
import { defaultScope } from './protocol/names.ts'
import type { Plans } from './protocol/plan.ts'
import type { Rooms } from './protocol/rooms.ts'
import type { ScopeReader } from './protocol/scope-reader.ts'
import type { Session } from './protocol/session.ts'
import type { Sessions } from './protocol/sessions.ts'
import type { Settings } from './protocol/settings.ts'
import type { Threads } from './protocol/thread.ts'
import type { Todos } from './protocol/todo.ts'
import type { Workflows } from './protocol/workflow.ts'
import type { WindowSettings } from './protocol/window.ts'
import { readAgents, type AgentDeps } from './room/agents.ts'
import { createAgents, createThreads } from './room/library-agents.ts'
import type { Prices } from './runs/budget.ts'
import { createEventFeed, type EventFeed } from './runs/event-feed.ts'
import { newestRun } from './runs/newest-run.ts'
import { createSlotWaits } from './runs/slot-wait.ts'
import { createObserverRegistry, type ObserverRegistry } from './runs/observers.ts'
import { costIn } from './runs/usage.ts'
import { createCronControl } from './schedule/cron-control.ts'
import type { ScheduleDeps } from './schedule/deps.ts'
import { createCrons, createEventHooks } from './schedule/library.ts'
import { createScheduler } from './schedule/scheduler.ts'
import { settleFire, settleWorkflowFire } from './schedule/settle-fire.ts'
import { startMirror, type Mirror } from './sessions/mirror.ts'
import { defaultGroups, readScopeSettings } from './sessions/scope-settings.ts'
import { createScopeReader } from './sessions/scope-reader.ts'
import { startSearchIndexer } from './sessions/search-indexer.ts'
import { createSessions } from './sessions/sessions.ts'
import { createWorkspaceReader } from './sessions/session-workspaces.ts'
import type { WindowHandlers } from './sessions/window/handlers.ts'
import { createWindows, type Windows } from './sessions/window/windows.ts'
import { systemClock, type Clock } from './shared/clock.ts'
import { createIds, type Ids } from './shared/ids.ts'
import type { Backend } from './store/backend.ts'
import { openPostgres } from './store/postgres/open.ts'
import { openSqlite } from './store/sqlite/open.ts'
import { createStore, type Store, type StoreOperations } from './store/store.ts'
import { startHousekeeping } from './store/housekeeping.ts'
import { createCronTool } from './tools/cron.ts'
import { createGraphRagTool } from './tools/graph-rag.ts'
import { createMemoryTool } from './tools/memory.ts'
import { createPlanTool } from './tools/plan.ts'
import type { Call } from './tools/permission.ts'
import { createRecallTool } from './tools/recall.ts'
import { createSkillTool } from './tools/skill.ts'
import { setResult } from './tools/set-result.ts'
import { createTaskTools } from './tools/tasks.ts'
import { createTerminalTools, type TerminalSettings } from './tools/terminal/terminal-tool.ts'
import type { Tool } from './tools/tool.ts'
import { searchEngineName } from './tools/web/search-engines.ts'
import { createWebTools, type WebSettings } from './tools/web/web-tools.ts'
import { createFileTool } from './tools/workspace/file.ts'
import { createPlanAdvance } from './plan/advance.ts'
import { cancelRun as cancelPlanRun } from './plan/cancel.ts'
import { defaultPlanLimits, type PlanDeps, type PlanLimits } from './plan/deps.ts'
import { createRoomAdvance } from './room/advance.ts'
import { checkRoomPatch, createRoomOrSession } from './room/create.ts'
import { createCommandRunner } from './room/command-runner.ts'
import { defaultRoomLimits, type RoomDeps, type RoomLimits } from './room/deps.ts'
import { createRooms } from './room/library.ts'
import { modes } from './room/modes/registry.ts'
import { readSeatForm } from './room/reply.ts'
import { readPlanFacts } from './plan/facts.ts'
import { settlePlanTask } from './plan/settle-task.ts'
import { createPlanControl } from './plan/tool-control.ts'
import { readPlanForm, startActions } from './plan/turn.ts'
import { createAdvance } from './workflow/advance.ts'
import { cancelRun, requireOpenRun } from './workflow/cancel.ts'
import { doLinkedAction } from './workflow/linked-actions.ts'
import { createTriggeredStart } from './workflow/start-triggered.ts'
import { defaultWorkflowLimits, type WorkflowDeps, type WorkflowLimits } from './workflow/deps.ts'
import { settleStep } from './workflow/settle-step.ts'
import { startRunIn } from './workflow/start.ts'
import { createWorkflowTool } from './tools/workflow.ts'
import { readVersion } from './version.ts'
import { createWorkflowFiles } from './workflow/files.ts'
import { createWorkflows } from './workflow/library.ts'
import { readEditedWorkflow } from './workflow/management.ts'
import type { WorkflowServices } from './workflow/services.ts'
import { createWorkflowControl } from './workflow/tool-control.ts'

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
  /** Groups of tools that are switched on or off; default: all but `terminal`. */
  toolGroups?: GroupSwitches
  /** What sessions may do that say nothing else; default: ask before anything is changed. */
  permissions?: Partial<Permissions>
  /** Asked before and after calls of tools, and before memories are told or stored; never take one from a request. */
  hooks?: readonly (Hook | CommandHook)[]
  /** How long a hook may take that says nothing else; default 10,000. */
  hookTimeoutMs?: number
  /** How long a person has to answer, and what counts then. */
  approvals?: Partial<ApprovalLimits>
  /** MCP servers whose tools models may use, by name. Each entry may start a program: never take one from a request. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>
  /** The most bytes of one document; default 1 MB. */
  documents?: { maxBytes?: number }
  /** How long a lock holds without a sign of its session; default 300,000. */
  locks?: { ttlMs?: number }
  /** Bounds of a turn; what is left out has its default. */
  chat?: Partial<ChatLimits>
  /** The window of sessions that say nothing else: `{mode: 'memo', limit: {chars: 12_000}}`. */
  session?: WindowSettings
  /** Parts of the window to replace; each goes before any setting. */
  windowHandlers?: WindowHandlers
  /** Learns from turns and tells later ones, which costs model calls: `{}` for the defaults; left out, it does neither. */
  memory?: Partial<MemorySettings>
  /** Bounds of what goes on in the background; what is left out has its default. */
  background?: Partial<BackgroundLimits>
  /** Bounds of workflow runs; what is left out has its default. */
  workflows?: Partial<WorkflowLimits>
  /** Bounds of what is done with plans; what is left out has its default. */
  plans?: Partial<PlanLimits>
  /** Bounds of rooms, and what their test commands may begin with; what is left out has its default. */
  rooms?: Partial<RoomLimits>
  /** Of models, by id, per million tokens: what budgets of cost are counted with. */
  prices?: Prices
  /** For how many days events of a scope can be read again; default 7. */
  events?: { keptDays?: number }
  /** For how many days the audit is kept; default 90. */
  audit?: { keptDays?: number }
  /** What `web_fetch` may reach, and where `web_search` asks; what is left out has its default. */
  web?: WebSettings
  /** Bounds of commands, and what they see of the environment; what is left out has its default. */
  terminal?: TerminalSettings
  /** Where the user's own rules, skills and commands are; none when left out. */
  userDir?: string
  /** Default: none. */
  logger?: Logger
  clock?: Clock
}

/** A running Parley. Several can live in one process and know nothing of each other. */
export interface Parley extends ScopeReader, AsyncDisposable {
  sessions: Sessions
  /** For those who build on the store itself. */
  store: Store
  chats: Chats
  windows: Windows
  background: BackgroundManager
  /** What happens in scopes, for whoever follows it. */
  events: EventFeed
  /** Watches sessions by their id, those of the program itself too. */
  observers: ObserverRegistry
  /** Prompts that start background sessions by time. */
  crons: Crons
  /** Prompts that start background sessions when something happens. */
  eventHooks: EventHooks
  /** For the server that is put on top. */
  schedule: ScheduleDeps
  /** Definitions of several steps, and their runs. */
  workflows: Workflows
  /** For the server that is put on top. */
  workflowServices: WorkflowServices
  /** Trees of work, and what is done with them. */
  plans: Plans
  /** For the server that is put on top. */
  planDeps: PlanDeps
  /** Sessions of several agents. */
  rooms: Rooms
  /** For the server that is put on top. */
  roomDeps: RoomDeps
  /** Who can be in rooms. */
  agents: Agents
  /** For the server that is put on top. */
  agentDeps: AgentDeps
  /** What sessions are grouped in. */
  threads: Threads
  /** What waits for a person's yes or no. */
  approvals: Approvals
  /** Texts of a scope with their versions. */
  documents: Documents
  todos: Todos
  /** What sessions hold of documents and todo lists. */
  locks: Locks
  /** For the server that is put on top. */
  documentLimits: DocumentLimits
  /** What is remembered beyond the log. */
  memories: Memories
  /** For the server that is put on top. */
  memoryVectors?: VectorSearch
  /** What documents and imports say of things. */
  knowledge: Knowledge
  /** For the server that is put on top. */
  knowledgeDeps: KnowledgeDeps
  /** Which models there are, and what providers say they have. */
  models: Models
  /** Keys that Parley keeps itself. */
  providers: Providers
  /** What holds in a scope for sessions that say nothing else. */
  settings: Settings
  /** Tools, rules, skills, commands and files of a scope. */
  catalogue: Catalogue
  /** For the server that is put on top. */
  catalogueDeps: CatalogueDeps
  /** The MCP servers whose tools models may use here. */
  mcp: Mcp
  /** For the server that is put on top. */
  readMcpServers(scope: string): Promise<McpServerList>
  registry: ModelRegistry
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
  const housekeeping = startHousekeeping(store, clock, report('housekeeping'), {
    eventsKeptDays: options.events?.keptDays,
    auditKeptDays: options.audit?.keptDays,
    workflowRunsKeptDays: options.workflows?.runsKeptDays,
    planRunsKeptDays: options.plans?.runsKeptDays,
  })
  const mirror: Mirror | undefined = options.mirrorDir
    ? startMirror(store, options.mirrorDir, report('mirroring'))
    : undefined

  const registry = createModelRegistry({
    openai: {},
    anthropic: {},
    gemini: {},
    ollama: {},
    ...options.models,
  })
  const forbidden = await findForbidden(options)
  const context = createScopeContext(store, { userDir: options.userDir, forbidden })
  const requireModel = (id: string | undefined) => registry.require(id)
  const windows = createWindows({
    store,
    logger,
    requireModel,
    settings: options.session,
    scopeSettings: readScopeSettings,
    handlers: options.windowHandlers,
    costOf: (model, usage) => costIn(options.prices, model, usage),
  })
  const limits = { ...defaultBackgroundLimits, ...options.background }
  const pages = { pageSize: options.limits?.pageSize ?? 200 }
  const background: BackgroundManager = createBackgroundManager({
    store,
    chats: () => chats,
    clock,
    ids,
    limits,
    requireModel,
    prices: options.prices,
    cancelOther: (run) => (run.kind === 'plan' ? cancelPlanRun(planDeps, run) : cancelRun(workflowDeps, run)),
    onSettled: [
      (tx, session, result) => settleFire({ clock }, tx, session, result),
      (tx, session, result) => settleStep(tx, workflowDeps, session, result),
      settlePlanTask,
      (tx, session, result) => knowledgeReader.settle(tx, session, result),
    ],
  })
  const workspacesDir = options.dataDir && join(options.dataDir, 'workspaces')
  const permissions = { mode: options.permissions?.mode, rules: options.permissions?.rules ?? [] }
  const authorityIn = (within: StoreOperations): AuthorityDeps => ({
    store: within,
    config: permissions,
    async readScope(scope) {
      const { permissionMode, permissionRules = [] } = await readScopeSettings(within, scope)
      return { mode: permissionMode, rules: permissionRules }
    },
  })
  const workflowDeps: WorkflowDeps = {
    store,
    background,
    chats: () => chats,
    clock,
    ids,
    limits: { ...defaultWorkflowLimits, ...options.workflows },
    requireModel,
    readMode: async (tx, session) => (await readAuthority(authorityIn(tx), session, undefined)).mode,
    doLinkedAction: (tx, place, action) => {
      const findDenial = (call: Call) => denialOf(authorityIn(tx), place, call)
      return doLinkedAction(tx, { clock, documentLimits, findDenial }, place, action)
    },
    onSettled: [
      async (tx, { scope, sessionId, source, sourceId }, { status, error }) => {
        if (source === 'cron' && sourceId !== undefined)
          await settleWorkflowFire({ clock }, tx, {
            scope,
            sessionId,
            cronId: sourceId,
            outcome: status,
            reason: error,
          })
      },
    ],
    workspacesDir,
  }
  const schedule: ScheduleDeps = {
    store,
    background,
    startWorkflow: createTriggeredStart({
      async findDefinition(tx, scope, id) {
        const workflow = await tx.getWorkflow(scope, id)
        const version = workflow && (await tx.getWorkflowVersion(id, workflow.version))
        return workflow && { ...workflow, writtenIn: version?.sessionId }
      },
      startRunIn: (tx, request) => startRunIn(tx, workflowDeps, request),
    }),
    cancelWorkflow: async (scope, runId) =>
      cancelRun(workflowDeps, await requireOpenRun(workflowDeps, scope, runId)),
    clock,
    requireModel,
    hasPrices: Object.keys(options.prices ?? {}).length > 0,
  }
  const scheduler = createScheduler({ ...schedule, logger })
  const workflowServices: WorkflowServices = {
    deps: workflowDeps,
    files: createWorkflowFiles(workflowDeps, { forbidden, logger }),
  }
  const waits = createSlotWaits(store, limits)
  const terminals = createTerminalTools(options.terminal ?? {}, {
    ids,
    clock,
    hasSession: async ({ scope, sessionId }) => (await store.getSession(scope, sessionId)) !== undefined,
    onSessionDeleted: (listener) =>
      store.subscribe(({ type }) => {
        if (type === 'session-deleted') listener()
      }),
  })
  const chatLimits = { ...defaultChatLimits, ...options.chat }
  const documentLimits: DocumentLimits = {
    maxBytes: options.documents?.maxBytes ?? defaultDocumentLimits.maxBytes,
    lockTtlMs: options.locks?.ttlMs ?? defaultDocumentLimits.lockTtlMs,
  }
  const memorySettings = {
    ...defaultMemorySettings,
    enabled: options.memory !== undefined,
    ...options.memory,
    // what costs model calls is not done unasked
    learn: options.memory?.learn ?? options.memory?.model !== undefined,
  }
  const embedder = openEmbedder(registry, memorySettings, options.models?.fetch)
  const vectors = embedder && createVectorSearch(store, embedder, logger)
  const knowledgeDeps: KnowledgeDeps = {
    store,
    background,
    requireModel,
    vectors: embedder && createEntityVectors(store, embedder, logger),
    logger,
  }
  const knowledgeReader = createKnowledgeReader(knowledgeDeps)
  const hooks = createHooks(options.hooks ?? [], {
    timeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs,
    environment: options.terminal?.environment,
    logger,
  })
  const memory = createMemory({
    store,
    requireModel,
    settings: memorySettings,
    vectors,
    prices: options.prices,
    hooks,
    logger,
  })
  const readWorkspaces = createWorkspaceReader(store, { dir: workspacesDir, forbidden })
  const guard = createCallGuard({
    ...authorityIn(store),
    store,
    readWorkspaces,
    waits,
    limits: { ...defaultApprovalLimits, ...options.approvals },
    hooks,
  })
  const readGroups = async (
    { scope, toolGroups }: Pick<Session, 'scope' | 'toolGroups'>,
    from: StoreOperations = store,
  ) => ({
    ...defaultGroups,
    ...options.toolGroups,
    ...(await readScopeSettings(from, scope)).toolGroups,
    ...toolGroups,
  })
  const planDeps: PlanDeps = {
    store,
    background,
    chats: () => chats,
    clock,
    ids,
    limits: { ...defaultPlanLimits, ...options.plans },
    prices: options.prices,
    requireModel,
    readWorkspaces,
    async findDenial(tx, place, call) {
      const session = await tx.requireSession(place.scope, place.sessionId)
      if ((await readGroups(session, tx)).plan === false) return 'The session does not have the group "plan".'
      return denialFor(authorityIn(tx), session, call)
    },
    ...createToolCaller({ store, tools: () => tools, guard, readWorkspaces, readGroups }),
  }
  const roomLimits = { ...defaultRoomLimits, ...options.rooms }
  const commands = createCommandRunner({
    limits: roomLimits,
    readWorkspaces,
    environment: options.terminal?.environment,
    variables: options.terminal?.variables,
    async readRights(session) {
      const { toolGroups } = await readScopeSettings(store, session.scope)
      const { mode } = await readAuthority(authorityIn(store), session, undefined)
      return { groups: { ...options.toolGroups, ...toolGroups, ...session.toolGroups }, mode }
    },
  })
  const agentDeps: AgentDeps = { readAgentFiles: context.agentsIn, requireModel }
  const roomDeps: RoomDeps = {
    store,
    chats: () => chats,
    clock,
    ids,
    limits: roomLimits,
    modes,
    readAgents: (tx, scope) => readAgents(agentDeps, tx, scope),
    cancelTasksOf: (scope, sessionId) => background.cancelTasksOf(scope, sessionId),
    runCommands: commands.runCommands,
  }
  const tools: Tool[] = [
    createRecallTool(store),
    ...(memorySettings.enabled ? [createMemoryTool(memory.control)] : []),
    createGraphRagTool({
      query: ({ scope }, question) => queryKnowledge(knowledgeDeps, { scope }, question),
    }),
    createSkillTool(context.loadSkill),
    setResult,
    ...createTaskTools(createTaskControl(store, () => background, waits)),
    createCronTool(createCronControl(schedule)),
    createWorkflowTool(createWorkflowControl(workflowServices)),
    createPlanTool(createPlanControl(planDeps)),
    ...createWebTools(options.web),
    ...terminals.tools,
    createFileTool({ maxOutput: chatLimits.maxToolOutput }),
    createDocumentTool(store, documentLimits),
    createTodoTool(store),
    createLockTool(store, documentLimits),
    createSearchTool(store),
    ...(options.tools ?? []),
  ]
  const catalogueDeps = await openCatalogue({
    store,
    windows,
    registry,
    tools,
    context,
    permissionMode: options.permissions?.mode,
    toolGroups: options.toolGroups,
    webSearch: searchEngineName(options.web?.search),
    // one that others work on as well would be theirs too
    dataDir: options.databaseUrl === undefined ? options.dataDir : undefined,
    forbidden,
    clock,
    logger,
    fetch: options.models?.fetch,
  })
  store.subscribe((change) => {
    if (change.type === 'session-deleted' && workspacesDir)
      rm(join(workspacesDir, change.sessionId), { recursive: true, force: true }).catch(
        report('removing the folder of a session'),
      )
  })
  const mcpServers = createMcpServers(options.mcpServers ?? {}, { clock, logger, version: readVersion() })
  const readMcpServers = async (scope: string): Promise<McpServerList> => ({
    items: mcpServers.status(),
    deferred: mcpServers.isDeferred(windowTokensOf(await windows.viewScope(scope))),
    nextCursor: null,
  })
  const chats: Chats = createChats(
    {
      store,
      windows,
      requireModel,
      tools,
      readWorkspaces,
      readGroups,
      guard,
      readMoreTools: mcpServers.toolsFor,
      hooks: {
        ...background.hooks,
        ...memory.hooks,
        async onEnd(tx, ended) {
          await background.hooks.onEnd?.(tx, ended)
          await startActions(tx, planDeps, ended)
        },
      },
      readReplyForm: async (session, input) => readSeatForm(input) ?? readPlanForm(planDeps, session, input),
      prices: options.prices,
      readContext: async (session, input) => ({
        ...(await context.read(session, input)),
        locks: await readLocksAround(store, session),
        editedWorkflow: await readEditedWorkflow(store, session),
        plan: await readPlanFacts(planDeps, session),
      }),
      clock,
      ids,
      logger,
      limits: chatLimits,
    },
    {
      owner: `${hostname()}-${process.pid}-${ids.next('node')}`,
      takesUpRuns: options.takesUpRuns ?? true,
      slots: limits,
      interruptsTasks: limits.onCrash === 'interrupt',
      executors: {
        workflow: createAdvance(workflowDeps),
        plan: createPlanAdvance(planDeps),
        room: createRoomAdvance(roomDeps),
      },
    },
  )
  chats.start()
  // a program that lives shortly fires nothing: what is due waits for one that stays
  if (options.takesUpRuns ?? true) {
    scheduler.start()
    knowledgeReader.start()
    workflowServices.files.start()
  }

  const observers = createObserverRegistry({
    async observe({ scope = defaultScope, sessionId }, watching) {
      const run = await newestRun(store, scope, sessionId)
      return run && chats.observe(run.id, watching)
    },
    onError: (error) => logger.warn({ err: error }, 'an observer failed and was let go'),
  })

  const close = async () => {
    await scheduler.stop()
    await knowledgeReader.stop()
    await workflowServices.files.stop()
    await chats.close(options.shutdownMs ?? 10_000)
    await terminals.close()
    await commands.close()
    await mcpServers.close()
    await memory.stop()
    await hooks.close()
    observers.clear()
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
      pages,
      createSessionChats({ store, chats, background, ids, restorers: createRestorers(store) }),
      windows,
      background,
      {
        create: (tx, caller, input) => createRoomOrSession(tx, roomDeps, caller, input),
        checkPatch: (tx, caller, id, patch) => checkRoomPatch(tx, roomDeps, caller, id, patch),
      },
    ),
    ...createScopeReader(store, clock, pages),
    store,
    chats,
    windows,
    background,
    events: createEventFeed(store, report('reading events')),
    observers,
    crons: createCrons(schedule, pages),
    eventHooks: createEventHooks(schedule, pages),
    workflows: createWorkflows(workflowServices, pages),
    workflowServices,
    plans: createPlans(planDeps, pages),
    planDeps,
    rooms: createRooms(roomDeps, pages),
    roomDeps,
    agents: createAgents(agentDeps, store, pages),
    agentDeps,
    threads: createThreads(store, clock, pages),
    approvals: createApprovals(store, pages),
    documents: createDocuments(store, documentLimits, pages),
    todos: createTodos(store, pages),
    locks: createLocks(store),
    documentLimits,
    memories: createMemories(store, { pages, vectors }),
    memoryVectors: vectors,
    knowledge: createKnowledge(knowledgeDeps, pages),
    knowledgeDeps,
    schedule,
    ...createLibrary(catalogueDeps),
    catalogueDeps,
    mcp: { servers: ({ scope = defaultScope } = {}) => readMcpServers(scope) },
    readMcpServers,
    registry,
    ids,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The data folder may lie in the folder of a scope; what is in it (keys, the database) is no business of a model. */
async function findForbidden({ dataDir }: ParleyOptions): Promise<string[]> {
  if (dataDir === undefined) return []
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  return [await realpath(dataDir)]
}

/** Undefined where nobody named an embedding model. */
function openEmbedder(
  registry: ModelRegistry,
  { embeddingModel }: MemorySettings,
  fetch: typeof globalThis.fetch | undefined,
): Embedder | undefined {
  if (embeddingModel === undefined) return undefined
  const provider = embeddingModel.slice(0, embeddingModel.indexOf('/'))
  const readSettings = () => {
    const found = registry.providers().find(({ name }) => name === provider)
    if (!found)
      throw invalidRequest(`memory.embeddingModel: there is no provider ${JSON.stringify(provider)}.`)
    return found.settings
  }
  return createEmbedder(embeddingModel, readSettings, fetch)
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
