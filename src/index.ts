export { createAgent, type Agent, type AgentAnswer } from './agent/agent.ts'
export type { AgentPermissions, AskedCall } from './agent/agent-guard.ts'
export { AgentSession, type SessionLimits } from './agent/agent-session.ts'
export type { AgentOptions, AskOptions } from './agent/agent-options.ts'
export type { FinishedRequest, RecordHandler } from './agent/record.ts'
export type { RecordSettings } from './protocol/record.ts'
export type { CommandHook, Hook, HookEvent } from './hooks/hook.ts'
export { openTrustedFolders, type TrustedFolder, type TrustedFolders } from './files/trusted-folders.ts'
export { createParley, type Parley, type ParleyOptions } from './parley.ts'
export { ParleyError, type ErrorCode } from './protocol/error.ts'
export { countMoreIssues, issuesOf, type Issue, type IssueCode, type IssueParams } from './protocol/issue.ts'
export type { TelemetryOptions } from './telemetry/open.ts'
export type { Watch, Watcher, Watchers } from './telemetry/watcher.ts'
export type { AppendMessage, Message, MessagePage, NewMessage, Part } from './protocol/message.ts'
export type {
  CreateSession,
  ExportFormat,
  Session,
  SessionDocument,
  SessionKind,
  SessionListItem,
  SessionListQuery,
  SessionPage,
  UpdateSession,
  VariantList,
} from './protocol/session.ts'
// "Agent" is what createAgent makes
export type { Agent as RoomAgent, AgentPage, CreateAgent, UpdateAgent } from './protocol/agent.ts'
export type { CreateThread, Thread, ThreadPage, UpdateThread } from './protocol/thread.ts'
export type { CreateBackground, TaskResult } from './protocol/background.ts'
export type { EventFrame, EventGap } from './protocol/event-socket.ts'
export type { ScopeEvent } from './protocol/event.ts'
export type { AuditPage, AuditQuery, AuditRecord } from './protocol/audit.ts'
export type { Documents } from './documents/operations.ts'
export type { CreateDocument, Document, DocumentDiff, DocumentPage } from './protocol/document.ts'
export type {
  EntityPage,
  ExtractKnowledge,
  GivenTriple,
  ImportKnowledge,
  KnowledgeAnswer,
  KnowledgeExtraction,
  KnowledgeImported,
  KnowledgeQuery,
  KnowledgeSource,
  KnowledgeSourcePage,
  KnowledgeStats,
} from './protocol/knowledge.ts'
export type { Lock, LockList } from './protocol/lock.ts'
export type { CreateTodoList, TodoItem, TodoList, TodoPage } from './protocol/todo.ts'
export type { QueuePage, SteeredInput } from './protocol/queue.ts'
export type { SearchPage, SearchQuery } from './protocol/search.ts'
export type { SessionUsage, UsagePage, UsageQuery } from './protocol/usage.ts'
export type { CreateCron, Cron, CronFire, CronPreview } from './protocol/cron.ts'
export type { CreateEventHook, EventHook } from './protocol/event-hook.ts'
export type { CreateWebhook, Webhook, WebhookDelivery } from './protocol/webhook.ts'
export type {
  CreateWorkflow,
  DefinitionProblem,
  Workflow,
  WorkflowPage,
  WorkflowRun,
  WorkflowRunPage,
  WorkflowStep,
  WorkflowSummary,
  WorkflowTemplate,
  WorkflowVerdict,
  WorkflowVersion,
} from './protocol/workflow.ts'
export type { CreatePlan, Plan, PlanPage, PlanTree, PlanVersion } from './protocol/plan.ts'
export type { Plans } from './plan/operations.ts'
export type { PlanRun, PlanRunPage, PlanRunSummary, PlanStep } from './protocol/plan-run.ts'
export type { CreateNode, PlanNode, TreeNode } from './protocol/plan-node.ts'
export type { Advance, RoomMode, RoomRecord, Round, RoundPage, SetMode } from './protocol/room.ts'
export type {
  CreateMemory,
  ListedMemory,
  Memory,
  MemoryListQuery,
  MemoryPage,
  UpdateMemory,
} from './protocol/memory.ts'
export type { Memo, MemoView, Resize, WindowSettings, WindowView } from './protocol/window.ts'
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
export type { ChatAnswer, ChatBody, RunRecord } from './protocol/chat.ts'
export type { Chunk, RunEvent } from './protocol/chunk.ts'
export type { CommandList, FileList, FileQuery, RuleList, SkillList, ToolList } from './protocol/catalogue.ts'
export type { Model, ModelList, Provider, ProviderName, PutProvider } from './protocol/models.ts'
export type { SettingsView, UpdateSettings } from './protocol/settings.ts'
export type { Agents } from './room/agent-operations.ts'
export type { Threads } from './room/thread-operations.ts'
export type { Knowledge } from './knowledge/operations.ts'
export type { Locks } from './documents/lock-operations.ts'
export type { Todos } from './documents/todo-operations.ts'
export type { Sessions } from './chat/session-operations.ts'
export type { Crons, EventHooks } from './schedule/operations.ts'
export type { Webhooks } from './webhook/operations.ts'
export type { Workflows } from './workflow/operations.ts'
export type { Rooms } from './room/operations.ts'
export type { Memories } from './memory/operations.ts'
export type { Catalogue, Models, Providers, Settings } from './catalogue/operations.ts'
