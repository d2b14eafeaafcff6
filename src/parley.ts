import type { AgentBasis } from './core/chat/agent-basis.ts'
import type { Chats } from './core/chat/chats.ts'
import type { Sessions } from './core/chat/session-operations.ts'
import { createSessionStreams } from './core/chat/session-streams.ts'
import { openBase, type Base, type Surroundings } from './core/compose/infrastructure.ts'
import { readOptions, type CheckedOptions } from './core/compose/check-options.ts'
import { composeParley } from './core/compose/compose.ts'
import { checkExtensions } from './core/compose/extensions.ts'
import type { ServerContributions } from './core/http/contributions.ts'
import { extensionsIn, extensionsOption } from './core/compose/extension-option.ts'
import type { ParleyOptions as OptionsOfParts } from './core/compose/options.ts'
import { refuseClosed } from './core/compose/refuse-closed.ts'
import type { CallsOf, Extension } from './core/extension.ts'
import type { ModelRegistry } from './core/models/registry.ts'
import { createCalls, type BoundOperations } from './core/operations/calls.ts'
import { defaultScope } from './core/protocol/names.ts'
import { createEventFeed, type EventFeed } from './core/runs/event-feed.ts'
import { newestRun } from './core/runs/newest-run.ts'
import { createObserverRegistry, type ObserverRegistry } from './core/runs/observers.ts'
import type { Caller } from './core/sessions/caller.ts'
import type { Windows } from './core/sessions/window/windows.ts'
import type { Ids } from './core/shared/ids.ts'
import type { Store } from './core/store/store.ts'
import type { BackgroundManager } from './core/tasks/background-manager.ts'
import type { Watchers } from './core/watch/watcher.ts'
import { loadBuiltIn } from './extensions/built-in.ts'
import { joinManagement } from './extensions/workflow/protocol/management-session.ts'
import type { Workflows } from './extensions/workflow/operations.ts'
import { operationNames } from './operation-names.ts'
import type { OperationCalls, OperationServices } from './operations.ts'
import { openTelemetry } from './telemetry/open-telemetry.ts'
import { telemetryOption } from './telemetry/options.ts'
import { readVersion } from './version.ts'

export interface ParleyOptions<
  Extensions extends readonly Extension[] = readonly Extension[],
> extends OptionsOfParts {
  /** Extensions besides the built-in ones, applied in this order; see `defineExtension`. */
  extensions?: Extensions
}

/** A running Parley. Several can live in one process and know nothing of each other. */
export interface Parley extends Omit<OperationCalls, 'sessions' | 'workflows'>, AsyncDisposable {
  sessions: Sessions
  workflows: Workflows
  /** The operations behind the calls, for a server on top. */
  operations: readonly BoundOperations[]
  /** What extensions add to that server besides operations. */
  contributions: ServerContributions
  /** For those who build on the store itself. */
  store: Store
  chats: Chats
  windows: Windows
  background: BackgroundManager
  /** Follows the events of scopes. */
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
  /** Who is notified of requests, runs, model calls and tool calls around them. */
  watchers: Watchers
  ids: Ids
  /** Stops what runs in the background, then closes the store. */
  close(): Promise<void>
}

/** What a Parley has that is no call of an operation. */
const members = [
  'operations',
  'contributions',
  'store',
  'chats',
  'windows',
  'background',
  'events',
  'observers',
  'configured',
  'services',
  'registry',
  'agentBasis',
  'watchers',
  'ids',
  'close',
  // awaiting a Parley would call it
  'then',
]

export async function createParley<const Extensions extends readonly Extension[] = []>(
  given: ParleyOptions<Extensions>,
): Promise<Parley & CallsOf<Extensions>> {
  const extensions = [...(await loadBuiltIn()), ...extensionsIn(given)]
  const options = readOptions(given, [...extensions, telemetryOption, extensionsOption])
  checkExtensions(extensions)
  const version = readVersion()
  const surroundings: Surroundings = {
    version,
    members,
    slices: extensions.flatMap(({ store }) => store ?? []),
    retentions: extensions.flatMap(({ retention }) => retention?.(given) ?? []),
    createScopeViewReader: extensions.find((one) => one.createScopeViewReader)?.createScopeViewReader,
    commands: options.terminal,
    allowPrivate: options.web?.allowPrivate,
    demo: extensions.flatMap(({ demo }) => demo ?? []),
    contextFiles: extensions.flatMap(({ contextFiles }) => contextFiles ?? []),
    references: extensions.map(({ references = {} }) => references),
    openTelemetry: (deps) => openTelemetry(options.telemetry, { ...deps, version }),
  }
  const base = await openBase(options, surroundings)
  try {
    // the calls come from the operations in the types
    return (await openParley(base, options, extensions, surroundings)) as Parley & CallsOf<Extensions>
  } catch (error) {
    await base.close()
    throw error
  }
}

async function openParley(
  base: Base,
  options: CheckedOptions,
  extensions: readonly Extension[],
  surroundings: Surroundings,
): Promise<Parley> {
  const { store, watchers, ids, logger, report, windows, registry, pages } = base
  const composed = await composeParley(base, options, extensions, surroundings)
  const { chats, tasks, catalogue, agentBasis } = composed
  const observers = createObserverRegistry({
    async observe({ scope = defaultScope, sessionId }, watching) {
      const run = await newestRun(store, scope, sessionId)
      return run && chats.observe(run.id, watching)
    },
    onError: (error) => logger.warn({ err: error }, 'an observer failed and was removed'),
  })
  const close = async () => {
    await composed.close()
    observers.clear()
    await base.close()
  }
  const bound = inOrder(composed.operations)
  const calls = Object.fromEntries(
    bound.map((one) => [one.name, createCalls(one, { store, pages })]),
  ) as unknown as OperationCalls
  return refuseClosed<Parley>({
    ...calls,
    sessions: {
      ...calls.sessions,
      ...createSessionStreams({ store, chats, windows, ids, imports: options.imports }),
    },
    workflows: joinManagement(calls.workflows),
    operations: bound,
    contributions: composed.contributions,
    store,
    chats,
    windows,
    background: tasks,
    events: createEventFeed(store, report('reading events')),
    observers,
    configured: { mode: catalogue.permissionMode, groups: catalogue.toolGroups },
    services: Object.fromEntries(bound.map(({ name, deps }) => [name, deps])) as unknown as OperationServices,
    registry,
    agentBasis,
    watchers,
    ids,
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** As `operations.ts` lists them, and then those of other extensions. */
function inOrder(bound: readonly BoundOperations[]): BoundOperations[] {
  const placeOf = ({ name }: BoundOperations) => {
    const place = operationNames.indexOf(name)
    return place < 0 ? operationNames.length : place
  }
  return bound.toSorted((one, other) => placeOf(one) - placeOf(other))
}
