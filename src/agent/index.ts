export { createAgent, type Agent, type AgentAnswer } from './agent.ts'
export type { AgentPermissions, AskedCall } from './agent-permissions.ts'
export { AgentSession, type SessionLimits } from './agent-session.ts'
export type { AgentOptions, AskOptions } from './agent-options.ts'
export type { FinishedRequest, RecordHandler } from './agent-record.ts'
export type { RunRecord } from '../core/protocol/chat.ts'
export type { RunEvent } from '../core/protocol/chunk.ts'
export { ParleyError, type ErrorCode } from '../core/protocol/error.ts'
export {
  countMoreIssues,
  issuesOf,
  type Issue,
  type IssueCode,
  type IssueParams,
} from '../core/protocol/issue.ts'
export type { Message, NewMessage, Part } from '../core/protocol/message.ts'
export type { OutputSchema } from '../core/protocol/output.ts'
export type { ModelParameters, ParameterName, ParameterSettings } from '../core/protocol/parameters.ts'
export type { PermissionMode, PermissionRule } from '../core/protocol/permission.ts'
export type { RecordSettings } from '../core/protocol/record.ts'
export type { Memo, Resize, WindowSettings, WindowView } from '../core/protocol/window.ts'
export type { ModelAdapter, ModelEvent, ModelMessage, ModelRequest } from '../core/models/adapter.ts'
export type {
  HandledResize,
  HandlerView,
  MemoUpdate,
  WindowHandlers,
} from '../core/sessions/window/window-handlers.ts'
export type { Decision } from '../core/sessions/window/resize-policy.ts'
export { defineTool, type Tool, type ToolContext, type ToolDefinition } from '../core/tools/tool.ts'
