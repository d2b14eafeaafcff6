export { createAgent, type Agent, type AgentAnswer } from './agent/agent.ts'
export type { AgentPermissions, AskedCall } from './agent/agent-guard.ts'
export { AgentSession, type SessionLimits } from './agent/agent-session.ts'
export type { AgentOptions, AskOptions } from './agent/agent-options.ts'
export type { FinishedRequest, RecordHandler } from './agent/record.ts'
export type { CommandHook, Hook, HookEvent } from './hooks/hook.ts'
export { openTrustedFolders, type TrustedFolder, type TrustedFolders } from './files/trusted-folders.ts'
export { createParley, type Parley, type ParleyOptions } from './parley.ts'
export { ParleyError, type ErrorCode } from './protocol/error.ts'
export { countMoreIssues, issuesOf, type Issue, type IssueCode, type IssueParams } from './protocol/issue.ts'
export type { TelemetryOptions } from './telemetry/open.ts'
export type { Watch, Watcher, Watchers } from './telemetry/watcher.ts'
// "Agent" is what createAgent makes
export type { Agent as RoomAgent } from './protocol/agent.ts'
export {
  buildChatContext,
  buildWorkflowTaskPrompt,
  resolvePromptUserText,
  selectPromptHistory,
  type ChatContext,
  type ChatContextFacts,
} from './room/context.ts'
export { buildLookup, type Callable, type Lookup } from './room/lookup.ts'
export { parseMentions, type Mentions } from './room/mentions.ts'
export { selectTargets, type TargetFacts, type Targets } from './room/routing.ts'
export type { ObserverRegistry, SessionObserver } from './runs/observers.ts'
export type { HandledResize, HandlerView, MemoUpdate, WindowHandlers } from './sessions/window/handlers.ts'
export type { Decision } from './sessions/window/policy.ts'
export type { Store, StoreOperations } from './store/store.ts'
export { defineTool, type Tool, type ToolContext, type ToolDefinition } from './tools/tool.ts'
export type { ModelAdapter, ModelEvent, ModelMessage, ModelRequest } from './models/adapter.ts'
export type * from './public-types.ts'
