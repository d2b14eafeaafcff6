/**
 * A capability that stands on the core: one folder, registered by one line. What comes with Parley is made of the same
 * parts that other programs get.
 */
import type { z } from 'zod'
import type { ToolCaller } from './chat/tool-caller.ts'
import type { CatalogueDeps } from './catalogue/open-catalogue.ts'
import type { ChatRuns } from './chat/chat-runs.ts'
import type { Chats } from './chat/chats.ts'
import type { ChatLimits, ToolSource } from './chat/turn-limits.ts'
import type { PromptSource } from './chat/prompt-source.ts'
import type { ReadScopeView } from './chat/scope-view.ts'
import type { SessionType, SessionTypes } from './chat/session-types.ts'
import type { TurnHooks } from './chat/turn-hooks.ts'
import type { TurnInput } from './chat/turn-input.ts'
import type { CommandGroup } from './command-line/command-group.ts'
import type { Base } from './compose/infrastructure.ts'
import type { ParleyOptions } from './compose/options.ts'
import type { Rights } from './compose/session-rights.ts'
import type { ContextFiles } from './context/context-files.ts'
import type { ReferenceWords } from './context/references.ts'
import type { AnswerSchemas } from './hooks/hook.ts'
import type { Hooks } from './hooks/hooks.ts'
import type { MetricContribution, RouteContribution } from './http/contributions.ts'
import type { SessionSeal } from './http/sealed-sessions.ts'
import type { ReadDemoPart } from './models/demo-turn.ts'
import type { Calls } from './operations/calls.ts'
import type { Operation, OperationTree } from './operations/operation.ts'
import type { Session } from './protocol/session.ts'
import type { EffectiveSettings } from './protocol/settings.ts'
import type { RunEngine, RunKind } from './runs/run-engine.ts'
import type { SlotWaits } from './runs/wait-for-slot.ts'
import type { whyStopped } from './runs/stop-reasons.ts'
import type { SessionLifecycle } from './sessions/lifecycle.ts'
import type { ConfigOf, SettingsTable } from './settings/setting.ts'
import type { Joined } from './settings/settings-slice.ts'
import type { Restore } from './sessions/rollback.ts'
import type { Retention } from './store/housekeeping.ts'
import type { StoreSlice } from './store/store-slice.ts'
import type { Store } from './store/store.ts'
import type { OnSettled } from './tasks/task-deps.ts'
import type { BackgroundLimits } from './tasks/task-limits.ts'
import type { BackgroundManager } from './tasks/background-manager.ts'
import type { ToolRegistry } from './tools/tool-registry.ts'
import type { Tool } from './tools/tool.ts'

/** What an extension builds on: the parts of the core, all of them there before any extension is created. */
export interface Core extends Pick<
  Base,
  | 'store'
  | 'clock'
  | 'ids'
  | 'logger'
  | 'registry'
  | 'knownModels'
  | 'requireModel'
  | 'windows'
  | 'context'
  | 'forbidden'
  | 'isTrusted'
  | 'readWorkspaces'
  | 'workspacesDir'
  | 'sandbox'
  | 'traceContext'
  | 'version'
> {
  /** Takes runs in, lets them be observed and stopped. */
  engine: RunEngine
  /** Takes inputs of sessions in. */
  chats: ChatRuns
  /** Starts, waits for and cancels background sessions. */
  tasks: BackgroundManager
  types: SessionTypes
  /** Filled before anything is executed. */
  tools: ToolRegistry
  /** Makes calls of tools on behalf of a session. */
  toolCaller: ToolCaller
  /** What sessions may do. */
  rights: Rights
  /** What a program is asked around calls of tools. */
  hooks: Hooks
  waits: SlotWaits
  /** Why a run that is being executed may not continue; throws if another owner takes it over. */
  whyStopped: typeof whyStopped
  taskLimits: BackgroundLimits
  chatLimits: ChatLimits
}

export interface Extension<
  Service = unknown,
  Operations extends ContributedOperations = ContributedOperations,
> {
  /** One word, in no other extension of the same Parley. */
  readonly name: string
  readonly version?: string
  /** What it builds on; created before it, in the order of the list that it is in. */
  readonly needs?: readonly (Extension | NamedExtension<unknown>)[]
  /** The options of `createParley` that are its own, each with what checks it. */
  readonly options?: Readonly<Record<string, z.ZodType>>
  /** Of those, the ones that hold keys or name programs: no message repeats anything under them. */
  readonly secretOptions?: readonly string[]
  /** Its tables and queries. */
  readonly store?: StoreSlice
  /** What of it has an end by design, forgotten once an hour. */
  readonly retention?: (options: ParleyOptions) => Retention
  /** Reads what a turn is shown of its scope. */
  readonly createScopeViewReader?: (store: Store) => ReadScopeView
  /** Names of its tools: a program's own cannot have them, since the model would only ever reach the first. */
  readonly toolNames?: readonly string[]
  /** The `triggerType` of tasks that it starts at a pace of its own: their results wake a session whenever they come. */
  readonly pacedTriggers?: readonly string[]
  /** What programs can be asked beside calls of tools: what each may answer, by event. */
  readonly hookEvents?: AnswerSchemas
  /** Files that are read from the folders of scopes, and watched there. */
  readonly contextFiles?: ContextFiles
  /** What messages can refer to by `@(type:id)`: the words for it, by type. */
  readonly references?: ReferenceWords
  /** What the offline demo model answers in turns of this extension. */
  readonly demo?: ReadDemoPart
  /** What a configuration file may set for it, besides the line that names it. */
  readonly settings?: ExtensionSettings
  /** Words after `parley` on the command line. */
  readonly commands?: readonly CommandGroup[]
  /** A page of the workbench. */
  readonly page?: ExtensionPage
  create(
    core: Core,
    given: ExtensionContext,
  ): Contributions<Service, Operations> | Promise<Contributions<Service, Operations>>
}

/** Operations by the name under which library and client have them, with what they run with. */
export type ContributedOperations = Readonly<
  Record<string, { operations: Operation | OperationTree; deps?: unknown }>
>

/** The calls that extensions add to a Parley. */
export type CallsOf<Extensions extends readonly Extension[]> = Joined<CallsOfOne<Extensions[number]>>

type CallsOfOne<One> =
  One extends Extension<infer _Service, infer Operations>
    ? string extends keyof Operations
      ? {}
      : Calls<{ [Name in keyof Operations]: Operations[Name]['operations'] }>
    : never

/** Settings of an extension; their keys are its own, and have no dots. */
export interface ExtensionSettings<Table extends SettingsTable = SettingsTable> {
  readonly table: Table
  /** The options of `createParley` that they fill. */
  toOptions(config: ConfigOf<Table>): object
}

export interface ExtensionPage {
  /** In the navigation: one text, or one for each language. */
  readonly title: string | Readonly<Record<string, string>>
  /** A module for browsers in one file, which exports `mount(element, host)`. */
  readonly module: URL
}

export interface ExtensionContext {
  options: ParleyOptions
  /** The service of an extension that is among `needs`. */
  use<Service>(extension: Extension<Service> | NamedExtension<Service>): Service
}

declare const serviceOf: unique symbol

/** An extension by its name, for those who need one and do not load its code. */
export interface NamedExtension<Service> {
  readonly name: string
  /** Never there: it carries the type. */
  readonly [serviceOf]?: Service
}

export const extensionNamed = <Service>(name: string): NamedExtension<Service> => ({ name })

/** What an extension adds. Lists are joined in the order of the extensions; nobody replaces anybody. */
export interface Contributions<
  Service = unknown,
  Operations extends ContributedOperations = ContributedOperations,
> {
  /** What those get who need it. */
  service: Service
  /** Calls of the library that are routes as well. */
  operations?: Operations
  tools?: readonly Tool[]
  /** Tools that are there for some sessions, or come and go. */
  toolSource?: ToolSource
  prompt?: readonly PromptSource[]
  sessionTypes?: readonly SessionType[]
  /** By name. */
  runKinds?: Readonly<Record<string, RunKind>>
  on?: ExtensionHooks
  /** Routes beside its operations: those that stream, that are no JSON, or that speak as other programs expect it. */
  routes?(running: RunningParley): RouteContribution
  /** Which sessions are sealed for now. */
  seal?: SessionSeal
  /** Figures at `/metrics`. */
  metrics?: readonly MetricContribution[]
  /** What the settings of a scope show of it. */
  readEffective?(): Partial<EffectiveSettings>
  /** Begins what goes by itself; not called in a program that lives shortly. */
  start?(): void
  /** Ends that again; runs are still executed. */
  stop?(): Promise<void>
  /** After the last run: frees what is held. */
  close?(): Promise<void>
}

/** What routes work with. */
export interface RunningParley extends Pick<Core, 'store' | 'windows' | 'ids'> {
  chats: Chats
  background: BackgroundManager
  catalogue: CatalogueDeps
}

/** What an extension does at certain points, beside others. */
export interface ExtensionHooks extends TurnHooks, SessionLifecycle {
  /** Refuses an input that does not fit its session. */
  checkInput?(session: Session, input: TurnInput): void
  /** In the transaction in which a background session ends. What it throws undoes the end. */
  taskSettled?: OnSettled
  /** How things are undone that are more than files, by kind of snapshot. */
  restorers?: Readonly<Record<string, Restore>>
}

/** Checks nothing and changes nothing: it is there for its types. */
export const defineExtension = <Service, Operations extends ContributedOperations = ContributedOperations>(
  extension: Extension<Service, Operations>,
): Extension<Service, Operations> => extension

/** The same for its settings. */
export const defineExtensionSettings = <Table extends SettingsTable>(
  settings: ExtensionSettings<Table>,
): ExtensionSettings<Table> => settings
