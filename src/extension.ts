/** The API for writing extensions: `parley/extension`. Interfaces to augment are marked. */
import { extensionNamed } from './core/extension.ts'
import type { RoomModes } from './extensions/room/modes/registry.ts'
import type { WorkflowSteps } from './extensions/workflow/step-types.ts'

export { z } from 'zod'

export {
  defineExtension,
  defineExtensionSettings,
  extensionNamed,
  type CallsOf,
  type ContributedOperations,
  type Contributions,
  type Core,
  type Extension,
  type ExtensionContext,
  type ExtensionHooks,
  type ExtensionPage,
  type ExtensionSettings,
  type NamedExtension,
  type RunningParley,
} from './core/extension.ts'
/** To augment: options of `createParley`. */
export type { ExtensionOptions } from './core/compose/options.ts'

export { operationsOf, type Call, type Operation, type OperationTree } from './core/operations/operation.ts'
export type { Calls } from './core/operations/calls.ts'
export { idSchema, inScopeSchema, scopeSchema } from './core/protocol/names.ts'
export { conflict, invalidRequest, notFound, ParleyError } from './core/protocol/error.ts'
export type { Caller } from './core/sessions/caller.ts'

export type { Store, StoreOperations } from './core/store/store.ts'
export type { Migration, StoreSlice } from './core/store/store-slice.ts'
export type { QueryContext } from './core/store/query-context.ts'
/** To be added to: queries of transactions, and tables by name. */
export type { ExtensionQueries } from './core/store/store.ts'
export type { ExtensionTables } from './core/store/tables.ts'

export type { Access, Tool, ToolContext } from './core/tools/tool.ts'

export { tagged, type Fragment, type PromptContext } from './core/prompt/fragment.ts'
/** To augment: what fragments read. */
export type { PromptFacets } from './core/prompt/fragment.ts'
export { interactiveRecipe, type Recipe } from './core/prompt/recipe.ts'
export type { PromptSource } from './core/chat/prompt-source.ts'
export type { SessionType } from './core/chat/session-types.ts'
export type { TurnInput } from './core/chat/turn-input.ts'
/** What of sessions and chats is an extension's own. */
export { defineFacets, type Facets } from './core/protocol/facets.ts'
/** Parameters of a schema check that name its message. */
export { named } from './core/protocol/wordings.ts'
/** To augment: fields of sessions, tasks, chats, inputs, asks and settings; tool groups, prompt tags, messages of checks. */
export type {
  ApprovalFacets,
  BgMetaFacets,
  ChatFacets,
  EffectiveFacets,
  InputFacets,
  PatchFacets,
  PromptTags,
  SessionFacets,
  TaskFacets,
  ToolGroups,
  ToolMetaFacets,
  TriggerFacets,
  Wordings,
} from './core/protocol/facets.ts'
export type { EndedTurn } from './core/chat/turn-hooks.ts'
export type { Session } from './core/protocol/session.ts'

export type { RunEngine, RunKind } from './core/runs/run-engine.ts'
export type { Run } from './core/store/queries/run-row.ts'

export {
  defineRoute,
  type MetricContribution,
  type RouteContribution,
  type RouteHost,
} from './core/http/contributions.ts'

export { setting } from './core/settings/setting.ts'

export type { CommandContext, CommandGroup, GroupModule } from './core/command-line/command-group.ts'

// what two of the extensions that come with Parley let others add to
export const rooms = extensionNamed<RoomModes>('room')
export const workflows = extensionNamed<WorkflowSteps>('workflow')
export type { RoomModes } from './extensions/room/modes/registry.ts'
export type {
  Answer,
  Ask,
  Decision,
  Mode,
  RoomFacts,
  RoomInput,
  Statement,
} from './extensions/room/modes/mode.ts'
export type {
  StepOutcome,
  WorkflowStepCall,
  WorkflowSteps,
  WorkflowStepType,
} from './extensions/workflow/step-types.ts'
