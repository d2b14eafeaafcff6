import type { Caller } from './core/sessions/caller.ts'
import { createSessionStreams } from './core/chat/session-streams.ts'
import { joinManagement } from './extensions/workflow/protocol/workflows.ts'
import type { Sessions } from './core/chat/session-operations.ts'
import type { Workflows } from './extensions/workflow/operations.ts'
import { hostname } from 'node:os'
import type { AgentBasis } from './core/chat/agent-basis.ts'
import { defaultBackgroundLimits } from './core/tasks/limits.ts'
import type { BackgroundManager } from './core/tasks/manager.ts'
import { openCatalogue } from './core/catalogue/deps.ts'
import { createChatRuns } from './core/chat/chat-runs.ts'
import { createChats, type Chats } from './core/chat/chats.ts'
import { defaultChatLimits } from './core/chat/deps.ts'
import { windowTokensOf } from './core/chat/turn-tools.ts'
import { createTurns } from './core/chat/turns.ts'
import { composeAgentBasis } from './core/compose/agent-basis.ts'
import { openBase, type Base } from './core/compose/base.ts'
import { readOptions, type CheckedOptions } from './core/compose/check-options.ts'
import { composeMemory } from './core/compose/memory.ts'
import { builtInRoutes } from './extensions/built-in-routes.ts'
import { countCronFires } from './extensions/schedule/cron-metrics.ts'
import { sealGames } from './extensions/room/sealed.ts'
import type { ServerContributions } from './core/http/contributions.ts'
import { bindOperations, type OperationCalls, type OperationServices } from './core/compose/operations.ts'
import type { ParleyOptions } from './core/compose/options.ts'
import { refuseClosed } from './core/compose/refuse-closed.ts'
import { createRights } from './core/compose/rights.ts'
import { registerRunKinds } from './core/compose/run-kinds.ts'
import { composeTools } from './core/compose/tools.ts'
import { composeWork } from './core/compose/work.ts'
import type { BoundOperations } from './core/operations/calls.ts'
import { createRunEngine } from './core/runs/run-engine.ts'
import { defaultDocumentLimits, type DocumentLimits } from './extensions/documents/caller.ts'
import { lockSource } from './extensions/documents/lock-source.ts'
import { memorySource, memoryTurnHooks } from './extensions/memory/turn-memory.ts'
import { createRestorers } from './extensions/documents/restorers.ts'
import { createHooks, defaultHookTimeoutMs } from './core/hooks/hooks.ts'
import { createMcpServers } from './extensions/mcp/mcp-servers.ts'
import type { ModelRegistry } from './core/models/registry.ts'
import { planChat, planNode, planSource } from './extensions/plan/session-types.ts'
import { remindNode } from './extensions/plan/remind-node.ts'
import { startActions } from './extensions/plan/turn.ts'
import { remindStep } from './extensions/workflow/remind-step.ts'
import type { McpServerList } from './extensions/mcp/protocol/mcp.ts'
import { defaultScope } from './core/protocol/names.ts'
import { createSessionRooms } from './extensions/room/session-rooms.ts'
import { refuseOutside } from './extensions/room/room-input.ts'
import { roomType, seatSource, seatType } from './extensions/room/session-types.ts'
import { createEventFeed, type EventFeed } from './core/runs/event-feed.ts'
import { newestRun } from './core/runs/newest-run.ts'
import { createObserverRegistry, type ObserverRegistry } from './core/runs/observers.ts'
import { createSlotWaits } from './core/runs/slot-wait.ts'
import type { Windows } from './core/sessions/window/windows.ts'
import type { Ids } from './core/shared/ids.ts'
import type { Store } from './core/store/store.ts'
import { watchRuns } from './telemetry/watch-runs.ts'
import type { Watchers } from './telemetry/watcher.ts'
import { createToolRegistry } from './core/tools/tool-registry.ts'
import { searchEngineName } from './extensions/web/search-engines.ts'
import { readVersion } from './version.ts'
import { workflowManagement, workflowSource, workflowStep } from './extensions/workflow/session-types.ts'

export type { ParleyOptions } from './core/compose/options.ts'

/** A running Parley. Several can live in one process and know nothing of each other. */
export interface Parley extends Omit<OperationCalls, 'sessions' | 'workflows'>, AsyncDisposable {
  sessions: Sessions
  workflows: Workflows
  /** What the calls are made of, for the server that is put on top. */
  operations: readonly BoundOperations[]
  /** What extensions add to that server beside operations. */
  contributions: ServerContributions
  /** For those who build on the store itself. */
  store: Store
  chats: Chats
  windows: Windows
  background: BackgroundManager
  /** What happens in scopes, for whoever follows it. */
  events: EventFeed
  /** Watches sessions by their id, those of the program itself too. */
  observers: ObserverRegistry
  /** What keys that are bound to scopes cannot raise. */
  configured: NonNullable<Caller['configured']>
  /** What operations run with, for surfaces of another shape. */
  services: OperationServices
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
  try {
    return await composeParley(base, options)
  } catch (error) {
    await base.close()
    throw error
  }
}

async function composeParley(base: Base, options: CheckedOptions): Promise<Parley> {
  const {
    store,
    watchers,
    clock,
    ids,
    logger,
    report,
    context,
    windows,
    registry,
    requireModel,
    pages,
    types,
  } = base
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
  const aroundRun = watchRuns(watchers, store)
  const engine = createRunEngine({
    store,
    logger,
    owner: `${hostname()}-${process.pid}-${ids.next('node')}`,
    takesUpRuns: options.takesUpRuns ?? true,
    slots: backgroundLimits,
    leaseMs: chatLimits.leaseMs,
    maxClaims: chatLimits.maxClaims,
    maxTakenUp: chatLimits.maxTakenUp,
    aroundRun,
  })
  const chatRuns = createChatRuns({ store, engine, requireModel, ids, limits: chatLimits, types })
  const tools = createToolRegistry()
  const rights = createRights(base, options, { hooks, waits })
  const memory = composeMemory(base, options, hooks)
  const work = composeWork(
    {
      base,
      rights,
      engine,
      chats: chatRuns,
      tools,
      backgroundLimits,
      documentLimits,
      embedder: memory.embedder,
    },
    options,
  )
  const hands = composeTools({ base, memory, work, tools, waits, chatLimits, documentLimits }, options)
  const mcpServers = createMcpServers(options.mcpServers ?? {}, { clock, logger, version: readVersion() })
  const catalogueDeps = await openCatalogue({
    store,
    windows,
    registry,
    tools: tools.list(),
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
  const turns = createTurns({
    store,
    windows,
    requireModel,
    tools: tools.list(),
    readWorkspaces: base.readWorkspaces,
    readGroups: rights.readGroups,
    guard: rights.guard,
    kinds: engine,
    types,
    toolSources: [
      async (session, { mcpEnabled = true }, windowTokens) =>
        mcpEnabled ? mcpServers.toolsFor(session, windowTokens) : [],
    ],
    hooks: [
      { nudge: remindStep },
      { nudge: remindNode },
      work.background.hooks,
      memoryTurnHooks(memory.hooks, logger),
      { onEnd: (tx, ended) => startActions(tx, work.plan, ended) },
    ],
    sources: [
      lockSource(store),
      workflowSource(store),
      seatSource,
      planSource(work.plan),
      memorySource(memory.hooks, logger),
    ],
    contextReaders: [context.read, () => ({ today: base.today(clock.now()) })],
    prices: options.prices,
    clock,
    ids,
    logger,
    limits: chatLimits,
    maxWakes: backgroundLimits.maxWakes,
  })
  types.register(roomType, seatType, planChat(work.plan), planNode, workflowManagement, workflowStep)
  types.onInput(refuseOutside)
  registerRunKinds(engine, turns, { ...work, workflow: work.workflowServices.deps })
  const chats = createChats({ engine, runs: chatRuns, prompts: turns.prompts, windows })
  engine.start()
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
  const services: OperationServices = {
    sessions: {
      store,
      clock,
      windows,
      chats,
      background: work.background,
      rooms: createSessionRooms(work.room),
      restorers: createRestorers(store),
    },
    schedule: work.schedule,
    webhooks: work.webhook,
    workflows: work.workflowServices,
    plans: work.plan,
    agents: work.agents,
    rooms: work.room,
    documents: documentLimits,
    memories: { vectors: memory.vectors },
    knowledge: work.knowledge,
    catalogue: catalogueDeps,
    mcp: { readServers: readMcpServers },
  }
  const { bound, calls } = bindOperations(services, { store, pages })
  return refuseClosed<Parley>({
    ...calls,
    sessions: { ...calls.sessions, ...createSessionStreams({ store, chats, windows, ids }) },
    workflows: joinManagement(calls.workflows),
    operations: bound,
    contributions: {
      routes: builtInRoutes({
        ...work,
        rooms: work.room,
        store,
        chats,
        windows,
        ids,
        catalogue: catalogueDeps,
      }),
      seals: [sealGames(work.room)],
      metrics: [countCronFires(store)],
    },
    store,
    chats,
    windows,
    background: work.background,
    events: createEventFeed(store, report('reading events')),
    observers,
    configured: { mode: catalogueDeps.permissionMode, groups: catalogueDeps.toolGroups },
    services,
    registry,
    agentBasis: composeAgentBasis(base, rights, options, { limits: chatLimits, aroundRun }),
    watchers,
    ids,
    close,
    [Symbol.asyncDispose]: close,
  })
}
