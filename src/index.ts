export { createAgent, type Agent, type AgentAnswer } from './agent/agent.ts'
export type { AgentPermissions, AskedCall } from './agent/agent-permissions.ts'
export { AgentSession, type SessionLimits } from './agent/agent-session.ts'
export type { AgentOptions, AskOptions } from './agent/agent-options.ts'
export type { FinishedRequest, RecordHandler } from './agent/agent-record.ts'
export type { ApprovalAnswer, OnApproval } from './core/approvals/ask-program.ts'
export type {
  BeginningModelCall,
  BeginningTurn,
  EndedHookedTurn,
  EndedModelCall,
} from './core/chat/program-hooks.ts'
export { defineFragment, type ProgramFragment } from './core/chat/program-fragment.ts'
export type { CommandHook, Hook, HookEvent } from './core/hooks/hook.ts'
export { defineExtension, type CallsOf, type Extension } from './core/extension.ts'
export { openTrustedFolders, type TrustedFolder, type TrustedFolders } from './core/files/trusted-folders.ts'
export { createParley } from './create-parley.ts'
export type { Parley, ParleyOptions } from './parley.ts'
export { ParleyError, type ErrorCode } from './core/protocol/error.ts'
export {
  countMoreIssues,
  issuesOf,
  type Issue,
  type IssueCode,
  type IssueParams,
} from './core/protocol/issue.ts'
export type { TelemetryOptions } from './telemetry/open-telemetry.ts'
export type { Watch, Watcher, Watchers } from './core/watch/watcher.ts'
// "Agent" is what createAgent returns
export type { Agent as RoomAgent } from './extensions/agents/protocol/agent.ts'
export {
  buildChatContext,
  buildWorkflowTaskPrompt,
  resolvePromptUserText,
  selectPromptHistory,
  type ChatContext,
  type ChatContextFacts,
} from './extensions/room/chat-context.ts'
export { buildLookup, type Callable, type Lookup } from './extensions/room/name-lookup.ts'
export { parseMentions, type Mentions } from './extensions/room/mentions.ts'
export { selectTargets, type TargetFacts, type Targets } from './extensions/room/who-answers.ts'
export type { ObserverRegistry, SessionObserver } from './core/runs/observers.ts'
export type {
  HandledResize,
  HandlerView,
  MemoUpdate,
  WindowHandlers,
} from './core/sessions/window/window-handlers.ts'
export type { Decision } from './core/sessions/window/resize-policy.ts'
export type { Store, StoreOperations } from './core/store/store.ts'
export { defineTool, type Tool, type ToolContext, type ToolDefinition } from './core/tools/tool.ts'
export type { ModelAdapter, ModelEvent, ModelMessage, ModelRequest } from './core/models/adapter.ts'
export type * from './public-types.ts'
