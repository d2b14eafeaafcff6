import type { Logger } from 'pino'
import { createChatRuns } from '../core/chat/chat-runs.ts'
import { createChats, type Chats } from '../core/chat/chats.ts'
import { defaultChatLimits } from '../core/chat/turn-limits.ts'
import { createTurns } from '../core/chat/turn-run-kind.ts'
import { createRunEngine } from '../core/runs/run-engine.ts'
import type { ModelAdapter } from '../core/models/adapter.ts'
import { createKeyMask, nameAdapterBugs } from '../core/models/program-adapter.ts'
import { createModelRegistry } from '../core/models/registry.ts'
import { mergeHandlers, type WindowHandlers } from '../core/sessions/window/window-handlers.ts'
import { createWindows, type Windows, type WindowsOptions } from '../core/sessions/window/windows.ts'
import { systemClock } from '../core/shared/clock.ts'
import { createIds, type Ids } from '../core/shared/ids.ts'
import type { MessageToAppend } from '../core/store/queries/messages.ts'
import { inMemory, openSqlite } from '../core/store/sqlite/open.ts'
import { createStore, type Store } from '../core/store/store.ts'
import { createRecallTool } from '../core/tools/recall-tool.ts'
import type { AgentBasis } from '../core/chat/agent-basis.ts'
import { createAgentGuard, createParleyGuard } from './agent-permissions.ts'
import type { CheckedAgentOptions } from './check-options.ts'

/** The means to execute turns over one store. */
export interface Core {
  store: Store
  chats: Chats
  windows: Windows
}

export interface CoreDeps {
  ids: Ids
  logger: Logger
  requireModel(id: string | undefined): ModelAdapter
  record(question: MessageToAppend, reply: MessageToAppend): Promise<MessageToAppend[]>
}

/** For the sessions of an agent, with the settings of the Parley that holds them. */
export function createCore(
  store: Store,
  deps: CoreDeps,
  options: CheckedAgentOptions,
  handlersFor: (sessionId: string) => WindowHandlers | undefined,
): Core {
  const basis = options.parley?.agentBasis
  const windows = createWindows({
    store,
    logger: deps.logger,
    requireModel: deps.requireModel,
    ...toWindows(options, basis),
    handlersFor,
    recordsPairs: true,
  })
  return startCore(store, windows, deps, options, {
    readWorkspaces: basis?.readWorkspaces,
    aroundRun: basis?.aroundRun,
    owner: basis?.owner,
  })
}

/** For requests without a session: a history that was given is sent as it is, to the model that the scope has. */
export function createScratch(store: Store, deps: CoreDeps, options: CheckedAgentOptions): Core {
  const { logger, requireModel } = deps
  const { parley, model } = options
  const readSettings = parley?.agentBasis?.windows.scopeSettings
  const windows = createWindows({
    store,
    logger,
    requireModel,
    recordsPairs: true,
    parameters: parley?.agentBasis?.windows.parameters,
    ...(readSettings &&
      model === undefined && {
        // of the Parley: this store is that of the request alone
        scopeSettings: async (_, scope) => {
          const { model: named, parameters } = await readSettings(parley.store, scope)
          return { model: named, parameters }
        },
      }),
  })
  return startCore(store, windows, deps, options, {})
}

function toWindows(
  { model, session, handlers }: CheckedAgentOptions,
  basis: AgentBasis | undefined,
): Pick<WindowsOptions, 'settings' | 'parameters' | 'own' | 'scopeSettings' | 'handlers' | 'costOf'> {
  if (!basis) return { settings: session, handlers }
  const { scopeSettings } = basis.windows
  return {
    ...basis.windows,
    own: session,
    handlers: mergeHandlers(basis.windows.handlers, handlers),
    // who names a model means it in any scope
    ...(model !== undefined &&
      scopeSettings && {
        scopeSettings: async (tx, scope) => ({ ...(await scopeSettings(tx, scope)), model: undefined }),
      }),
  }
}

function startCore(
  store: Store,
  windows: Windows,
  { ids, logger, requireModel, record }: CoreDeps,
  { tools = [], permissions, limits, parley }: CheckedAgentOptions,
  {
    readWorkspaces,
    aroundRun,
    // in memory nobody else asks
    owner = async () => `agent-${process.pid}`,
  }: Partial<Pick<AgentBasis, 'readWorkspaces' | 'aroundRun' | 'owner'>>,
): Core {
  const basis = parley?.agentBasis
  const guard = basis
    ? createParleyGuard(store, basis, permissions, logger)
    : permissions && createAgentGuard(store, permissions)
  const chatLimits = { ...(basis?.limits ?? defaultChatLimits), ...limits }
  const engine = createRunEngine({
    store,
    logger,
    owner,
    takesUpRuns: false,
    leaseMs: chatLimits.leaseMs,
    maxClaims: chatLimits.maxClaims,
    maxTakenUp: chatLimits.maxTakenUp,
    // asks of other agents are theirs
    claims: ({ kind }) => kind === 'agent',
    aroundRun,
  })
  // in memory nobody takes messages into the search index behind the turns
  const recall = createRecallTool(store, { hasIndexer: basis !== undefined })
  const turns = createTurns({
    store,
    kinds: engine,
    windows,
    requireModel,
    tools: tools.some(({ name }) => name === 'recall') ? tools : [recall, ...tools],
    guard,
    // of the Parley's scope, which a store in memory knows nothing of
    readGroups: basis?.readGroups && ((session) => basis.readGroups!(session)),
    readWorkspaces,
    findDefaultModel: basis?.findDefaultModel,
    prices: basis?.prices,
    clock: basis?.clock ?? systemClock,
    ids,
    logger,
    limits: chatLimits,
    hooks: [
      { toRecord: async (_session, question, reply) => record(question, reply) },
      ...(basis?.turnHooks ? [basis.turnHooks] : []),
    ],
  })
  // only it knows with whom: what it leaves behind is ended by others, not executed
  engine.register('agent', { ...turns.runKind, isLocal: true })
  engine.start()
  const runs = createChatRuns({
    store,
    engine,
    requireModel,
    windows,
    ids,
    limits: chatLimits,
    isAgent: true,
  })
  return { store, chats: createChats({ engine, runs, prompts: turns.prompts, windows }), windows }
}

/** Its own adapter, its own keys, or those of the Parley. */
export function createModelFinder({
  model,
  models,
  parley,
}: CheckedAgentOptions): (id: string | undefined) => ModelAdapter {
  const named = typeof model === 'string' ? model : undefined
  const find =
    parley?.agentBasis && models === undefined
      ? parley.agentBasis.requireModel
      : createModelRegistry({ openai: {}, anthropic: {}, gemini: {}, ollama: {}, ...models }).require
  const own = typeof model === 'object' ? nameAdapterBugs(model, createKeyMask(keysOf(models))) : undefined
  return (id) => (id === undefined && own ? own : find(id ?? named))
}

function keysOf({ openai, anthropic, gemini }: NonNullable<CheckedAgentOptions['models']> = {}) {
  return [openai, anthropic, gemini].flatMap((provider) => provider?.apiKey ?? [])
}

export const openMemory = () =>
  createStore(openSqlite({ file: inMemory, synchronous: 'NORMAL', busyTimeoutMs: 0 }, systemClock), {
    clock: systemClock,
    ids: createIds(systemClock),
  })
