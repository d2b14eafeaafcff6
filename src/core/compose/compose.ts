/** Puts a Parley together from the core and whatever extensions it is given; it names none of them. */
import { hostname } from 'node:os'
import type { AgentBasis } from '../chat/agent-basis.ts'
import { approvalOperationsOf } from '../approvals/operations.ts'
import { openCatalogue, type CatalogueDeps } from '../catalogue/open-catalogue.ts'
import {
  catalogueOperations,
  modelOperations,
  providerOperations,
  settingsOperationsOf,
} from '../catalogue/operations.ts'
import { createToolCaller } from '../chat/tool-caller.ts'
import { createChatRuns } from '../chat/chat-runs.ts'
import { createChats, type Chats } from '../chat/chats.ts'
import { defaultChatLimits } from '../chat/turn-limits.ts'
import { checkFragments, toSource } from '../chat/program-fragments.ts'
import { createTurnHooks } from '../chat/program-hooks.ts'
import { toolCallOperations } from '../chat/call-operations.ts'
import { runOperations } from '../chat/run-operations.ts'
import { audit, search, usage } from '../chat/scope-operations.ts'
import { sessionOperationsOf, type SessionServices } from '../chat/session-operations.ts'
import { createTurns } from '../chat/turn-run-kind.ts'
import type { Core, Extension } from '../extension.ts'
import { pageSource, type ServerContributions } from '../http/contributions.ts'
import { createHooks, defaultHookTimeoutMs } from '../hooks/hooks.ts'
import type { JoinedFacets } from '../protocol/joined-facets.ts'
import type { BoundOperations } from '../operations/calls.ts'
import { createSlotWaits } from '../runs/wait-for-slot.ts'
import { createRunEngine } from '../runs/run-engine.ts'
import { whyStopped } from '../runs/stop-reasons.ts'
import { checkSessionParameters, createParameterCheck } from '../sessions/check-parameters.ts'
import { createSession } from '../sessions/create.ts'
import { limitInstructions } from '../sessions/instructions.ts'
import { joinLifecycles } from '../sessions/lifecycle.ts'
import { threadOperations } from '../chat/thread-operations.ts'
import { defaultBackgroundLimits } from '../tasks/task-limits.ts'
import { createBackgroundManager, type BackgroundManager } from '../tasks/background-manager.ts'
import { createToolRegistry } from '../tools/tool-registry.ts'
import { watchRuns } from '../watch/watch-runs.ts'
import { composeAgentBasis } from './compose-agent-basis.ts'
import type { Base, Surroundings } from './infrastructure.ts'
import type { CheckedOptions } from './check-options.ts'
import { createCoreTools } from './core-tools.ts'
import { checkNames } from './distinct-names.ts'
import { closeExtensions, createExtensions, joinHookEvents } from './extensions.ts'
import { createRights } from './session-rights.ts'

export interface Composed {
  chats: Chats
  tasks: BackgroundManager
  catalogue: CatalogueDeps
  operations: BoundOperations[]
  /** What extensions add to a server that is put on top. */
  contributions: ServerContributions
  agentBasis: AgentBasis
  /** Stops what begins by itself, lets runs finish, then closes everything but the base. */
  close(): Promise<void>
}

/** The operations that every Parley has, with which of its services they run. */
const coreOperationsOf = ({ schemas, settingsSchemas, approvalSchemas }: JoinedFacets) =>
  [
    { name: 'sessions', operations: sessionOperationsOf(schemas), service: 'sessions' },
    { name: 'runs', operations: runOperations, service: 'sessions' },
    { name: 'audit', operations: audit },
    { name: 'usage', operations: usage, service: 'sessions' },
    { name: 'search', operations: search },
    { name: 'threads', operations: threadOperations, service: 'sessions' },
    { name: 'approvals', operations: approvalOperationsOf(approvalSchemas) },
    { name: 'toolCalls', operations: toolCallOperations },
    { name: 'models', operations: modelOperations, service: 'catalogue' },
    { name: 'providers', operations: providerOperations, service: 'catalogue' },
    { name: 'settings', operations: settingsOperationsOf(settingsSchemas), service: 'catalogue' },
    { name: 'catalogue', operations: catalogueOperations, service: 'catalogue' },
  ] as const

const bindCore = (
  coreOperations: ReturnType<typeof coreOperationsOf>,
  services: { sessions: SessionServices; catalogue: CatalogueDeps },
): BoundOperations[] =>
  coreOperations.map(({ name, operations, ...uses }) => ({
    name,
    operations,
    deps: 'service' in uses ? services[uses.service] : undefined,
  }))

const coreRunKinds = ['turn', 'background', 'agent']

export async function composeParley(
  base: Base,
  options: CheckedOptions,
  extensions: readonly Extension[],
  { commands, members = [] }: Pick<Surroundings, 'commands' | 'members'>,
): Promise<Composed> {
  const { store, watchers, clock, ids, logger, context, windows, registry, types } = base
  const { lists, knownModels, requireModel, findDefaultModel } = base
  const taskLimits = { ...defaultBackgroundLimits, ...options.background }
  const waits = createSlotWaits(store, taskLimits)
  const chatLimits = { ...defaultChatLimits, ...options.chat }
  const hooks = createHooks(options.hooks ?? [], {
    events: joinHookEvents(extensions),
    timeoutMs: options.hookTimeoutMs ?? defaultHookTimeoutMs,
    environment: commands?.environment,
    logger,
  })
  const programHooks = createTurnHooks(hooks, logger)
  const aroundRun = watchRuns(watchers, store)
  const takesUpRuns = options.takesUpRuns ?? true
  const owner = createOwner(base)
  if (takesUpRuns) await owner()
  const engine = createRunEngine({
    store,
    logger,
    owner,
    takesUpRuns,
    slots: taskLimits,
    leaseMs: chatLimits.leaseMs,
    maxClaims: chatLimits.maxClaims,
    maxTakenUp: chatLimits.maxTakenUp,
    aroundRun,
  })
  const tools = createToolRegistry()
  const chatRuns = createChatRuns({
    store,
    engine,
    requireModel,
    adapterNames: () => registry.adapterNames(),
    windows,
    ids,
    limits: chatLimits,
    types,
    tools,
  })
  const checkParameters = createParameterCheck({ registry, windows })
  const tasks = createBackgroundManager({
    store,
    clock,
    ids,
    types,
    tools,
    pacedTriggers: extensions.flatMap(({ pacedTriggers = [] }) => pacedTriggers),
    requireModel,
    checkParameters,
    maxWakes: taskLimits.maxWakes,
    engine,
    chats: chatRuns,
    limits: taskLimits,
    prices: knownModels,
  })
  const rights = createRights(base, options, { hooks, waits })
  const core: Core = {
    ...base,
    engine,
    chats: chatRuns,
    tasks,
    tools,
    toolCaller: createToolCaller({ store, tools, ...rights, readWorkspaces: base.readWorkspaces }),
    rights,
    hooks,
    waits,
    whyStopped,
    taskLimits,
    chatLimits,
  }
  const coreOperations = coreOperationsOf(store.facets)
  const coreTools = createCoreTools(base, { tasks, tools, waits })
  const added = await createExtensions(extensions, core, options)
  const fragments = options.fragments ?? []
  const sources = [...added.flatMap(({ prompt }) => prompt ?? []), ...fragments.map(toSource)]
  try {
    checkNames(added, {
      promptSources: fragments.map(({ name }) => name),
      operations: coreOperations,
      members,
      tools: coreTools.map(({ name }) => name),
      sessionTypes: types.list().map(({ name }) => name),
      runKinds: coreRunKinds,
    })
    types.register(...added.flatMap((one) => one.sessionTypes ?? []))
    checkFragments(
      types,
      sources.flatMap(({ places = [] }) => places),
      fragments,
    )
  } catch (error) {
    await closeExtensions(added)
    throw error
  }
  const on = added.flatMap((one) => one.on ?? [])

  tools.register(...coreTools, ...added.flatMap((one) => one.tools ?? []), ...(options.tools ?? []))
  for (const { checkInput } of on) if (checkInput) types.onInput(checkInput)
  tasks.onSettled(...on.flatMap(({ taskSettled }) => taskSettled ?? []))
  const turns = createTurns({
    store,
    windows,
    requireModel,
    findDefaultModel,
    tools: tools.list(),
    toolSources: added.flatMap(({ toolSource }) => toolSource ?? []),
    readWorkspaces: base.readWorkspaces,
    readGroups: rights.readGroups,
    guard: rights.guard,
    kinds: engine,
    types,
    // an extension knows better what its own turns lack than what holds for all of them
    hooks: [...on, tasks.hooks, programHooks],
    sources,
    contextReaders: [context.read, () => ({ today: base.today(clock.now()) })],
    prices: knownModels,
    clock,
    ids,
    logger,
    limits: chatLimits,
    maxWakes: taskLimits.maxWakes,
  })
  engine.register('turn', turns.runKind)
  engine.register('background', { ...turns.runKind, ...tasks.runKind, takesInput: () => false })
  // agents of programs execute their own; what one leaves behind is ended here
  engine.register('agent', { ...turns.runKind, isLocal: true })
  for (const { runKinds = {} } of added)
    for (const [name, kind] of Object.entries(runKinds)) engine.register(name, kind)
  const chats = createChats({ engine, runs: chatRuns, prompts: turns.prompts, windows })
  const catalogue = await openCatalogue({
    store,
    windows,
    registry,
    lists,
    knownModels,
    findDefaultModel,
    tools: tools.list(),
    context,
    parameters: options.parameters,
    permissionMode: options.permissions?.mode,
    toolGroups: options.toolGroups,
    trust: options.trust,
    readEffective: () => Object.assign({}, ...added.map(({ readEffective }) => readEffective?.())),
    extensions: extensions.map(({ name, version, page }) => ({
      name,
      version,
      ...(page && { page: { title: page.title, source: pageSource(name), isTrusted: true } }),
    })),
    // one that others work on as well would be theirs too
    dataDir: options.databaseUrl === undefined ? options.dataDir : undefined,
    forbidden: base.forbidden,
    logger,
  })
  const sessions: SessionServices = {
    store,
    clock,
    windows,
    chats,
    background: tasks,
    lifecycle: joinLifecycles(
      [limitInstructions(chatLimits), checkSessionParameters(checkParameters), ...on],
      createSession,
    ),
    restorers: Object.assign({}, ...on.map(({ restorers }) => restorers)),
  }
  const running = { store, chats, windows, background: tasks, ids, catalogue }
  engine.start()
  // a program that lives shortly begins nothing by itself: what is due waits for one that stays
  if (options.takesUpRuns ?? true) for (const { start } of added) start?.()

  return {
    chats,
    tasks,
    catalogue,
    operations: [
      ...bindCore(coreOperations, { sessions, catalogue }),
      ...added.flatMap(({ operations = {} }) =>
        Object.entries(operations).map(([name, bound]) => ({ name, deps: undefined, ...bound })),
      ),
    ],
    contributions: {
      routes: added.flatMap(({ routes }) => routes?.(running) ?? []),
      seals: added.flatMap(({ seal }) => seal ?? []),
      metrics: added.flatMap(({ metrics }) => metrics ?? []),
      pages: extensions.flatMap(({ name, page }) => (page ? { name, module: page.module } : [])),
    },
    agentBasis: composeAgentBasis(base, rights, {
      limits: chatLimits,
      aroundRun,
      owner,
      turnHooks: programHooks,
    }),
    async close() {
      for (const { stop } of added) await stop?.()
      await chats.close(options.shutdownMs ?? 10_000)
      await closeExtensions(added)
      await hooks.close()
    },
  }
}

/** Only a process that executes runs is known to others as one, and deletes what is kept for a while. */
function createOwner({ store, ids, keepHouse }: Base): () => Promise<string> {
  const name = `${hostname()}-${process.pid}-${ids.next('node')}`
  let held: Promise<string> | undefined
  return () =>
    (held ??= store.holdOwner(name).then(
      (owner) => {
        keepHouse()
        return owner
      },
      (error: unknown) => {
        // the database may be back when it is asked for again
        held = undefined
        throw error
      },
    ))
}
