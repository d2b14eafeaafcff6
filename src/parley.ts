import { hostname } from 'node:os'
import type { AgentBasis } from './chat/agent-basis.ts'
import { createApprovals } from './approvals/library.ts'
import { defaultBackgroundLimits } from './background/limits.ts'
import type { BackgroundManager } from './background/manager.ts'
import { openCatalogue, type CatalogueDeps } from './catalogue/deps.ts'
import { createLibrary } from './catalogue/library.ts'
import { createChats, type Chats } from './chat/chats.ts'
import { defaultChatLimits } from './chat/deps.ts'
import { createSessionChats } from './chat/session-chats.ts'
import { windowTokensOf } from './chat/turn-tools.ts'
import { composeAgentBasis } from './compose/agent-basis.ts'
import { openBase } from './compose/base.ts'
import { readOptions } from './compose/check-options.ts'
import { composeMemory } from './compose/memory.ts'
import type { ParleyOptions } from './compose/options.ts'
import { refuseClosed } from './compose/refuse-closed.ts'
import { createRights } from './compose/rights.ts'
import { composeTools } from './compose/tools.ts'
import { composeWork } from './compose/work.ts'
import { defaultDocumentLimits, type DocumentLimits } from './documents/caller.ts'
import { createDocuments, createLocks, createTodos } from './documents/library.ts'
import { readLocksAround } from './documents/locks.ts'
import { createRestorers } from './documents/restorers.ts'
import { createHooks, defaultHookTimeoutMs } from './hooks/hooks.ts'
import type { KnowledgeDeps } from './knowledge/deps.ts'
import { createKnowledge } from './knowledge/library.ts'
import { createMcpServers } from './mcp/mcp-servers.ts'
import { createMemories } from './memory/library.ts'
import type { VectorSearch } from './memory/vectors.ts'
import type { ModelRegistry } from './models/registry.ts'
import { createPlanAdvance } from './plan/advance.ts'
import type { PlanDeps } from './plan/deps.ts'
import { readPlanFacts } from './plan/facts.ts'
import { createPlans } from './plan/library.ts'
import { readPlanForm, startActions } from './plan/turn.ts'
import type { Agents } from './protocol/agent.ts'
import type { Approvals } from './protocol/approval.ts'
import type { Catalogue } from './protocol/catalogue.ts'
import type { Crons } from './protocol/cron.ts'
import type { Documents } from './protocol/document.ts'
import type { EventHooks } from './protocol/event-hook.ts'
import type { Knowledge } from './protocol/knowledge.ts'
import type { Locks } from './protocol/lock.ts'
import type { Mcp, McpServerList } from './protocol/mcp.ts'
import type { Memories } from './protocol/memory.ts'
import type { Models, Providers } from './protocol/models.ts'
import { defaultScope } from './protocol/names.ts'
import type { Plans } from './protocol/plans.ts'
import type { Rooms } from './protocol/rooms.ts'
import type { ScopeReader } from './protocol/scope-reader.ts'
import type { Sessions } from './protocol/sessions.ts'
import type { Settings } from './protocol/settings.ts'
import type { Threads } from './protocol/thread.ts'
import type { Todos } from './protocol/todo.ts'
import type { Webhooks } from './protocol/webhook.ts'
import type { Workflows } from './protocol/workflows.ts'
import { createRoomAdvance } from './room/advance.ts'
import type { AgentDeps } from './room/agents.ts'
import type { RoomDeps } from './room/deps.ts'
import { createAgents, createThreads } from './room/library-agents.ts'
import { createRooms } from './room/library.ts'
import { createSessionRooms } from './room/session-rooms.ts'
import { readSeatForm } from './room/reply.ts'
import { createEventFeed, type EventFeed } from './runs/event-feed.ts'
import { newestRun } from './runs/newest-run.ts'
import { createObserverRegistry, type ObserverRegistry } from './runs/observers.ts'
import { createSlotWaits } from './runs/slot-wait.ts'
import type { ScheduleDeps } from './schedule/deps.ts'
import { createCrons, createEventHooks } from './schedule/library.ts'
import { createScopeReader } from './sessions/scope-reader.ts'
import { createSessions } from './sessions/sessions.ts'
import type { Windows } from './sessions/window/windows.ts'
import type { Ids } from './shared/ids.ts'
import type { Store } from './store/store.ts'
import { watchRuns } from './telemetry/watch-runs.ts'
import type { Watchers } from './telemetry/watcher.ts'
import { searchEngineName } from './tools/web/search-engines.ts'
import { readVersion } from './version.ts'
import type { WebhookDeps } from './webhook/deps.ts'
import { createWebhooks } from './webhook/library.ts'
import { createAdvance } from './workflow/advance.ts'
import { createWorkflows } from './workflow/library.ts'
import { readEditedWorkflow } from './workflow/management.ts'
import type { WorkflowServices } from './workflow/services.ts'

export type { ParleyOptions } from './compose/options.ts'

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
  /** URLs that are called when something happens. */
  webhooks: Webhooks
  /** For the server that is put on top. */
  webhookDeps: WebhookDeps
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
  /** For `createAgent({ parley })`. */
  agentBasis: AgentBasis
  /** Who is told of requests, runs, model calls and tool calls around them. */
  watchers: Watchers
  ids: Ids
  /** Stops what runs in the background, then closes the store. */
  close(): Promise<void>
}

export async function createParley(given: ParleyOptions): Promise<Parley> {
  const options = readOptions(given)
  const base = await openBase(options)
  const { store, watchers, clock, ids, logger, report, context, windows, registry, requireModel, pages } =
    base
  const backgroundLimits = { ...defaultBackgroundLimits, ...options.background }
  const waits = createSlotWaits(store, backgroundLimits)
  const chatLimits = { ...defaultChatLimits, ...options.chat }
  const documentLimits: DocumentLimits = {
    maxBytes: options.documents?.maxBytes ?? defaultDocumentLimits.maxBytes,
    lockTtlMs: options.locks?.ttlMs ?? defaultDocumentLimits.lockTtlMs,
  }
  const hooks = createHooks(options.hooks ?? [], {
    timeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs,
    environment: options.terminal?.environment,
    logger,
  })
  const rights = createRights(base, options, { hooks, waits })
  const memory = composeMemory(base, options, hooks)
  const work = composeWork(
    {
      base,
      rights,
      backgroundLimits,
      documentLimits,
      embedder: memory.embedder,
      chats: () => chats,
      tools: () => tools,
    },
    options,
  )
  const { tools, ...hands } = composeTools({ base, memory, work, waits, chatLimits, documentLimits }, options)
  const mcpServers = createMcpServers(options.mcpServers ?? {}, { clock, logger, version: readVersion() })
  const catalogueDeps = await openCatalogue({
    store,
    windows,
    registry,
    tools,
    context,
    permissionMode: options.permissions?.mode,
    toolGroups: options.toolGroups,
    trust: options.trust,
    webSearch: searchEngineName(options.web?.search),
    readSandbox: () => base.sandbox.state().kind,
    // one that others work on as well would be theirs too
    dataDir: options.databaseUrl === undefined ? options.dataDir : undefined,
    forbidden: base.forbidden,
    clock,
    logger,
    fetch: options.models?.fetch,
  })
  const aroundRun = watchRuns(watchers, store)
  const chats: Chats = createChats(
    {
      store,
      windows,
      requireModel,
      tools,
      readWorkspaces: base.readWorkspaces,
      readGroups: rights.readGroups,
      guard: rights.guard,
      readMoreTools: mcpServers.toolsFor,
      hooks: {
        ...work.background.hooks,
        ...memory.hooks,
        async onEnd(tx, ended) {
          await work.background.hooks.onEnd?.(tx, ended)
          await startActions(tx, work.plan, ended)
        },
      },
      readReplyForm: async (session, input, seen) =>
        readSeatForm(input) ?? readPlanForm(work.plan, session, input, seen),
      prices: options.prices,
      readContext: async (session, input) => ({
        ...(await context.read(session, input)),
        locks: await readLocksAround(store, session),
        editedWorkflow: await readEditedWorkflow(store, session, input.workflowEditContext),
        plan: await readPlanFacts(work.plan, session),
        today: base.today(clock.now()),
      }),
      clock,
      ids,
      logger,
      limits: chatLimits,
      maxWakes: backgroundLimits.maxWakes,
    },
    {
      owner: `${hostname()}-${process.pid}-${ids.next('node')}`,
      takesUpRuns: options.takesUpRuns ?? true,
      slots: backgroundLimits,
      interruptsTasks: backgroundLimits.onCrash === 'interrupt',
      aroundRun,
      executors: {
        workflow: createAdvance(work.workflowServices.deps),
        plan: createPlanAdvance(work.plan),
        room: createRoomAdvance(work.room),
      },
    },
  )
  chats.start()
  // a program that lives shortly fires nothing: what is due waits for one that stays
  if (options.takesUpRuns ?? true) work.start()

  const observers = createObserverRegistry({
    async observe({ scope = defaultScope, sessionId }, watching) {
      const run = await newestRun(store, scope, sessionId)
      return run && chats.observe(run.id, watching)
    },
    onError: (error) => logger.warn({ err: error }, 'an observer failed and was let go'),
  })
  const readMcpServers = async (scope: string): Promise<McpServerList> => ({
    items: mcpServers.status(),
    deferred: mcpServers.isDeferred(windowTokensOf(await windows.viewScope(scope))),
    nextCursor: null,
  })

  const sessionRooms = createSessionRooms(work.room)

  const close = async () => {
    await work.stop()
    await chats.close(options.shutdownMs ?? 10_000)
    await hands.close()
    await work.close()
    await mcpServers.close()
    await memory.stop()
    await hooks.close()
    observers.clear()
    await base.close()
  }
  return refuseClosed<Parley>({
    sessions: createSessions(
      store,
      clock,
      pages,
      createSessionChats({
        store,
        chats,
        background: work.background,
        ids,
        restorers: createRestorers(store),
        rooms: sessionRooms,
      }),
      windows,
      work.background,
      sessionRooms,
    ),
    ...createScopeReader(store, clock, pages),
    store,
    chats,
    windows,
    background: work.background,
    events: createEventFeed(store, report('reading events')),
    observers,
    crons: createCrons(work.schedule, pages),
    eventHooks: createEventHooks(work.schedule, pages),
    schedule: work.schedule,
    webhooks: createWebhooks(work.webhook, pages),
    webhookDeps: work.webhook,
    workflows: createWorkflows(work.workflowServices, pages),
    workflowServices: work.workflowServices,
    plans: createPlans(work.plan, pages),
    planDeps: work.plan,
    rooms: createRooms(work.room, pages),
    roomDeps: work.room,
    agents: createAgents(work.agents, store, pages),
    agentDeps: work.agents,
    threads: createThreads(store, clock, pages),
    approvals: createApprovals(store, pages),
    documents: createDocuments(store, documentLimits, pages),
    todos: createTodos(store, pages),
    locks: createLocks(store),
    documentLimits,
    memories: createMemories(store, { pages, vectors: memory.vectors }),
    memoryVectors: memory.vectors,
    knowledge: createKnowledge(work.knowledge, pages),
    knowledgeDeps: work.knowledge,
    ...createLibrary(catalogueDeps),
    catalogueDeps,
    mcp: { servers: ({ scope = defaultScope } = {}) => readMcpServers(scope) },
    readMcpServers,
    registry,
    agentBasis: composeAgentBasis(base, rights, options, { limits: chatLimits, aroundRun }),
    watchers,
    ids,
    close,
    [Symbol.asyncDispose]: close,
  })
}
